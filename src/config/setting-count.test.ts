// The number of questions that a configuration and a request put to a user is held: a setting that comes takes another out.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { coppiceSettings } from '../gateway/dialects/chat-body.ts';
import { namedParts } from './named-options.ts';
import { configSchema } from './schema.ts';

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

test('the configuration has at most 107 settings, and a request at most 24', () => {
  expect(new Set(settingsIn(configSchema)).size).toBeLessThanOrEqual(107);
  expect(settingsIn(coppiceSettings).length).toBeLessThanOrEqual(24);
});
