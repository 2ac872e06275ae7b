// Prints messages about opened servers while a command works: only those that change its answers.

import type { OpeningLog } from '@coppice/core/config';

export const openingLog: OpeningLog = {
  info: () => {},
  warn(event, fields) {
    if (event !== 'embedder-down') return;
    console.error(`warning: ${fields?.reason}; open answers are compared by their words until it is back`);
  },
};
