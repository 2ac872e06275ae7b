// Formats a share for tables: in percent, to a tenth.

export function percentage(share: number): string {
  return (100 * share).toFixed(1);
}
