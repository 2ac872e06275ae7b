// A server of a remote verifier.

import type { Clock } from '../../base/clock.ts';
import type { Fault } from '../../base/fault.ts';
import { CircuitBreaker, failureOf } from '../../remote/circuit-breaker.ts';
import { faultOf } from '../../remote/failure.ts';
import type { ScoringServer } from '../scorer.ts';
import type { ScoreQueue } from './score-queue.ts';

export class ScoringReplica {
  readonly server: ScoringServer;
  readonly breaker: CircuitBreaker;
  readonly queue: ScoreQueue;
  readonly #callsLimit: number;
  /** Searches that stay here. */
  homes = 0;
  calls = 0;
  paths = 0;
  tokens = 0;

  constructor(server: ScoringServer, queue: ScoreQueue, callsLimit: number, nowMs: number) {
    this.server = server;
    this.queue = queue;
    this.#callsLimit = callsLimit;
    this.breaker = new CircuitBreaker(true, nowMs);
  }

  mayStart(tokensLimit: number): boolean {
    if (this.breaker.state === 'open') return false;
    if (this.breaker.state === 'half-open') return this.calls === 0;
    return this.calls < this.#callsLimit && this.tokens < tokensLimit;
  }

  begin(paths: number, tokens: number): void {
    this.calls += 1;
    this.paths += paths;
    this.tokens += tokens;
  }

  end(paths: number, tokens: number): void {
    this.calls -= 1;
    this.paths -= paths;
    this.tokens -= tokens;
  }

  failed(reason: Fault, nowMs: number, chance: number): boolean {
    const wasUp = this.#isUp();
    const failure = failureOf(reason);
    if (failure !== undefined) this.breaker.failed(failure, reason.message, nowMs, chance);
    return wasUp && !this.#isUp();
  }

  /** Any answer below 500 will do, and 501 of a server that has POST alone; the next call is the real test. */
  async probe(clock: Clock, chance: number): Promise<boolean> {
    let reason: string | undefined;
    try {
      const { status } = await this.server.connection.call('GET', '/health');
      if (status >= 500 && status !== 501) reason = `${this.server.connection.url}/health answered ${status}`;
    } catch (error) {
      reason = faultOf(error).message;
    }
    this.breaker.probed(reason === undefined, reason, clock.nowMs(), chance);
    return reason === undefined;
  }

  #isUp(): boolean {
    return this.breaker.state !== 'open';
  }
}
