// Who starts next. A bounded queue in front of the budget: higher priority first, with ageing so that nobody starves;
// among equals the API key that has had the least for its share (weighted fair queueing: a key's account advances by
// width over share with every start). Decides only; holds no search, timer or clock of its own.

import { ApiError } from '../http/api-error.ts';

export interface Ticket {
  readonly id: string;
  readonly model: string;
  readonly owner: string;
  /** Weight of the owner's key. */
  readonly share: number;
  readonly priority: number;
  /** Strands it has open when nobody boosts it. */
  readonly width: number;
  readonly arrivalMs: number;
}

export interface AdmissionOptions {
  /** Searches that may wait, over all models. */
  readonly queue: number;
  /** Strands per model. */
  readonly budgets: ReadonlyMap<string, number>;
}

interface Lane {
  readonly owner: string;
  readonly priority: number;
  readonly tickets: Map<string, Ticket>;
}

interface Stand {
  readonly budget: number;
  used: number;
  readonly lanes: Map<string, Lane>;
  /** Virtual time per owner: strands started over share. */
  readonly accounts: Map<string, number>;
}

/** A waiting search gains one unit of priority a minute, as the schedulers age (policy option ageingSeconds). */
const ageingMs = 60_000;
const rateWindowMs = 30_000;

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #stands = new Map<string, Stand>();
  readonly #waiting = new Map<string, Lane>();
  readonly #waitingByOwner = new Map<string, number>();
  readonly #running = new Map<string, Ticket>();
  /** Places held for searches that are being written down: id to owner. */
  readonly #reserved = new Map<string, string>();
  #endedAtMs: number[] = [];

  constructor(options: AdmissionOptions) {
    this.#options = options;
    for (const [model, budget] of options.budgets) {
      this.#stands.set(model, { budget, used: 0, lanes: new Map(), accounts: new Map() });
    }
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Holds a place while a search is being written down. Refuses with 429 when there is none; give it back once. */
  reserve(ticket: Ticket, ownerQueue: number, nowMs: number): () => void {
    const stand = this.#stand(ticket.model);
    const waiting = this.waiting + this.#reserved.size;
    const owned = (this.#waitingByOwner.get(ticket.owner) ?? 0) + this.#reservedBy(ticket.owner);
    if (waiting > 0 || !fits(stand, ticket)) {
      if (waiting >= this.#options.queue)
        throw this.#full('queue_full', `the queue is full: ${waiting} searches wait (admission.queue)`, nowMs);
      if (owned >= ownerQueue)
        throw this.#full('key_queue_full', `${owned} searches of this key wait, its limit (keys.queue)`, nowMs);
    }
    this.#reserved.set(ticket.id, ticket.owner);
    return () => {
      this.#reserved.delete(ticket.id);
    };
  }

  /** Never refuses: work that was reserved, resumed or handed over is owed. */
  enter(ticket: Ticket): void {
    const stand = this.#stand(ticket.model);
    this.#welcome(stand, ticket.owner);
    const name = JSON.stringify([ticket.owner, ticket.priority]);
    const lane = stand.lanes.get(name) ?? { owner: ticket.owner, priority: ticket.priority, tickets: new Map() };
    stand.lanes.set(name, lane);
    lane.tickets.set(ticket.id, ticket);
    this.#waiting.set(ticket.id, lane);
    this.#waitingByOwner.set(ticket.owner, (this.#waitingByOwner.get(ticket.owner) ?? 0) + 1);
  }

  /** The searches that start now, in this order. */
  start(nowMs: number): Ticket[] {
    const started: Ticket[] = [];
    for (const stand of this.#stands.values()) {
      for (let next = this.#next(stand, nowMs); next !== undefined; next = this.#next(stand, nowMs)) {
        if (!fits(stand, next)) break;
        this.#dequeue(stand, next);
        this.#charge(stand, next);
        stand.used += next.width;
        this.#running.set(next.id, next);
        started.push(next);
      }
    }
    return started;
  }

  /** It has ended, waiting or running. */
  leave(id: string, nowMs: number): void {
    const running = this.#running.get(id);
    if (running !== undefined) {
      this.#running.delete(id);
      this.#stand(running.model).used -= running.width;
      this.#endedAtMs.push(nowMs);
      if (this.#endedAtMs.length > 4096) this.#endedAtMs = this.#endedAtMs.slice(-2048);
      return;
    }
    const ticket = this.#waiting.get(id)?.tickets.get(id);
    if (ticket !== undefined) this.#dequeue(this.#stand(ticket.model), ticket);
  }

  /** From how fast searches have ended lately; 1 to 60 s. */
  retryAfterSeconds(nowMs: number): number {
    const recent = this.#endedAtMs.filter((endedMs) => nowMs - endedMs <= rateWindowMs);
    const sinceMs = Math.max(1000, nowMs - (recent[0] ?? nowMs - rateWindowMs));
    const perSecond = (recent.length * 1000) / sinceMs;
    const seconds = perSecond === 0 ? 10 : Math.ceil((this.waiting + 1) / perSecond);
    return Math.min(60, Math.max(1, seconds));
  }

  #full(code: 'queue_full' | 'key_queue_full', message: string, nowMs: number): ApiError {
    return new ApiError(code, message, { retryAfterSeconds: this.retryAfterSeconds(nowMs) });
  }

  #reservedBy(owner: string): number {
    let count = 0;
    for (const each of this.#reserved.values()) if (each === owner) count += 1;
    return count;
  }

  #next(stand: Stand, nowMs: number): Ticket | undefined {
    let best: Ticket | undefined;
    let bestRank = Number.NEGATIVE_INFINITY;
    let bestAccount = 0;
    for (const lane of stand.lanes.values()) {
      const head: Ticket = lane.tickets.values().next().value!;
      const rank = lane.priority + Math.floor((nowMs - head.arrivalMs) / ageingMs);
      const account = stand.accounts.get(lane.owner) ?? 0;
      const ahead = rank - bestRank || bestAccount - account || (best?.arrivalMs ?? 0) - head.arrivalMs;
      if (best !== undefined && ahead <= 0) continue;
      [best, bestRank, bestAccount] = [head, rank, account];
    }
    return best;
  }

  /** An owner that was away has not saved up: its account starts where the busy ones are. */
  #welcome(stand: Stand, owner: string): void {
    const busy = [...stand.lanes.values()].map((lane) => lane.owner);
    if (busy.includes(owner)) return;
    if (busy.length === 0) stand.accounts.clear();
    const floor = Math.min(...busy.map((each) => stand.accounts.get(each) ?? 0));
    if (busy.length > 0) stand.accounts.set(owner, Math.max(stand.accounts.get(owner) ?? 0, floor));
  }

  #charge(stand: Stand, { owner, width, share }: Ticket): void {
    stand.accounts.set(owner, (stand.accounts.get(owner) ?? 0) + width / share);
  }

  #dequeue(stand: Stand, ticket: Ticket): void {
    const lane = this.#waiting.get(ticket.id);
    if (lane === undefined) return;
    this.#waiting.delete(ticket.id);
    lane.tickets.delete(ticket.id);
    if (lane.tickets.size === 0) stand.lanes.delete(JSON.stringify([lane.owner, lane.priority]));
    const left = (this.#waitingByOwner.get(ticket.owner) ?? 1) - 1;
    if (left === 0) this.#waitingByOwner.delete(ticket.owner);
    else this.#waitingByOwner.set(ticket.owner, left);
  }

  #stand(model: string): Stand {
    const stand = this.#stands.get(model);
    if (stand === undefined) throw new ApiError('model_not_found', `there is no model '${model}'`, { param: 'model' });
    return stand;
  }
}

/** A search that is wider than the whole budget still runs, alone. */
function fits(stand: Stand, ticket: Ticket): boolean {
  return stand.used === 0 || stand.used + ticket.width <= stand.budget;
}
