// Words for what a schema refuses: the value, then what it must be. Read after the name of the setting.
// Other issues keep the words of the library of schemas.

import type { z } from 'zod';
import { shown } from '../base/knob.ts';

type Issue = z.core.$ZodRawIssue;

/** For `safeParse(value, { error: issueWords })`; a field that has words of its own keeps them. */
export function issueWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `has no setting ${issue.keys.map((key) => `'${key.slice(0, 64)}'`).join(' or ')}`;
    case 'invalid_union':
      return kindWords(issue);
    case 'invalid_value':
      return mustBe(issue.input, `one of ${issue.values.join(', ')}`);
    case 'invalid_type':
      return mustBe(issue.input, typeWords[issue.expected] ?? `of type ${issue.expected}`);
    case 'too_small':
      return boundWords(issue, `at least ${issue.minimum}`, 'must be there');
    case 'too_big':
      return boundWords(issue, `at most ${issue.maximum}`, 'are allowed');
    default:
      return undefined;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function mustBe(value: unknown, what: string): string {
  return `is ${value === undefined ? 'missing' : shown(value)}; it must be ${what}`;
}

/** An object of several kinds: which one, is what its `kind` says. */
function kindWords({ input, discriminator, options }: Issue & { code: 'invalid_union' }): string | undefined {
  if (discriminator === undefined || !Array.isArray(options)) return undefined;
  const kind = (input as Readonly<Record<string, unknown>> | undefined)?.[discriminator];
  return mustBe(kind, `one of ${options.join(', ')}`);
}

function boundWords({ input }: Issue, bound: string, verb: string): string | undefined {
  if (typeof input === 'number') return mustBe(input, bound);
  if (Array.isArray(input)) return `has ${input.length} items; ${bound} ${verb}`;
  return typeof input === 'string' ? `has ${input.length} characters; ${bound} ${verb}` : undefined;
}
