// A share as tables write it: in percent, to a tenth.

export function percentage(share: number): string {
  return (100 * share).toFixed(1);
}
