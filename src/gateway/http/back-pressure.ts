// Every answer of more than one piece waits here between its pieces until its reader has room, so that an answer of any length takes
// bounded memory and loses nothing. A reader that takes nothing for `unreadMs` is cut by connections.ts, which counts it and says so
// in the log.

import type { ServerResponse } from 'node:http';

/** Resolves when there is room for the next piece, or the reader is gone. */
export async function roomIn(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
