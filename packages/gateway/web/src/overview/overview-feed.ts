// Keeps the last overview frame and the history of the last 15 minutes, read once for the whole page. The server sends its history at each
// connection; the page continues it, so that the charts grow while a search is open.

import type { OverviewJson, SampleJson } from '../../../src/wire/overview-json.ts';
import { follow } from '../api/client.ts';
import type { ServerMessage } from '../api/server-events.ts';

const shownMs = 15 * 60_000;

export class OverviewFeed {
  last: OverviewJson | undefined;
  /** Oldest first. */
  samples: SampleJson[] = [];
  readonly #onState: (state: true | Error) => void;
  readonly #listeners = new Set<() => void>();

  constructor(onState: (state: true | Error) => void) {
    this.#onState = onState;
  }

  onFrame(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener));
  }

  async start(): Promise<void> {
    const { signal } = new AbortController();
    await follow({
      path: 'v1/overview/events',
      signal,
      onState: this.#onState,
      onMessages: (messages) => {
        for (const message of messages) this.#take(message);
        for (const listener of this.#listeners) listener();
      },
    });
  }

  #take({ event, data }: ServerMessage): void {
    if (event === 'history') this.samples = JSON.parse(data) as SampleJson[];
    if (event === 'overview') this.#add(JSON.parse(data) as OverviewJson);
  }

  #add(frame: OverviewJson): void {
    this.last = frame;
    const { at_ms, budget } = frame;
    this.samples.push({ at_ms, ...budget });
    while (this.samples[0]!.at_ms < at_ms - shownMs) this.samples.shift();
  }
}
