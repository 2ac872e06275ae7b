// The exit of a program that can tell by itself that it is done, such as a chain whose probes agree: the program's own rule
// and evidence, and its own answer. Silent for all others.

import type { ExitRule } from './exit.ts';

export const concluded: ExitRule = {
  name: 'concluded',
  check(view) {
    const found = view.belief.conclusion?.();
    return found && { kind: 'certain', ...found };
  },
};
