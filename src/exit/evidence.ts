// Numbers in evidence are for people: six significant digits, so that 0.1 * 0.7 does not read 0.06999999999999999.

export function readable(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : value;
}
