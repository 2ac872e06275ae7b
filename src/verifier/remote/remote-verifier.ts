// A verifier behind HTTP, whatever its model: one queue, primary work first; siblings that wait together are scored in one
// call; a step that was scored under the same parent is not scored again; a server that fails is left alone for a while and
// its work goes to another. Every request is answered exactly once, by a reward from 0 to 1 or a fault.

import { type Fault, FaultError, fault } from '../../base/fault.ts';
import { Heap } from '../../base/heap.ts';
import { Random } from '../../base/random.ts';
import type { RequestId } from '../../engine/engine.ts';
import { attemptsAfter, mayRetry, retryDelayMs } from '../../remote/retry.ts';
import { liveTimers, type Timers } from '../../remote/timers.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import { RewardCache } from '../prm/reward-cache.ts';
import type { ScoredPath, Scorer, ScoringServer } from '../scorer.ts';
import type {
  ScoreRequest,
  ScoreUsage,
  Verifier,
  VerifierCapabilities,
  VerifierLoad,
  VerifierMessage,
} from '../verifier.ts';
import { ScoringReplica } from './scoring-replica.ts';

export interface RemoteVerifierOptions {
  /** Another than the reward model's own; the negative exit obeys it. */
  readonly aggregation?: Aggregation;
  /** Calls in flight per server: pooling models run few at a time, and what waits here can still be batched. */
  readonly calls?: number;
  /** Paths in one call. */
  readonly batch?: number;
  readonly attempts?: number;
  readonly timeoutMs?: number;
  /** How long a step waits in all for a server to come back. */
  readonly patienceMs?: number;
  readonly timers?: Timers;
  readonly seed?: number;
}

export const verifierDefaults = { calls: 4, batch: 16, attempts: 4, timeoutMs: 60_000, patienceMs: 600_000, seed: 1 };

interface PendingScore {
  readonly request: ScoreRequest;
  readonly order: number;
  readonly sinceMs: number;
  attempts: number;
  answered: boolean;
  call: ScoringCall | undefined;
}

/** One HTTP call, closed when nobody waits for it any more. */
interface ScoringCall {
  readonly abort: AbortController;
  awaited: number;
}

const nothing: ScoreUsage = { computedTokens: 0, cachedTokens: 0 };

export class RemoteVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #scorer: Scorer;
  readonly #replicas: readonly ScoringReplica[];
  readonly #options: RemoteVerifierOptions & typeof verifierDefaults;
  readonly #timers: Timers;
  readonly #chance: Random;
  readonly #entries = new Map<RequestId, PendingScore>();
  readonly #waiting = new Heap<PendingScore>(before);
  /** Waiting entries by parent: those are siblings. */
  readonly #siblings = new Map<string, Set<PendingScore>>();
  readonly #cache = new RewardCache();
  #post: (message: VerifierMessage) => void = () => {};
  #order = 0;
  #closed = false;

  constructor(scorer: Scorer, servers: readonly ScoringServer[], options: RemoteVerifierOptions = {}) {
    this.#scorer = scorer;
    this.#options = { ...verifierDefaults, ...options };
    this.#timers = options.timers ?? liveTimers;
    this.#chance = new Random('remote-verifier', this.#options.seed);
    this.#replicas = servers.map((server) => new ScoringReplica(server, this.#timers.nowMs()));
    const aggregation = options.aggregation ?? scorer.aggregation;
    this.capabilities = { name: scorer.name, aggregation, reusesPrefix: scorer.reusesPrefix };
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      this.#order += 1;
      const entry: PendingScore = {
        request,
        order: this.#order,
        sinceMs: this.#timers.nowMs(),
        attempts: 0,
        answered: false,
        call: undefined,
      };
      this.#entries.set(request.id, entry);
      const known = this.#cache.get(request);
      if (known === undefined) this.#wait(entry);
      else this.#answer(entry, { type: 'score', request: request.id, reward: known, usage: nothing });
    }
    this.#pump();
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      this.#fault(entry, fault('cancelled', 'the request was cancelled'));
      this.#siblings.get(parentOf(entry))?.delete(entry);
      const { call } = entry;
      if (call === undefined) continue;
      call.awaited -= 1;
      if (call.awaited === 0) call.abort.abort();
    }
  }

  release(search: string): void {
    this.#cache.release(search);
  }

  load(): VerifierLoad {
    const running = this.#replicas.reduce((sum, each) => sum + each.paths, 0);
    const healthy = this.#replicas.some((each) => each.breaker.state !== 'open');
    const waiting = this.#entries.size - running;
    return healthy ? { waiting, healthy } : { waiting, healthy, trouble: `no verifier is up: ${this.#outage()}` };
  }

  async close(): Promise<void> {
    this.cancel([...this.#entries.keys()]);
    this.#closed = true;
    for (const { server } of this.#replicas) server.connection.close();
  }

  #wait(entry: PendingScore): void {
    entry.call = undefined;
    this.#post({ type: 'held', request: entry.request.id });
    const parent = parentOf(entry);
    const siblings = this.#siblings.get(parent) ?? new Set();
    siblings.add(entry);
    this.#siblings.set(parent, siblings);
    this.#waiting.push(entry);
  }

  #pump(): void {
    for (;;) {
      const first = this.#front();
      const replica = first === undefined || this.#closed ? undefined : this.#free();
      if (first === undefined || replica === undefined) return;
      void this.#run(replica, this.#take(first));
    }
  }

  /** The next entry that still waits; those taken with a sibling or cancelled are passed over. */
  #front(): PendingScore | undefined {
    for (let first = this.#waiting.peek(); first !== undefined; first = this.#waiting.peek()) {
      if (this.#siblings.get(parentOf(first))?.has(first) === true) return first;
      this.#waiting.pop();
    }
    return undefined;
  }

  /** The entry with its waiting siblings, in the order of their arrival. */
  #take(first: PendingScore): PendingScore[] {
    const parent = parentOf(first);
    const siblings = this.#siblings.get(parent)!;
    const batch = [first, ...[...siblings].filter((each) => each !== first)].slice(0, this.#options.batch);
    for (const entry of batch) siblings.delete(entry);
    if (siblings.size === 0) this.#siblings.delete(parent);
    return batch;
  }

  #free(): ScoringReplica | undefined {
    return this.#replicas
      .filter((each) => each.mayStart(this.#options.calls))
      .toSorted((a, b) => a.calls - b.calls)
      .at(0);
  }

  async #run(replica: ScoringReplica, batch: readonly PendingScore[]): Promise<void> {
    const call: ScoringCall = { abort: new AbortController(), awaited: batch.length };
    for (const entry of batch) {
      entry.call = call;
      this.#post({ type: 'taken', request: entry.request.id });
    }
    const distinct = new Map(batch.map((entry) => [entry.request.step.text, entry.request]));
    replica.begin(batch.length);
    try {
      const scored = await this.#scorer.score([...distinct.values()].map(pathOf), replica.server, call.abort.signal);
      replica.breaker.succeeded(this.#timers.nowMs());
      const share = (tokens: number): number => Math.round(tokens / distinct.size);
      const usage = { computedTokens: share(scored.computedTokens), cachedTokens: share(scored.cachedTokens) };
      const rewards = new Map([...distinct.keys()].map((text, at) => [text, scored.rewards[at]!]));
      for (const entry of batch) this.#reward(entry, rewards.get(entry.request.step.text)!, usage, replica);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      this.#failed(replica, batch, error.fault);
    } finally {
      replica.end(batch.length);
      this.#pump();
    }
  }

  #reward(entry: PendingScore, reward: number, usage: ScoreUsage, replica: ScoringReplica): void {
    if (!(reward >= 0 && reward <= 1)) {
      const { url } = replica.server.connection;
      const message = `${url} (${this.#scorer.name}) gave ${reward}; a reward is a number from 0 to 1, so check the model`;
      this.#fault(entry, fault('bad-reward', message));
      return;
    }
    this.#cache.set(entry.request, reward);
    this.#answer(entry, { type: 'score', request: entry.request.id, reward, usage });
  }

  #failed(replica: ScoringReplica, batch: readonly PendingScore[], reason: Fault): void {
    const nowMs = this.#timers.nowMs();
    if (replica.failed(reason, nowMs, this.#chance.uniform())) this.#probeLater(replica);
    const again = batch.filter((entry) => {
      entry.attempts = attemptsAfter(entry.attempts, reason);
      if (mayRetry(reason, entry, this.#options, nowMs)) return !entry.answered;
      this.#fault(entry, reason);
      return false;
    });
    if (again.length === 0) return;
    for (const { request } of again) this.#post({ type: 'held', request: request.id });
    const elsewhere = this.#replicas.some((each) => each !== replica && each.breaker.state !== 'open');
    const delayMs = elsewhere ? 0 : retryDelayMs(again[0]!.attempts, this.#chance.uniform());
    this.#timers.after(delayMs, () => {
      for (const entry of again) if (!entry.answered) this.#wait(entry);
      this.#pump();
      this.#giveUp();
    });
  }

  /** While no server is up, what has waited too long is told so. */
  #giveUp(): void {
    if (this.load().healthy) return;
    const nowMs = this.#timers.nowMs();
    for (const entry of [...this.#entries.values()]) {
      if (nowMs - entry.sinceMs < this.#options.patienceMs) continue;
      this.#siblings.get(parentOf(entry))?.delete(entry);
      this.#fault(
        entry,
        fault('unavailable', `no verifier answered for ${this.#options.patienceMs} ms (patienceMs): ${this.#outage()}`),
      );
    }
  }

  #outage(): string {
    return this.#replicas.map((each) => each.breaker.reason ?? `${each.server.connection.url} is up`).join('; ');
  }

  #probeLater(replica: ScoringReplica): void {
    this.#timers.after(Math.max(0, replica.breaker.probeAtMs - this.#timers.nowMs()), () => {
      if (this.#closed) return;
      void replica.probe(this.#timers, this.#chance.uniform()).then((up) => {
        if (!up) this.#probeLater(replica);
        this.#pump();
        this.#giveUp();
      });
    });
  }

  #fault(entry: PendingScore, reason: Fault): void {
    this.#answer(entry, { type: 'fault', request: entry.request.id, fault: reason });
  }

  #answer(entry: PendingScore, message: VerifierMessage): void {
    if (entry.answered) return;
    entry.answered = true;
    this.#entries.delete(entry.request.id);
    this.#post(message);
  }
}

function before(a: PendingScore, b: PendingScore): boolean {
  const [first, second] = [a.request, b.request];
  if (first.lane !== second.lane) return first.lane === 'primary';
  return first.priority !== second.priority ? first.priority > second.priority : a.order < b.order;
}

function parentOf({ request }: PendingScore): string {
  return `${request.search}\n${request.parent}`;
}

function pathOf({ prompt, path, step }: ScoreRequest): ScoredPath {
  return { prompt, steps: [...path.map((each) => each.step.text.trim()), step.text.trim()] };
}
