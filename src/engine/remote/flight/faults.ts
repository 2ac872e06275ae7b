// Faults that the remote engine finds itself, with the value, the limit and the remedy.

import { type Fault, fault } from '../../../base/fault.ts';
import type { ServerFacts } from '../dialect/dialect.ts';

export function tried(reason: Fault, attempts: number): Fault {
  return { ...reason, message: `${reason.message} (tried ${attempts} times)` };
}

export function blank(url: string, rejections: number): Fault {
  return fault('bad-step', `${url} gave ${rejections} blank steps; change delimiters`);
}

export function tooLong(url: string, { contextTokens }: ServerFacts, tokens: number): Fault {
  return fault('too-long', `${tokens} tokens leave no room in the ${contextTokens} of ${url}; serve a longer context`);
}
