// Reads bodies that nothing has checked yet, and never throws; and the fields of checked ones that nothing looks into.

import type { Plain } from '@coppice/core/journal';
import { z } from 'zod';
import { each } from '../wire/parts.ts';

export function record(value: unknown): Plain {
  return typeof value === 'object' && value !== null ? (value as Plain) : {};
}

export function some(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.some(test);
}

export function isFull(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

export const anything = z.unknown().optional();

/** A part of a message with these fields. All others are ignored, or an engine's own that is given the whole message. */
export function partWith<Name extends string>(...names: readonly Name[]) {
  return z.looseObject({ type: z.string(), ...each(anything, ...names) });
}
