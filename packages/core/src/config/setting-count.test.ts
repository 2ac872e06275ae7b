// The number of questions that a configuration and a request put to a user is held: a setting that comes takes another out. What is in a
// package that is missing is refused in one line that says what to do.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { coppiceSettings } from '../../../gateway/src/dialects/chat-body.ts';
import { complaint } from '../base/knob.ts';
import { registeredSchema } from './load.ts';
import { namedParts } from './named-options.ts';
import { modelKnobs } from './vocabulary.ts';

/** Names of all settings; options under the name of a program or rule are theirs. */
function settingsIn(schema: z.ZodType, path = ''): string[] {
  const inner = schema as { unwrap?: () => z.ZodType; element?: z.ZodType };
  if (inner.element !== undefined) {
    const below = settingsIn(inner.element, path);
    return below.length > 1 ? below : [path];
  }
  if (inner.unwrap !== undefined) return settingsIn(inner.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => settingsIn(each as z.ZodType, path));
  if (!(schema instanceof z.ZodObject)) return [path];
  const own = Object.entries(schema.shape).filter(([name]) => !namedParts().has(name));
  return own.flatMap(([name, each]) => settingsIn(each as z.ZodType, `${path}.${name}`));
}

test('the configuration has at most 90 settings, and a request at most 20', () => {
  expect(new Set(settingsIn(registeredSchema())).size).toBeLessThanOrEqual(90);
  // A session as text is its `id`.
  const asked = settingsIn(coppiceSettings).filter((name) => name !== '.session');
  expect(asked.length).toBeLessThanOrEqual(20);
});

test('a program of a package that is not installed says what to install', () => {
  const { program } = modelKnobs;
  expect(complaint({ ...program, values: ['mcts'] }, 'tot')).toBe(
    "is 'tot', which needs the package @coppice/papers: npm install @coppice/papers",
  );
});
