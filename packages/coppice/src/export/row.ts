// The columns of an export and their types, for JSON lines and Parquet alike.

export type ColumnType = 'text' | 'whole' | 'real' | 'truth' | 'wholes' | 'reals';

/** Names as Python reads them; a value that is not known is null. */
export type Columns = Readonly<Record<string, ColumnType>>;

interface ColumnValues {
  readonly text: string;
  readonly whole: number;
  readonly real: number;
  readonly truth: boolean;
  readonly wholes: readonly number[];
  readonly reals: readonly number[];
}

export type RowOf<Table extends Columns> = {
  readonly [Name in keyof Table]: ColumnValues[Table[Name]] | null;
};

export type ExportRow = RowOf<Columns>;

/** Significant digits of numbers: a trainer reads 32-bit floats, which hold no more. */
const digits = 7;

export function jsonLine(row: ExportRow): string {
  return `${JSON.stringify(row, (_, value) => (typeof value === 'number' ? rounded(value) : value))}\n`;
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(digits));
}
