// Prints rows of text in columns as wide as their longest cell.

/** Makes a line for each row. Columns are right-aligned, as numbers are, except those that `isLeft` names. */
export function tableLines(
  rows: readonly (readonly string[])[],
  isLeft: (column: number) => boolean = (column) => column === 0,
): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return isLeft(column) ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
