// Writes rows as a Parquet file, one row group in memory at a time. Lists are three-level, which pyarrow, pandas and datasets read as lists.

import { closeSync, openSync } from 'node:fs';
import { fileWriter, parquetWriteRows, type SchemaElement } from 'hyparquet-writer';
import type { Columns, ColumnType, ExportRow } from './row.ts';

/** Rows of a group: some MB for paths of a thousand tokens. */
const groupRows = 1000;

export async function writeParquet(path: string, columns: Columns, rows: AsyncIterable<ExportRow>): Promise<void> {
  const names = Object.keys(columns);
  // The writer continues an existing file; only its owner may read it.
  closeSync(openSync(path, 'w', 0o600));
  await parquetWriteRows({
    writer: fileWriter(path),
    rows: rows as AsyncIterable<Record<string, unknown>>,
    columns: names.map((name) => ({ name })),
    schema: [{ name: 'root', num_children: names.length }, ...names.flatMap((name) => schemaOf(name, columns[name]!))],
    rowGroupSize: groupRows,
    createdBy: 'coppice',
  });
}

function schemaOf(name: string, type: ColumnType): SchemaElement[] {
  switch (type) {
    case 'text':
      return [{ name, repetition_type: 'OPTIONAL', type: 'BYTE_ARRAY', converted_type: 'UTF8' }];
    case 'whole':
      return [{ name, repetition_type: 'OPTIONAL', type: 'INT32' }];
    case 'real':
      return [{ name, repetition_type: 'OPTIONAL', type: 'DOUBLE' }];
    case 'truth':
      return [{ name, repetition_type: 'OPTIONAL', type: 'BOOLEAN' }];
    case 'wholes':
      return listOf(name, 'INT32');
    case 'reals':
      return listOf(name, 'FLOAT');
  }
}

function listOf(name: string, type: 'INT32' | 'FLOAT'): SchemaElement[] {
  return [
    { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type },
  ];
}
