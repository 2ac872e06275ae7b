// Reads a safetensors file into 32-bit floats: a JSON header, then the tensors. Refuses a file that it cannot read exactly, and never
// runs anything from it.

import { readFileSync } from 'node:fs';
import { jsonOrText, raise } from '@coppice/core/base';
import { z } from 'zod';

/** The outermost dimension comes first, as in PyTorch. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const headerStart = 8;
const bytesOf = { F32: 4, F16: 2, BF16: 2 } as const;
const entry = z.object({
  dtype: z.enum(['F32', 'F16', 'BF16']),
  shape: z.array(z.int().min(1)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
const table = z.record(z.string(), z.unknown());

type Entry = z.infer<typeof entry>;

export function readSafetensors(path: string): ReadonlyMap<string, Tensor> {
  const bytes = readFileSync(path);
  const length = bytes.length < headerStart ? Number.NaN : Number(bytes.readBigUInt64LE());
  if (!(headerStart + length <= bytes.length)) return refuse(path, 'it is cut off or no safetensors file');
  const found = table.safeParse(jsonOrText(bytes.toString('utf8', headerStart, headerStart + length)));
  if (!found.success) return refuse(path, 'its header is no JSON object');
  const body = bytes.subarray(headerStart + length);
  const tensors = new Map<string, Tensor>();
  for (const [name, value] of Object.entries(found.data)) {
    if (name !== '__metadata__') tensors.set(name, tensorOf(path, name, value, body));
  }
  return tensors;
}

function tensorOf(path: string, name: string, value: unknown, body: Buffer): Tensor {
  const { success, data: said } = entry.safeParse(value);
  if (!success) return refuse(path, `'${name}' is not of a type that can be read (F32, F16, BF16)`);
  const [start, end] = said.data_offsets;
  const count = said.shape.reduce((product, size) => product * size, 1);
  if (end - start !== count * bytesOf[said.dtype] || end > body.length) return refuse(path, `'${name}' is cut off`);
  return { shape: said.shape, data: floats(body.subarray(start, end), said.dtype, count) };
}

function floats(bytes: Buffer, type: Entry['dtype'], count: number): Float32Array {
  const copy = new Uint8Array(bytes).buffer; // aligned, which the bytes in the file may not be
  if (type === 'F32') return new Float32Array(copy);
  const halves = new Uint16Array(copy);
  if (type === 'F16') return Float32Array.from(halves, fromHalf);
  const bits = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) bits[at] = halves[at]! << 16; // bf16 is the upper half of a float
  return new Float32Array(bits.buffer);
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = (bits & 0x3ff) / 1024;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
}

function refuse(path: string, reason: string): never {
  return raise('bad-setting', `the weights ${path} cannot be read: ${reason}`);
}
