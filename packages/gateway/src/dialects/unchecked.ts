// Reads bodies that nothing has checked yet, and never throws.

import type { Plain } from '@coppice/core/journal';

export function record(value: unknown): Plain {
  return typeof value === 'object' && value !== null ? (value as Plain) : {};
}

export function some(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.some(test);
}

export function isFull(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
