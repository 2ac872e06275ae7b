// Reads the searches to export: ended ones of a journal, the newest first, or those of traces. Holds one log at a time.

import { isGradable, isRight, lastAsked, readQuestions, type SearchPlan } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { type Journal, readLog, type SearchRecord } from '@coppice/core/journal';
import { eventsIn, type LoggedEvent } from '@coppice/core/log';
import type { AnswerJudge, LoggedSearch } from '../../../export/finished-tree.ts';
import { readTrace } from '../../terminal/trace.ts';

const pageSearches = 100;

export function* tracedSearches(files: readonly string[]): Generator<LoggedSearch> {
  for (const [at, file] of files.entries()) {
    const { header, events } = readTrace(file);
    yield {
      search: files.length === 1 ? file : `${file}#${at}`,
      question: header.question,
      model: header.model,
      events,
    };
  }
}

/** Leaves out generations without search: they have no tree. */
export async function* journalledSearches(journal: Journal): AsyncGenerator<LoggedSearch> {
  let before = { endedMs: Number.MAX_SAFE_INTEGER, id: '' };
  let bare = 0;
  let whole = 0;
  for (;;) {
    const page = await journal.ended({ fromMs: 0, before, limit: pageSearches });
    for (const { id, state, about } of page) {
      if (state !== 'done' || about.mode === 'direct') continue;
      const record = await journal.find(id);
      const plan = record?.request?.plan as SearchPlan | undefined;
      if (record === undefined || plan === undefined) {
        bare += 1;
        continue;
      }
      whole += 1;
      yield {
        search: id,
        question: questionOf(record, plan),
        model: plan.model,
        weights: plan.weights,
        events: await eventsOf(journal, id),
      };
    }
    if (page.length < pageSearches) break;
    before = page.at(-1)!;
  }
  if (whole === 0 && bare > 0)
    raise(
      'bad-setting',
      `the journal keeps no texts of its ${bare} ended searches (journal.texts): there are no tokens`,
    );
}

async function eventsOf(journal: Journal, id: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const page of readLog(journal, id)) events.push(...page.flatMap(eventsIn));
  return events;
}

/** The question as the client asked it, not the model's form of it. */
function questionOf({ request }: SearchRecord, { prompt }: SearchPlan): string {
  if (prompt.kind === 'chat') return lastAsked(prompt);
  const { messages } = (request?.body ?? {}) as { readonly messages?: unknown };
  const last = Array.isArray(messages) ? messages.findLast((each) => each?.role === 'user')?.content : undefined;
  return typeof last === 'string' ? last : prompt.text;
}

/** Judges answers by those of a file, or by the question alone if it is a puzzle that can be checked. */
export function rightnessBy(file: string | undefined): AnswerJudge {
  const known = new Map((file === undefined ? [] : readQuestions(file)).map((gold) => [gold.question.trim(), gold]));
  return (question, answer) => {
    if (question === undefined) return undefined;
    const unknown = { id: '', question, answer: undefined, solvable: true, difficulty: undefined };
    const gold = known.get(question.trim()) ?? unknown;
    return isGradable(gold) ? isRight(gold, answer) : undefined;
  };
}
