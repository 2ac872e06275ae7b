// The overview frames of the last minutes, read once for the whole page, so that the charts go on while a search is open.

import type { OverviewJson } from '../../../src/gateway/wire/overview-json.ts';
import { follow } from '../api/client.ts';

const mostFrames = 600;

export class OverviewFeed {
  readonly frames: OverviewJson[] = [];
  readonly #onState: (state: true | Error) => void;
  readonly #listeners = new Set<() => void>();

  constructor(onState: (state: true | Error) => void) {
    this.#onState = onState;
  }

  get last(): OverviewJson | undefined {
    return this.frames.at(-1);
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
        for (const { event, data } of messages) {
          if (event === 'overview') this.#add(JSON.parse(data) as OverviewJson);
        }
        for (const listener of this.#listeners) listener();
      },
    });
  }

  #add(frame: OverviewJson): void {
    this.frames.push(frame);
    if (this.frames.length > mostFrames) this.frames.shift();
  }
}
