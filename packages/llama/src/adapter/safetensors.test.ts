import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSafetensors } from './safetensors.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-safetensors-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(header: unknown, body: readonly number[] = []): string {
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const path = join(folder, 'file.safetensors');
  writeFileSync(path, Buffer.concat([length, text, Buffer.from(body)]));
  return path;
}

describe('readSafetensors', () => {
  it('reads the three kinds of floats', () => {
    const path = written(
      {
        __metadata__: { format: 'pt' },
        single: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
        half: { dtype: 'F16', shape: [4], data_offsets: [4, 12] },
        brain: { dtype: 'BF16', shape: [1, 2], data_offsets: [12, 16] },
      },
      // 1.5; 1.5, -2, the smallest above 0, infinity; 1.5, -0.0078125
      [0, 0, 0xc0, 0x3f, 0x00, 0x3e, 0x00, 0xc0, 0x01, 0x00, 0x00, 0x7c, 0xc0, 0x3f, 0x00, 0xbc],
    );
    expect([...readSafetensors(path)].map(([name, { shape, data }]) => [name, shape, [...data]])).toEqual([
      ['single', [1], [1.5]],
      ['half', [4], [1.5, -2, 2 ** -24, Number.POSITIVE_INFINITY]],
      ['brain', [1, 2], [1.5, -0.0078125]],
    ]);
  });

  it.each([
    ['is cut off', { one: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } }, /'one' is cut off/],
    ['has a size that is not its own', { one: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, /'one' is cut off/],
    ['has another type', { one: { dtype: 'I8', shape: [4], data_offsets: [0, 4] } }, /'one' is not of a type/],
    ['has no table', 3, /its header is no JSON object/],
  ])('refuses a file that %s', (_, header, complaint) => {
    expect(() => readSafetensors(written(header, [0, 0, 0, 0]))).toThrow(complaint);
  });

  it('refuses what is no such file', () => {
    const path = join(folder, 'other');
    for (const text of ['', 'x', 'a longer text that is none']) {
      writeFileSync(path, text);
      expect(() => readSafetensors(path)).toThrow(/cut off or no safetensors file/);
    }
  });
});
