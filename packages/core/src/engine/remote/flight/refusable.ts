// Fields of a request that some servers refuse and that steps can do without. What was refused is remembered per replica
// until it is inspected again, so that one refusal costs one call.

import type { Fault } from '../../../base/fault.ts';
import type { Call } from '../dialect/dialect.ts';

/** `n`: siblings in one request; `logprobs`: log probabilities; `steps`: thinking in steps, of a server that sends it in a field of its own. */
export type Refusable = 'n' | 'logprobs' | 'steps';

/** What an attempt says that meets such a field where it was asked for a step. */
export const thinksApart = 'thinking in a field of its own, which cannot be continued';

/** What to leave out after a refusal; nothing where leaving out cannot mend it. */
export function blamedFor(reason: Fault, call: Call): Refusable | undefined {
  if (reason.code !== 'refused' && reason.code !== 'unsupported') return undefined;
  if (call.whole !== true && reason.message.includes(thinksApart)) return 'steps';
  if ((call.logprobs || call.confidence) && /logprob/i.test(reason.message)) return 'logprobs';
  if (call.siblings > 1 && /\bn\b|sibling|sequences? per request|best_of/i.test(reason.message)) return 'n';
  return undefined;
}

export function refusalText(what: Refusable): string {
  if (what === 'steps') return 'sends thinking in a field of its own: a path that thinks comes in one piece';
  return what === 'n'
    ? 'refuses n: siblings go as single requests'
    : 'refuses logprobs: steps come without log probabilities';
}
