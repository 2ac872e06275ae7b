// The log of one generation that went past the runtime to the engine's own endpoint: a search with a single sample, so that lists, the page
// and the fold need no special case.

import type { Fault } from '../../base/fault.ts';
import type { GenerationUsage } from '../../engine/engine.ts';
import type { Exit } from '../../log/end.ts';
import { entryOf, type LogEntry } from '../../log/entry.ts';
import { exitedEvent, type LoggedEvent, type SearchEvent } from '../../log/events.ts';
import type { SearchFold } from '../../log/fold.ts';
import { createBestOfN } from '../../program/best-of-n.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { formKey } from '../../tree/keys.ts';
import type { Sampling, Step } from '../../tree/step.ts';
import { Tree } from '../../tree/tree.ts';
import { Ledger } from './ledger.ts';
import type { SearchFacts } from './request.ts';
import { Spending } from './spending.ts';

export interface PassedGeneration extends Pick<SearchFacts, 'model' | 'writers'> {
  readonly search: string;
  readonly aggregation: Aggregation;
  readonly sampling: Sampling;
  readonly submittedMs: number;
  readonly admittedMs: number;
  readonly endedMs: number;
  readonly said: { readonly step: Step } | { readonly fault: Fault };
  readonly usage: GenerationUsage;
  readonly exit: Exit;
}

export function logPassed(passed: PassedGeneration, fold: SearchFold, write: (entry: LogEntry) => void): void {
  const { search, aggregation, sampling, said, usage, exit } = passed;
  const program = createBestOfN({ samples: 1, maxDepth: 1, sampling });
  const ledger = new Ledger();
  const spending = new Spending(passed);
  let atMs = passed.submittedMs;
  let open: LoggedEvent[] = [];
  const log = (event: SearchEvent) => open.push(fold.next(search, atMs, event, open.length > 0));
  const next = (nextMs: number) => {
    write(entryOf(open));
    open = [];
    atMs = nextMs;
  };

  log({ type: 'submitted' });
  const tree = Tree.plant(aggregation, log);
  fold.tree = tree;
  next(passed.admittedMs);
  log({ type: 'admitted' });
  program.ask(tree, true);
  next(passed.endedMs);
  const draw = { node: tree.root.id, index: 0 };
  if ('step' in said) program.tell(tree, { ok: true, ...draw, form: formKey(sampling), step: said.step });
  else program.tell(tree, { ok: false, ...draw, fault: said.fault });
  ledger.generated(usage, 'step' in said, 0, 'primary');
  spending.generated(usage);
  const cost = { ...ledger.cost(0), ...spending.cost() };
  log(exitedEvent(exit, cost, 'step' in said ? program.answer(tree) : undefined));
  log({ type: 'cost', cost });
  write(entryOf(open));
}
