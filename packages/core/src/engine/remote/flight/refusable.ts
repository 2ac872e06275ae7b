// Request fields that some servers refuse and that steps can do without. Refusals are remembered per replica until its next inspection.

import type { Fault } from '../../../base/fault.ts';
import type { Call } from '../dialect/dialect.ts';

/** `n`: siblings in one request; `steps`: thinking in steps, by a server that sends it in a field of its own. */
export type Refusable = 'n' | 'logprobs' | 'steps';

export const thinksApart = 'thinking in a field of its own, which cannot be continued';

export function blamedFor(reason: Fault, call: Call): Refusable | undefined {
  if (reason.code !== 'refused' && reason.code !== 'unsupported') return undefined;
  if (call.whole !== true && reason.message.includes(thinksApart)) return 'steps';
  if (call.logprobs && /logprob/i.test(reason.message)) return 'logprobs';
  if (call.siblings > 1 && /\bn\b|sibling|sequences? per request|best_of|completion choice/i.test(reason.message))
    return 'n';
  return undefined;
}

export function refusalText(what: Refusable): string {
  if (what === 'steps') return 'sends thinking in a field of its own: a path that thinks comes in one piece';
  return what === 'n'
    ? 'refuses n: siblings go as single requests'
    : 'refuses logprobs: steps come without log probabilities';
}
