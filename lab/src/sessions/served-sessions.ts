// One run of sessions: each turn waits in the production queue like a pass-through request; then one of two simulated GPUs, chosen by the
// production rules, writes it. Order and choice go by session or, for comparison, by request.

import { assert, hash } from '@coppice/core/base';
import { type GenerateRequest, replicaOf } from '@coppice/core/engine';
import { createScheduler } from '@coppice/core/policy';
import { Runtime } from '@coppice/core/runtime';
import { SimReplica, World } from '@coppice/sim/engine';
import { llama8b } from '../sim/measured-models.ts';
import { costOf, hardware, kvTokensOf } from '../sim/settings.ts';
import { type PlannedSession, sharedTokens } from './session-load.ts';

export interface SessionService {
  readonly order: 'request' | 'session';
  readonly replica: 'request' | 'session';
}

export interface ServedSessions {
  /** From the first turn's arrival to the last one's answer. */
  readonly tookMs: readonly number[];
  /** Of the second fifth of the turns and the third: neither fewer nor longer sessions than usual are open then. */
  readonly turnsPerSecond: number;
  /** Of the prompt tokens of later turns, and of those that their session had sent before, the shares found. */
  readonly foundOfAll: number;
  readonly foundOfSent: number;
}

const replicas = ['http://left', 'http://right'];
/** Strands of each GPU. */
const strands = 32;
const blockTokens = 64;

export function serveSessions(planned: readonly PlannedSession[], manner: SessionService): ServedSessions {
  return new SessionRun(planned, manner).run();
}

interface OpenTurn {
  readonly session: number;
  readonly turn: number;
  admittedMs: number;
  replica: number;
}

class SessionRun {
  readonly #planned: readonly PlannedSession[];
  readonly #manner: SessionService;
  readonly #world = new World();
  readonly #runtime: Runtime;
  readonly #gpus: readonly SimReplica[];
  readonly #inFlight = replicas.map(() => 0);
  readonly #open = new Map<number, OpenTurn>();
  readonly #seconds: number[];
  readonly #tookMs: number[] = [];
  readonly #endsMs: number[] = [];
  #next = 0;
  #isWoken = false;
  #found = { later: 0, sent: 0, cached: 0, cachedOfSent: 0 };

  constructor(planned: readonly PlannedSession[], manner: SessionService) {
    this.#planned = planned;
    this.#manner = manner;
    this.#seconds = planned.map(() => 0);
    const options = {
      cost: costOf(llama8b, undefined),
      sequenceLimit: hardware.sequenceLimit,
      kvTokens: kvTokensOf(llama8b),
      prefillTokens: 2048,
    };
    this.#gpus = replicas.map(
      () =>
        new SimReplica(this.#world, options, (answer) => {
          assert(answer.type === 'step', 'a turn fits its server');
          this.#answered(answer.request, answer.usage.cachedTokens);
        }),
    );
    const nothing = () => {};
    const { clock } = this.#world;
    this.#runtime = new Runtime({
      engine: {
        capabilities: {
          name: 'passed by',
          seeded: true,
          logprobs: true,
          streams: false,
          priorities: false,
          countsCache: true,
          contextTokens: undefined,
        },
        connect: nothing,
        generate: nothing,
        cancel: nothing,
        release: nothing,
        load: () => ({
          runningSequences: 0,
          waitingSequences: 0,
          sequenceLimit: undefined,
          stepMs: undefined,
          healthy: true,
        }),
        close: async () => {},
      },
      scheduler: createScheduler('safe'),
      budget: strands * replicas.length,
      clock,
      wake: () => {
        this.#isWoken = true;
      },
    });
  }

  run(): ServedSessions {
    for (const [session, { startMs }] of this.#planned.entries())
      this.#world.at(startMs, () => this.#arrive(session, 0));
    this.#world.run(() => this.#react());
    assert(this.#tookMs.length === this.#planned.length, 'every session ends');
    const { later, sent, cached, cachedOfSent } = this.#found;
    return {
      tookMs: this.#tookMs,
      turnsPerSecond: rateOf(this.#endsMs),
      foundOfAll: cached / later,
      foundOfSent: cachedOfSent / sent,
    };
  }

  #react(): void {
    do {
      this.#isWoken = false;
      this.#runtime.step();
    } while (this.#isWoken);
  }

  #arrive(session: number, turn: number): void {
    const { queue } = this.#runtime;
    const arrivalMs = this.#world.nowMs;
    this.#next += 1;
    const request = this.#next;
    const id = String(request);
    const known = { sinceMs: this.#planned[session]!.startMs, seconds: this.#seconds[session]! };
    const place = queue.take(id, {
      arrivalMs,
      priority: 0,
      seats: 1,
      ...(this.#manner.order === 'session' && { session: known }),
    });
    queue.enter({ id, turn: place, arrivalMs, onAdmitted: () => this.#begin(request, session, turn) });
  }

  #begin(request: number, session: number, turn: number): void {
    const replica = this.#replicaFor(session);
    const { promptTokens, answerTokens } = this.#planned[session]!.turns[turn]!;
    this.#open.set(request, { session, turn, admittedMs: this.#world.nowMs, replica });
    this.#inFlight[replica]! += 1;
    const asked = {
      id: request,
      search: String(request),
      parent: request,
      path: [],
      index: 0,
      maxTokens: answerTokens,
      lane: 'primary',
      priority: 0,
    } as unknown as GenerateRequest;
    const step = { text: `answer ${request}`, tokens: answerTokens, meanLogprob: 0, end: 'eos' } as const;
    this.#gpus[replica]!.enqueue(asked, step, promptTokens, {
      names: blocksOf(session, promptTokens),
      tokens: blockTokens,
    });
  }

  #replicaFor(session: number): number {
    const loads = replicas.map((_, at) => {
      const inFlight = this.#inFlight[at]!;
      return { usable: true, inFlight, waiting: 0, room: strands, homes: inFlight };
    });
    const least = this.#inFlight.indexOf(Math.min(...this.#inFlight));
    if (this.#manner.replica === 'request') return least;
    return replicaOf(hash('session', session).toString(16), replicas, loads) ?? least;
  }

  #answered(request: number, cachedTokens: number): void {
    const { session, turn, admittedMs, replica } = this.#open.get(request)!;
    this.#open.delete(request);
    this.#inFlight[replica]! -= 1;
    const nowMs = this.#world.nowMs;
    this.#endsMs.push(nowMs);
    this.#gpus[replica]!.release(String(request));
    this.#runtime.queue.dismiss(String(request), nowMs - admittedMs);
    this.#seconds[session]! += (nowMs - admittedMs) / 1000;
    const { startMs, turns } = this.#planned[session]!;
    const { promptTokens, toolMs } = turns[turn]!;
    if (turn > 0) {
      const sent = turns[turn - 1]!.promptTokens;
      this.#found.later += promptTokens;
      this.#found.sent += sent;
      this.#found.cached += cachedTokens;
      this.#found.cachedOfSent += Math.min(cachedTokens, sent);
    }
    if (turn + 1 < turns.length) this.#world.at(nowMs + toolMs, () => this.#arrive(session, turn + 1));
    else this.#tookMs.push(nowMs - startMs);
  }
}

export function rateOf(endsMs: readonly number[]): number {
  const [from, to] = [Math.floor(endsMs.length / 5), Math.floor((3 * endsMs.length) / 5)];
  return (1000 * (to - from)) / (endsMs[to]! - endsMs[from]!);
}

/** The first blocks are those of all sessions. */
function blocksOf(session: number, promptTokens: number): number[] {
  const shared = sharedTokens / blockTokens;
  return Array.from({ length: Math.ceil(promptTokens / blockTokens) }, (_, at) => (at < shared ? 0 : 1 + session));
}
