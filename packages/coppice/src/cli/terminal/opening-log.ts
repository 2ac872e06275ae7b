// What a command says while it works of the servers it opened: only what changes its answers. What was found at the opening
// itself stands in the warnings of the model.

import type { OpeningLog } from '@coppice/core/config';

export const openingLog: OpeningLog = {
  info: () => {},
  warn(event, fields) {
    if (event !== 'embedder-down') return;
    console.error(`warning: ${fields?.reason}; open answers are compared by their words until it is back`);
  },
};
