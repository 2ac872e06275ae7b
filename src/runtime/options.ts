// What a runtime joins, and whom it tells of what happens.

import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { Embedder } from '../embedder/embedder.ts';
import type { Engine } from '../engine/engine.ts';
import type { Cost } from '../log/end.ts';
import type { LoggedEvent } from '../log/events.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { Verifier } from '../verifier/verifier.ts';
import type { WorkEstimates } from './queue/work-meter.ts';
import type { SearchResult } from './search/request.ts';

export interface RuntimeOptions {
  readonly engine: Engine;
  /** Without one, only programs that need none can run. */
  readonly verifier?: Verifier;
  /** Without one, answers are compared by their words. */
  readonly embedder?: Embedder;
  readonly scheduler: Scheduler;
  /** M, P0 §4.1: strands open at a time, over all searches and lanes. */
  readonly budget: number;
  readonly clock: Clock;
  /** What the order by work goes by; measured unless given. */
  readonly work?: WorkEstimates | undefined;
  /** A request that a server has had for so long without an answer counts as failed; undefined waits for ever. */
  readonly requestTimeoutMs?: number;
  /** Strands of one search that may fail in a row before it ends as `failed`. */
  readonly maxFailures?: number;
  readonly onEvent?: (event: LoggedEvent) => void;
  readonly onEnd?: (result: SearchResult) => void;
  /** After `onEnd`, once all that was cancelled has been answered for: the search's final cost. */
  readonly onCost?: (search: string, cost: Cost) => void;
  /** The turn of a search from a former process has come: its log is wanted now, by `restore`. */
  readonly onLogWanted?: (search: string) => void;
  readonly onToken?: (token: Token) => void;
  /** Whether somebody reads the tokens of a search as they come; unless said, where there is `onToken`. Asked anew per step. */
  readonly watches?: (search: string) => boolean;
  readonly onFault?: (search: string, fault: Fault) => void;
  /** The inbox has something: `step` should be called soon. */
  readonly wake?: () => void;
}

/** Text of a child as it is being generated. */
export interface Token {
  readonly search: string;
  readonly node: number;
  readonly index: number;
  readonly text: string;
}
