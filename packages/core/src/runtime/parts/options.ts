// What a runtime joins, and whom it tells of what happens. Parts and listeners may be a stranger's: the runtime takes them guarded.

import type { Clock } from '../../base/clock.ts';
import { type Fault, FaultError } from '../../base/fault.ts';
import type { Embedder } from '../../embedder/embedder.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Cost } from '../../log/end.ts';
import type { LogEntry } from '../../log/entry.ts';
import type { LoggedEvent } from '../../log/events.ts';
import type { SearchFold } from '../../log/fold.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import { guardedScheduler } from '../guard/decisions.ts';
import { type Answerable, type Breakage, faultOf, guard } from '../guard/guard.ts';
import { guardedEmbedder, guardedEngine, guardedVerifier } from '../guard/servers.ts';
import type { WorkEstimates } from '../queue/work-meter.ts';
import type { SearchResult } from '../search/request.ts';

export interface RuntimeOptions {
  readonly engine: Engine;
  /** Without one, only programs that need none can run. */
  readonly verifier?: Verifier | undefined;
  /** Without one, answers are compared by their words. */
  readonly embedder?: Embedder | undefined;
  readonly scheduler: Scheduler;
  /** M, P0 §4.1: strands open at a time, over all searches and lanes. */
  readonly budget: number;
  readonly clock: Clock;
  /** What the order by work goes by; measured unless given. */
  readonly work?: WorkEstimates | undefined;
  /** A request that a server has had for so long without an answer counts as failed; undefined waits for ever. */
  readonly requestTimeoutMs?: number | undefined;
  /** Strands of one search that may fail in a row before it ends as `failed`. */
  readonly maxFailures?: number | undefined;
  /** `fold`: of all events of the search up to this one; only to be read. */
  readonly onEvent?: ((event: LoggedEvent, fold: SearchFold) => void) | undefined;
  /** What one step wrote of a search, when the step is over: what a journal stores. `fold` has it, and is only to be read. */
  readonly onEntry?: ((entry: LogEntry, fold: SearchFold) => void) | undefined;
  readonly onEnd?: ((result: SearchResult) => void) | undefined;
  /** After `onEnd`, once all that was cancelled has been answered for: the search's final cost. */
  readonly onCost?: ((search: string, cost: Cost) => void) | undefined;
  /** The turn of a search from a former process has come: its log is wanted now, by `restore`. */
  readonly onLogWanted?: ((search: string) => void) | undefined;
  readonly onToken?: ((token: Token) => void) | undefined;
  /** Whether the tokens of a search are read as they come; unless said, where there is `onToken`. Asked anew per step. */
  readonly watches?: ((search: string) => boolean) | undefined;
  /** `search` is undefined for shared parts. */
  onFault?(search: string | undefined, fault: Fault): void;
  /** The inbox has something: `step` should be called soon. */
  readonly wake?: (() => void) | undefined;
}

/** The same, and nothing of it throws. `onFault` is told of listeners that throw; without it the throw goes on. */
export function guardedOptions(options: RuntimeOptions): RuntimeOptions {
  const { engine, verifier, embedder, scheduler, budget, onEnd, onCost, watches } = options;
  const onFault = guardedFault(options);
  const tell = (fault: Fault) => onFault?.(undefined, fault);
  const heard = (search: string, listener: { readonly name: string }, verb: string, call: () => void) => {
    const broke = (breakage: Breakage) => {
      if (onFault === undefined) throw new FaultError(faultOf(breakage));
      onFault(search, faultOf(breakage));
    };
    guard({ broke }, 'listener', listener, verb, call, undefined);
  };
  return {
    ...options,
    engine: guardedEngine(engine, tell),
    verifier: verifier && guardedVerifier(verifier, tell),
    embedder: embedder && guardedEmbedder(embedder, tell),
    scheduler: guardedScheduler(scheduler, budget, tell),
    onEnd: onEnd && ((result) => heard(result.id, onEnd, 'onEnd', () => onEnd(result))),
    onCost: onCost && ((search, cost) => heard(search, onCost, 'onCost', () => onCost(search, cost))),
    watches: watches && ((search) => guard(noOne, 'listener', watches, 'watches', () => watches(search), false)),
    ...(onFault && { onFault }),
  };
}

const noOne: Answerable = { broke: () => {} };

/** What it throws itself is lost: there is nothing left to tell it to. */
function guardedFault(options: RuntimeOptions): RuntimeOptions['onFault'] {
  const { onFault } = options;
  if (onFault === undefined) return undefined;
  return (search, fault) =>
    guard(noOne, 'listener', onFault, 'onFault', () => onFault.call(options, search, fault), undefined);
}

export interface Token {
  readonly search: string;
  readonly node: number;
  readonly index: number;
  readonly text: string;
}
