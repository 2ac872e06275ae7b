// What the clients of a storm saw, as they saw it: what they asked for and what became of it, and everything that any of them was
// told of the end of a search. It judges nothing.

export type Fate =
  /** Told that it is kept, and will be done. */
  | 'acknowledged'
  /** Given its answer. */
  | 'answered'
  /** Told in so many words that nothing will come of it. */
  | 'refused'
  /** The connection ended: its client cannot know. */
  | 'unknown';

export interface Asked {
  readonly kind: string;
  fate: Fate;
  /** It may end as cancelled, since a client wished it. */
  mayBeCancelled: boolean;
  /** What a refusal said. */
  why?: string;
}

/** What was said of the end of a search, by field; what a teller does not say is missing. */
export interface ToldEnd {
  readonly state?: string;
  readonly content?: string | null;
  readonly answer?: string | null;
  /** Tokens of prompt, completion and both. */
  readonly usage?: readonly number[];
  readonly exit?: unknown;
}

/** By field, by value, the first who said so. */
type Said = Map<string, Map<string, string>>;

export class StormRecord {
  /** By the seed of the request, which names it: each try has its own, unless an idempotency key makes it the same search. */
  readonly asked = new Map<number, Asked>();
  readonly said = new Map<string, Said>();
  /** Logs that were followed to their ends: how many entries, by search. */
  readonly logs = new Map<string, number>();
  readonly problems: { readonly kind: 'broken' | 'truncated' | 'stuck' | 'lost' | 'two results'; what: string }[] = [];
  readonly requests = new Map<string, Map<string, number>>();
  told = 0;
  #seeds: number;

  constructor(firstSeed: number) {
    this.#seeds = firstSeed;
  }

  /** A new request; until more is known, its client cannot know. */
  ask(kind: string): number {
    this.#seeds += 1;
    this.asked.set(this.#seeds, { kind, fate: 'unknown', mayBeCancelled: false });
    return this.#seeds;
  }

  settle(seed: number, fate: Fate, why?: string): void {
    const asked = this.asked.get(seed)!;
    asked.fate = fate;
    if (why !== undefined) asked.why = why;
    this.count(asked.kind, fate);
  }

  count(kind: string, what: string): void {
    const counts = this.requests.get(kind) ?? new Map<string, number>();
    this.requests.set(kind, counts.set(what, (counts.get(what) ?? 0) + 1));
  }

  tell(id: string, by: string, end: ToldEnd): void {
    this.told += 1;
    const said = this.said.get(id) ?? new Map<string, Map<string, string>>();
    this.said.set(id, said);
    for (const [field, value] of Object.entries(end)) {
      const values = said.get(field) ?? new Map<string, string>();
      said.set(field, values);
      const text = JSON.stringify(value ?? null);
      if (!values.has(text)) values.set(text, by);
    }
  }

  problem(kind: StormRecord['problems'][number]['kind'], what: string): void {
    this.problems.push({ kind, what });
  }
}
