// A verifier behind HTTP, primary work first. What waits together shares a call; no step is scored twice under one parent. A search stays with
// the server that has its paths in a prefix cache; a failing server rests and its work goes elsewhere. Every request is answered exactly once.

import { liveTimers, type Timers } from '../../base/clock.ts';
import { type Fault, fault } from '../../base/fault.ts';
import { Random } from '../../base/random.ts';
import type { RequestId, Urgency } from '../../engine/engine.ts';
import { faultOf } from '../../remote/failure.ts';
import { attemptsAfter, mayRetry, retryDelayMs } from '../../remote/retry.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import type { ScoredPath, Scorer, ScoringServer } from '../scorer.ts';
import {
  freeScore,
  type Judgement,
  noUsage,
  type ScoreRequest,
  type ScoreUsage,
  type Verifier,
  type VerifierCapabilities,
  type VerifierLoad,
  type VerifierMessage,
} from '../verifier.ts';
import { PathSize } from './path-size.ts';
import { type ScoreEntry, ScoreQueue, type ScoringCall, type Work } from './score-queue.ts';
import { ScoringReplica } from './scoring-replica.ts';

export interface RemoteVerifierOptions {
  readonly aggregation?: Aggregation;
  /** Per server; 16 by default. */
  readonly calls?: number;
  readonly timers?: Timers;
  readonly seed?: number;
}

const defaultCalls = 16;
const batch = 64;
/** Tokens that one pass of the server computes (vLLM's --max-num-batched-tokens). */
const passTokens = 16_384;
const patienceMs = 600_000;
const retries = { attempts: 4, patienceMs };

/** The first pass is computed while the next waits. */
const passesInFlight = 2;
const smoothing = 0.05;

export class RemoteVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #scorer: Scorer;
  readonly #replicas: readonly ScoringReplica[];
  readonly #timers: Timers;
  readonly #chance: Random;
  readonly #entries = new Map<RequestId, ScoreEntry>();
  readonly #homes = new Map<string, ScoringReplica>();
  readonly #cache = new RewardCache();
  readonly #size: PathSize;
  #post: (message: VerifierMessage) => void = () => {};
  #scoreMs: number | undefined;
  #closed = false;

  constructor(scorer: Scorer, servers: readonly ScoringServer[], options: RemoteVerifierOptions = {}) {
    this.#scorer = scorer;
    this.#timers = options.timers ?? liveTimers;
    this.#chance = new Random('remote-verifier', options.seed ?? 1);
    const shared = new ScoreQueue();
    this.#replicas = servers.map((server) => {
      const calls = options.calls ?? scorer.callsLimit?.(server.facts) ?? defaultCalls;
      const queue = scorer.reusesPrefix ? new ScoreQueue() : shared;
      return new ScoringReplica(server, queue, calls, this.#timers.nowMs());
    });
    this.#size = new PathSize(scorer.reusesPrefix);
    const aggregation = options.aggregation ?? scorer.aggregation;
    const { name, reusesPrefix, looksAhead = false } = scorer;
    this.capabilities = { name, aggregation, reusesPrefix, looksAhead };
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    const sinceMs = this.#timers.nowMs();
    for (const request of requests) {
      const { lane, priority } = request;
      const { queue } = this.#homeOf(request.search);
      const entry: ScoreEntry = { request, queue, urgency: { lane, priority }, sinceMs, answered: false };
      this.#entries.set(request.id, entry);
      const known = this.#cache.get(request);
      if (known === undefined) this.#enqueue(entry);
      else this.#answer(entry, freeScore(request.id, known));
    }
    this.#pump();
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) {
      const entry = this.#entries.get(id);
      if (entry !== undefined) this.#giveUpOn(entry, fault('cancelled', 'the request was cancelled'));
    }
    this.#pump();
  }

  update(request: RequestId, urgency: Urgency): void {
    const entry = this.#entries.get(request);
    if (entry === undefined) return;
    entry.urgency = urgency;
    entry.queue.update(entry);
  }

  release(search: string): void {
    this.#cache.release(search);
    const home = this.#homes.get(search);
    if (home !== undefined) home.homes -= 1;
    this.#homes.delete(search);
  }

  load(): VerifierLoad {
    const running = this.#replicas.reduce((sum, each) => sum + each.paths, 0);
    const healthy = this.#replicas.some((each) => each.breaker.state !== 'open');
    const waiting = Math.max(0, this.#entries.size - running);
    const scoreMs = this.#scoreMs === undefined ? {} : { scoreMs: this.#scoreMs };
    const trouble = healthy ? {} : { trouble: `no verifier is up: ${this.#outage()}` };
    return { waiting, running, ...scoreMs, healthy, ...trouble };
  }

  async close(): Promise<void> {
    this.cancel([...this.#entries.keys()]);
    this.#closed = true;
    for (const { server } of this.#replicas) server.connection.close();
  }

  #enqueue(entry: ScoreEntry): void {
    const { request, queue } = entry;
    queue.add(entry);
    // Another search may have asked for the same step.
    const taken = queue.workOf(entry)?.call !== undefined;
    this.#post({ type: taken ? 'taken' : 'held', request: request.id });
  }

  /** An outage moves a search; it does not come back, since its paths are then read elsewhere. */
  #homeOf(search: string): ScoringReplica {
    const home = this.#homes.get(search);
    if (home !== undefined && home.breaker.state !== 'open') return home;
    const up = this.#replicas.filter(({ breaker }) => breaker.state !== 'open');
    const [next] = (up.length > 0 ? up : this.#replicas).toSorted((a, b) => a.homes - b.homes || a.tokens - b.tokens);
    if (home !== undefined) home.homes -= 1;
    next!.homes += 1;
    this.#homes.set(search, next!);
    return next!;
  }

  #pump(): void {
    for (let next = this.#nextCall(); next !== undefined && !this.#closed; next = this.#nextCall()) {
      const { replica, queue } = next;
      const mixes = this.#scorer.mixes(replica.server.facts);
      const paths = Math.min(batch, this.#scorer.pathsLimit ?? batch);
      const limits = { mixes, joins: this.capabilities.looksAhead === true, paths, tokens: passTokens };
      const taken = queue.take(limits, (request) => this.#size.tokens(request));
      void this.#run(replica, taken);
    }
  }

  /** The least loaded server takes its own work. An idle one takes what waits for a full one, any one what waits for one that is out. */
  #nextCall(): { replica: ScoringReplica; queue: ScoreQueue } | undefined {
    const free = this.#replicas
      .filter((each) => each.mayStart(passesInFlight * passTokens))
      .sort((a, b) => a.tokens - b.tokens || a.calls - b.calls);
    const own = free.find(({ queue }) => !queue.isEmpty);
    if (own !== undefined) return { replica: own, queue: own.queue };
    for (const { queue, breaker } of this.#replicas) {
      const helper = queue.isEmpty ? undefined : free.find(({ calls }) => calls === 0 || breaker.state === 'open');
      if (helper !== undefined) return { replica: helper, queue };
    }
    return undefined;
  }

  async #run(replica: ScoringReplica, paths: readonly (readonly Work[])[]): Promise<void> {
    const works = paths.flat();
    const call: ScoringCall = { abort: new AbortController(), works };
    for (const work of works) {
      work.call = call;
      for (const { request } of work.entries) this.#post({ type: 'taken', request: request.id });
    }
    const longest = paths.map((path) => path.at(-1)!.request);
    const tokens = longest.reduce((sum, each) => sum + this.#size.tokens(each), 0);
    replica.begin(works.length, tokens);
    try {
      const asked = longest.map(({ prompt, path, step }, at): ScoredPath => {
        const steps = [...path.map((each) => each.step), step].map(({ text }) => text.trim());
        return { prompt, wanted: paths[at]!.length, steps };
      });
      const scored = await this.#scorer.score(asked, replica.server, call.abort.signal);
      replica.breaker.succeeded(this.#timers.nowMs());
      this.#size.observe(longest, scored.computedTokens);
      const share = (all: number): number => Math.round(all / works.length);
      const usage = { computedTokens: share(scored.computedTokens), cachedTokens: share(scored.cachedTokens) };
      const judged = scored.rewards.flatMap((reward, at) => [
        ...(scored.before?.[at] ?? []).map((before) => ({ reward: before })),
        { reward, ...(scored.feedback?.[at] !== undefined && { feedback: scored.feedback[at] }) },
      ]);
      works.forEach((work, at) => {
        this.#reward(work, judged[at]!, usage, replica);
      });
    } catch (error) {
      this.#failed(replica, works, faultOf(error));
    } finally {
      replica.end(works.length, tokens);
      this.#pump();
    }
  }

  #reward(work: Work, judged: Judgement, usage: ScoreUsage, replica: ScoringReplica): void {
    const { reward } = judged;
    const { url } = replica.server.connection;
    const bad = `${url} (${this.#scorer.name}) gave ${reward}; a reward is a number from 0 to 1, so check the model`;
    if (!(reward >= 0 && reward <= 1)) return this.#refuse(work, fault('bad-reward', bad));
    work.queue.finish(work);
    this.#cache.set(work.request, judged);
    [...work.entries].forEach((entry, at) => {
      const ms = this.#timers.nowMs() - entry.sinceMs;
      this.#scoreMs = this.#scoreMs === undefined ? ms : this.#scoreMs + (ms - this.#scoreMs) * smoothing;
      const { id } = entry.request;
      this.#answer(entry, { type: 'score', request: id, ...judged, usage: at === 0 ? usage : noUsage });
    });
  }

  #refuse(work: Work, reason: Fault): void {
    work.queue.finish(work);
    for (const entry of work.entries) this.#fault(entry, reason);
  }

  #failed(replica: ScoringReplica, works: readonly Work[], reason: Fault): void {
    const nowMs = this.#timers.nowMs();
    if (replica.failed(reason, nowMs, this.#chance.uniform())) this.#probeLater(replica);
    const again = works.filter((work) => {
      work.attempts = attemptsAfter(work.attempts, reason);
      if (mayRetry(reason, work, retries, nowMs)) return work.entries.size > 0;
      // Each path is tried once more by itself, since one bad path fails a whole call.
      work.alone = works.length > 1;
      if (!work.alone) this.#refuse(work, reason);
      return work.alone && work.entries.size > 0;
    });
    if (again.length === 0) return;
    for (const work of again) work.call = undefined;
    for (const { request } of again.flatMap(({ entries }) => [...entries]))
      this.#post({ type: 'held', request: request.id });
    const other = this.#replicas.find((each) => each !== replica && each.breaker.state !== 'open');
    const goesOn = other !== undefined && reason.code !== 'overloaded';
    const delayMs = goesOn ? 0 : retryDelayMs(again[0]!.attempts, this.#chance.uniform());
    this.#timers.after(delayMs, () => {
      for (const work of again) (other?.queue ?? work.queue).adopt(work);
      this.#pump();
      this.#giveUp();
    });
  }

  #giveUp(): void {
    if (this.load().healthy) return;
    const nowMs = this.#timers.nowMs();
    const waited = `no verifier answered for ${patienceMs} ms (patienceMs): ${this.#outage()}`;
    for (const entry of [...this.#entries.values()]) {
      if (nowMs - entry.sinceMs >= patienceMs) this.#giveUpOn(entry, fault('unavailable', waited));
    }
  }

  #giveUpOn(entry: ScoreEntry, reason: Fault): void {
    const call = entry.queue.forget(entry)?.call;
    this.#fault(entry, reason);
    if (call?.works.every(({ entries }) => entries.size === 0) === true) call.abort.abort();
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

  #fault(entry: ScoreEntry, reason: Fault): void {
    this.#answer(entry, { type: 'fault', request: entry.request.id, fault: reason });
  }

  #answer(entry: ScoreEntry, message: VerifierMessage): void {
    if (entry.answered) return;
    entry.answered = true;
    this.#entries.delete(entry.request.id);
    this.#post(message);
  }
}

/** Known rewards by search, parent and the step's text. */
class RewardCache {
  /** A bare text is hashed once in its life, one joined to a key at every look. */
  readonly #bySearch = new Map<string, Map<number, Map<string, Judgement>>>();

  get({ search, parent, step }: ScoreRequest): Judgement | undefined {
    return this.#bySearch.get(search)?.get(parent)?.get(step.text);
  }

  set({ search, parent, step }: ScoreRequest, judgement: Judgement): void {
    const parents = this.#bySearch.get(search) ?? new Map<number, Map<string, Judgement>>();
    const known = parents.get(parent) ?? new Map<string, Judgement>();
    known.set(step.text, judgement);
    parents.set(parent, known);
    this.#bySearch.set(search, parents);
  }

  release(search: string): void {
    this.#bySearch.delete(search);
  }
}
