// A panel over recorded samples: the product's own program and rules ask for them in their order and decide when it ends. In place of a synthesis
// stands one of all samples, if there is one; else the vote so far, without tokens for it.

import { concluded } from '@coppice/core/exit';
import { createPanel } from '@coppice/core/program';
import { Tree } from '@coppice/core/tree';
import type { SearchView } from 'coppice';

export interface PanelSample {
  readonly model: string;
  readonly answer: string | null;
  readonly right: boolean;
  readonly tokens: number;
}

export interface ReplayedPanel {
  readonly right: boolean;
  readonly tokens: number;
  readonly samples: number;
  /** What ended it; `synthesis` where it would have had to be put together, `vote` where all samples were asked for. */
  readonly by: string;
}

/** `drawn`: each model's samples in their order, models in the panel's order. On a disagreement one of them writes a synthesis, or the vote decides. */
export function replayPanel(
  drawn: readonly PanelSample[],
  isSynthesized: boolean,
  synthesis?: Pick<ReplayedPanel, 'right' | 'tokens'>,
): ReplayedPanel {
  const byModel = Map.groupBy(drawn, ({ model }) => model);
  const models = [...byModel.keys()];
  const own = [...byModel.values()];
  const each = own[0]!.length;
  const samples = Array.from({ length: each }, (_, at) => own.map((list) => list[at]!)).flat();
  const program = createPanel({ models, samples: each, ...(isSynthesized && { synthesizer: models[0]! }) });
  const tree = Tree.plant('product');
  const belief = program.belief!(tree);
  const view = {
    tree,
    belief,
    limits: { threshold: 1, rollouts: samples.length + 1 },
  } as unknown as SearchView;
  for (;;) {
    const indices: number[] = [];
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true))
      indices.push(...ask.indices);
    const wanted = indices.filter((index) => index < samples.length);
    if (wanted.length === 0) return endedBy(isSynthesized ? 'synthesis' : 'vote');
    for (const index of wanted) {
      const { answer, tokens } = samples[index]!;
      const text = `${index}: ${answer}`;
      const step = { text, tokens, meanLogprob: 0, end: 'eos' as const };
      program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer: answer ?? undefined });
    }
    const exit = concluded.check(view);
    if (exit !== undefined) return endedBy(exit.rule);
  }

  function endedBy(by: string): ReplayedPanel {
    const taken = samples.filter((_, index) => tree.root.byIndex?.has(index));
    const chosen = program.answer(tree)?.answer;
    const written = by === 'synthesis' ? synthesis : undefined;
    const right = taken.find(({ answer }) => answer !== null && answer === chosen)?.right ?? false;
    const tokens = taken.reduce((sum, each) => sum + each.tokens, written?.tokens ?? 0);
    return { right: written?.right ?? right, tokens, samples: taken.length, by };
  }
}
