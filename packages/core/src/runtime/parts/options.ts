// The options of a runtime: its parts and its listeners. Parts and listeners may be a stranger's: the runtime guards them.

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
import type { WorkEstimates } from '../budget/work-meter.ts';
import { type Answerable, type Breakage, faultOf, guard } from '../guard/guard.ts';
import { guardedScheduler } from '../guard/scheduler.ts';
import { guardedEmbedder, guardedEngine, guardedVerifier } from '../guard/servers.ts';
import type { SearchResult } from '../search/request.ts';

export interface RuntimeOptions {
  readonly engine: Engine;
  readonly verifier?: Verifier | undefined;
  readonly embedder?: Embedder | undefined;
  readonly scheduler: Scheduler;
  /** M, P0 §4.1: strands open at a time, over all searches and lanes. */
  readonly budget: number;
  readonly clock: Clock;
  readonly work?: WorkEstimates | undefined;
  /** How far a search believes the verifier's scores as weights of votes, in 0 to 1, by what was seen of them; null: it reads nothing. */
  readonly trust?: ((search: string) => number | null | undefined) | undefined;
  /** True where a vote is to go on from a sample's middle, as that has paid. If it is given, some votes do so to find out. */
  readonly branches?: ((search: string) => boolean) | undefined;
  /** Names the verifier and its settings: what is seen of one says nothing of another. */
  readonly judge?: string | undefined;
  /** From when a server takes a request to its failure; undefined waits for ever. */
  readonly requestTimeoutMs?: number | undefined;
  readonly maxFailures?: number | undefined;
  /** `fold` holds all events up to this one; read-only. */
  readonly onEvent?: ((event: LoggedEvent, fold: SearchFold) => void) | undefined;
  /** Everything one step wrote of a search, for the journal. `fold` is read-only. */
  readonly onEntry?: ((entry: LogEntry, fold: SearchFold) => void) | undefined;
  readonly onEnd?: ((result: SearchResult) => void) | undefined;
  /** The final cost, after `onEnd`, once every cancelled request has been answered. */
  readonly onCost?: ((search: string, cost: Cost) => void) | undefined;
  /** A revived search needs its log now: call `restore`. */
  readonly onLogWanted?: ((search: string) => void) | undefined;
  /** Tokens of the prompt, as the engine counted them for one step. */
  readonly onPrompt?: ((search: string, tokens: number) => void) | undefined;
  readonly onToken?: ((token: Token) => void) | undefined;
  /** True if a client reads the tokens of a search; by default, if `onToken` is given. Asked anew per step. */
  readonly watches?: ((search: string) => boolean) | undefined;
  /** `search` is undefined for shared parts. */
  onFault?(search: string | undefined, fault: Fault): void;
  readonly wake?: (() => void) | undefined;
}

/** Guards every part and listener. `onFault` hears of listeners that throw; without it the throw goes on. */
export function guardedOptions(options: RuntimeOptions): RuntimeOptions {
  const { engine, verifier, embedder, scheduler, budget, onEnd, onCost, watches, onFault: told } = options;
  const onFault: typeof told =
    told &&
    ((search, fault) => guard(noOne, 'listener', told, 'onFault', () => told.call(options, search, fault), undefined));
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

export interface Token {
  readonly search: string;
  readonly node: number;
  readonly index: number;
  readonly text: string;
}
