// Rows as JSON, one a line. Numbers are written with seven significant digits: more than a 32-bit float holds says nothing to a trainer.

import type { ExportRow } from './row.ts';

const digits = 7;

export function jsonLine(row: ExportRow): string {
  return `${JSON.stringify(row, (_, value) => (typeof value === 'number' ? rounded(value) : value))}\n`;
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(digits));
}
