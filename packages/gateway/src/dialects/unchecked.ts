// Reads bodies that are not yet checked, and never throws. `anything` stands for fields of checked bodies that stay unexamined.

import type { Plain } from '@coppice/core/journal';
import { z } from 'zod';
import { each } from '../wire/parts.ts';

export function record(value: unknown): Plain {
  return typeof value === 'object' && value !== null ? (value as Plain) : {};
}

export function some(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.some(test);
}

export function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

export const anything = z.unknown().optional();

/** A message part with these fields. Other fields are ignored, or left to an engine that gets the whole message. */
export function partWith<Name extends string>(...names: readonly Name[]) {
  return z.looseObject({ type: z.string(), ...each(anything, ...names) });
}
