// Reasons for which a search ends: its first exit rule that fires, too many failures in a row, or an exit without a rule. Clock rules and
// failures are read at any moment, other rules only after a complete fold.

import type { Exit } from '../../log/end.ts';
import type { TooLate } from '../../scheduler/turns/forecast.ts';
import { absenceText } from '../../tree/absences.ts';
import type { RuntimeOptions } from '../parts/options.ts';
import type { Search } from '../search/search.ts';

type Circumstances = Pick<RuntimeOptions, 'engine' | 'verifier' | 'maxFailures'>;

const defaultMaxFailures = 8;

export function givenUp(search: Search, nowMs: number, late: TooLate, circumstances: Circumstances): Exit {
  const evidence = { waitedMs: Math.round(nowMs - search.arrivalMs), ...late };
  return explain(search, { kind: 'deadline', rule: 'wait', evidence }, circumstances);
}

export function clockExit(search: Search, nowMs: number, circumstances: Circumstances): Exit | undefined {
  const rules = search.request.rules.exits.filter(({ readsClock }) => readsClock);
  return firstExit(search, nowMs, circumstances, rules);
}

export function firstExit(
  search: Search,
  nowMs: number,
  circumstances: Circumstances,
  rules = search.request.rules.exits,
): Exit | undefined {
  const view = search.view(nowMs);
  for (const rule of rules) {
    const exit = rule.check(view);
    if (exit !== undefined) return exit.kind === 'deadline' ? explain(search, exit, circumstances) : exit;
  }
  const { maxFailures = defaultMaxFailures } = circumstances;
  const { failuresInARow } = search.tree;
  if (failuresInARow < maxFailures) return undefined;
  return { kind: 'failed', rule: 'failures', evidence: { failuresInARow, maxFailures } };
}

export function nothingLeft({ tree, request }: Pick<Search, 'tree' | 'request'>): Exit {
  const { absences, closed, nodes } = tree;
  const done = { rollouts: closed.completed, nodes: nodes.length };
  const evidence = absences.all.length === 0 ? done : { ...done, absent: absenceText(absences.all) };
  if (!absences.isTotal) return { kind: 'exhausted', rule: 'nothing-left', evidence };
  const hasAnswer = request.program.answer(tree)?.complete === true;
  return { kind: hasAnswer ? 'exhausted' : 'failed', rule: 'absent', evidence };
}

/** A deadline that passes without an answer while a server is out counts as that server's failure. */
function explain(search: Search, exit: Exit, { engine, verifier }: Circumstances): Exit {
  const trouble = engine.load().trouble ?? verifier?.load().trouble;
  if (trouble === undefined || search.request.program.answer(search.tree)?.complete === true) return exit;
  return { kind: 'failed', rule: 'trouble', evidence: { ...exit.evidence, trouble } };
}
