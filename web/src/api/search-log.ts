// The log of one search, read into a list from its beginning, and on from where the connection broke, until it ends.

import type { LoggedEvent } from '../../../src/log/events.ts';
import { follow, type StreamOptions } from './client.ts';

export interface LogFollowing extends Pick<StreamOptions, 'signal' | 'onState'> {
  readonly id: string;
  /** Grows as events come. */
  readonly log: LoggedEvent[];
  readonly onGrown: () => void;
}

export function followLog({ id, log, signal, onState, onGrown }: LogFollowing): Promise<void> {
  return follow({
    path: `v1/searches/${encodeURIComponent(id)}/events`,
    signal,
    lastId: () => log.at(-1)?.sequence.toString(),
    onState,
    onMessages: (messages) => {
      for (const { event, data } of messages) if (event === 'entry') log.push(JSON.parse(data) as LoggedEvent);
      onGrown();
    },
  });
}
