// Connections that a limit has closed: counted one by one for the metrics, and told in the log once a minute for each limit,
// however many there are.

import type { FixedLimits } from './fixed-limits.ts';

export const connectionLimits = ['room', 'unread', 'pipelined', 'bodies'] as const;
export type ConnectionLimit = (typeof connectionLimits)[number];

export interface ToldCuts {
  readonly limit: ConnectionLimit;
  /** Since they were last told. */
  readonly closed: number;
  readonly message: string;
}

const tellEveryMs = 60_000;

export class ConnectionCuts {
  readonly #limits: FixedLimits;
  readonly #warn: (cuts: ToldCuts) => void;
  readonly #cuts = new Map<ConnectionLimit, { total: number; told: number; toldMs: number }>();

  constructor(limits: FixedLimits, warn: (cuts: ToldCuts) => void) {
    this.#limits = limits;
    this.#warn = warn;
    for (const limit of connectionLimits) this.#cuts.set(limit, { total: 0, told: 0, toldMs: -tellEveryMs });
  }

  /** Since the start. */
  total(limit: ConnectionLimit): number {
    return this.#cuts.get(limit)!.total;
  }

  count(limit: ConnectionLimit): void {
    this.#cuts.get(limit)!.total += 1;
  }

  tell(nowMs: number): void {
    for (const [limit, cuts] of this.#cuts) {
      if (cuts.total === cuts.told || nowMs - cuts.toldMs < tellEveryMs) continue;
      this.#warn({ limit, closed: cuts.total - cuts.told, message: this.#reason(limit) });
      cuts.told = cuts.total;
      cuts.toldMs = nowMs;
    }
  }

  #reason(limit: ConnectionLimit): string {
    const { streams, shortConnections, unreadMs, pipelined, bodiesBytes } = this.#limits;
    switch (limit) {
      case 'room':
        return `${streams + shortConnections} are open, the limit`;
      case 'unread':
        return `nothing of their answers was read for ${unreadMs} ms`;
      case 'pipelined':
        return `more than ${pipelined} requests waited behind one that was not answered`;
      case 'bodies':
        return `bodies that were not sent to their end held more than ${bodiesBytes} bytes`;
    }
  }
}
