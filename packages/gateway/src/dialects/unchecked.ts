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

/** Whether only an engine's own chat endpoint understands this message. */
export function needsPassthrough(message: unknown): boolean {
  const { role, tool_calls: calls, content } = record(message);
  if (role === 'tool' || role === 'function' || (calls !== undefined && calls !== null)) return true;
  return some(content, (part) => typeof part === 'object' && part !== null && record(part).type !== 'text');
}
