// `GET /v1/history`: what has ended, over a range of time. A key sees the figures of its own searches; an admin key those of all.

import { z } from 'zod';
import { readQuery } from '../http/checked-input.ts';
import { type Exchange, writeJson } from '../http/exchange.ts';
import { History } from '../observe/overview/history.ts';
import { historyJson } from '../wire/history-json.ts';
import type { GatewayContext } from './context.ts';

export const historyQuery = z.object({ range: historyJson.shape.range.default('1h') });

export class HistoryApi {
  readonly #history: History;

  constructor({ journal, clock }: GatewayContext) {
    this.#history = new History(journal, clock);
  }

  async read({ response, query, caller }: Exchange): Promise<void> {
    const { range } = readQuery(historyQuery, query);
    writeJson(response, 200, await this.#history.read(range, caller.admin ? undefined : caller.name));
  }
}
