// What the ended searches of a model have shown of it, by program: depth, twins, refused lines, rollouts that changed an answer. Of
// records in the journal; those of before they said so are left out.

import type { Plain } from '../../../journal/journal.ts';
import type { HistoryKindJson } from '../../wire/history-json.ts';
import type { ResultFacts } from '../../wire/result-json.ts';

export interface KindSearch extends Pick<HistoryKindJson, 'model' | 'program' | 'rollouts'> {
  readonly shape: NonNullable<ResultFacts['shape']>;
}

export function kindSearch(about: Plain, outcome: Plain | undefined): KindSearch | undefined {
  const { model, program } = about as { readonly model?: string; readonly program?: string };
  const { rollouts = 0, shape } = (outcome ?? {}) as Partial<ResultFacts>;
  return model === undefined || program === undefined || shape === undefined
    ? undefined
    : { model, program, rollouts, shape };
}

export function kindsOf(searches: readonly KindSearch[]): HistoryKindJson[] {
  const groups = Map.groupBy(searches, ({ model, program }) => JSON.stringify([model, program]));
  const kinds = Array.from(groups.values(), (own): HistoryKindJson => {
    const sum = (read: (search: KindSearch) => number) => own.reduce((total, each) => total + read(each), 0);
    const shareOf = (read: (shape: KindSearch['shape']) => number, all: number) =>
      all === 0 ? 0 : sum(({ shape }) => read(shape)) / all;
    const draws = sum(({ shape }) => shape.draws);
    const ended = sum(({ shape }) => Number(shape.depth !== null));
    const later = sum(({ rollouts }) => Math.max(0, rollouts - 1));
    return {
      model: own[0]!.model,
      program: own[0]!.program,
      searches: own.length,
      rollouts: sum(({ rollouts }) => rollouts) / own.length,
      depth: ended === 0 ? null : shareOf(({ depth }) => depth ?? 0, ended),
      twin_share: shareOf(({ twins }) => twins, draws),
      refused_share: shareOf(({ refused }) => refused, draws),
      changed_share: shareOf(({ changes }) => changes, later),
    };
  });
  return kinds.sort((a, b) => b.searches - a.searches);
}
