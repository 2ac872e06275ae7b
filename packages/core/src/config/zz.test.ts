import { test } from 'vitest';
import { z } from 'zod';
import { registeredSchema } from './load.ts';
import { namedParts } from './named-options.ts';

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
test('x', () => {
  const all = [...new Set(settingsIn(registeredSchema()))];
  console.log(all.length, all.join(' '));
});
