// Reads the log of one search into a list until it ends; resumes after a broken connection.

import type { LoggedEvent } from '@coppice/core/log';
import { follow, type StreamOptions } from './client.ts';

export interface LogFollowing extends Pick<StreamOptions, 'signal' | 'onState'> {
  readonly id: string;
  readonly log: LoggedEvent[];
  readonly onGrown: () => void;
}

export function followLog({ id, log, signal, onState, onGrown }: LogFollowing): Promise<void> {
  // Only the last event of an entry has an id: a cut entry comes again.
  let lastId: string | undefined;
  let whole = 0;
  return follow({
    path: `v1/searches/${encodeURIComponent(id)}/events`,
    signal,
    lastId: () => {
      log.length = whole;
      return lastId;
    },
    onState,
    onMessages: (messages) => {
      for (const message of messages) {
        if (message.event !== 'entry') continue;
        log.push(JSON.parse(message.data) as LoggedEvent);
        if (message.id === undefined || message.id === lastId) continue;
        lastId = message.id;
        whole = log.length;
      }
      onGrown();
    },
  });
}
