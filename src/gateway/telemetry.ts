// Traces by OpenTelemetry's conventions for generative AI, when an endpoint is configured.

import type { Exchange } from './exchange.ts';
import type { Ended, LiveSearch } from './live-search.ts';

export interface Telemetry {
  trace(exchange: Exchange, route: string, run: () => Promise<void>): Promise<void>;
  ended(search: LiveSearch, ended: Ended): void;
  close(): Promise<void>;
}

export const noTelemetry: Telemetry = {
  trace: (_exchange, _route, run) => run(),
  ended: () => {},
  close: async () => {},
};
