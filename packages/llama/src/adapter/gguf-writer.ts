// Encodes GGUF files: metadata, then tensors. Vectors are always 32-bit floats; matrices have the given type.

const alignment = 32;
const valueTypes = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
const weightTypes = { f32: 0, f16: 1 } as const;
/** Bits of a 32-bit float: 2 ** -14, and the difference of the exponents' biases. */
const leastNormalHalf = 0x3880_0000;
const halfBias = 0x3800_0000;
type WeightType = keyof typeof weightTypes;

export type GgufValue =
  | { readonly type: 'uint32' | 'float32'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'int32s'; readonly value: readonly number[] };

/** The innermost dimension comes first. */
export interface GgufTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export function encodeGguf(
  values: ReadonlyMap<string, GgufValue>,
  all: readonly GgufTensor[],
  type: WeightType,
): Buffer {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32(3), u64(all.length), u64(values.size)];
  for (const [key, value] of values) parts.push(text(key), ...encodeValue(value));
  const weights = all.map(({ shape, data }) => weightBytes(shape, data, type));
  let offset = 0;
  for (const [at, { name, shape }] of all.entries()) {
    const stored = weightTypes[shape.length === 1 ? 'f32' : type];
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(stored), u64(offset));
    offset += padded(weights[at]!.length);
  }
  parts.push(padding(parts.reduce((sum, part) => sum + part.length, 0)));
  for (const bytes of weights) parts.push(bytes, padding(bytes.length));
  return Buffer.concat(parts);
}

/** 16-bit floats for a generator: with 32-bit ones libllama's sums depend on the number of rows in a batch. */
function weightBytes(shape: readonly number[], data: Float32Array, type: WeightType): Buffer {
  if (shape.length === 1 || type === 'f32') return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return Buffer.from(toHalves(data).buffer);
}

/** Rounds to the nearest, ties away from 0. */
function toHalves(data: Float32Array): Uint16Array {
  const bits = new Uint32Array(data.buffer, data.byteOffset, data.length);
  const halves = new Uint16Array(data.length);
  for (let at = 0; at < data.length; at += 1) {
    const sign = (bits[at]! >>> 16) & 0x8000;
    const magnitude = bits[at]! & 0x7fff_ffff;
    const isNormal = magnitude >= leastNormalHalf;
    halves[at] = sign | (isNormal ? (magnitude - halfBias + 0x1000) >>> 13 : Math.round(Math.abs(data[at]!) * 2 ** 24));
  }
  return halves;
}

function encodeValue(value: GgufValue): Buffer[] {
  switch (value.type) {
    case 'uint32':
      return [u32(valueTypes.uint32), u32(value.value)];
    case 'float32':
      return [u32(valueTypes.float32), f32(value.value)];
    case 'bool':
      return [u32(valueTypes.bool), Buffer.from([value.value ? 1 : 0])];
    case 'string':
      return [u32(valueTypes.string), text(value.value)];
    case 'strings':
      return [u32(valueTypes.array), u32(valueTypes.string), u64(value.value.length), ...value.value.map(text)];
    case 'int32s':
      return [u32(valueTypes.array), u32(valueTypes.int32), u64(value.value.length), ...value.value.map(u32)];
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function u64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function f32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}

function padding(bytes: number): Buffer {
  return Buffer.alloc(padded(bytes) - bytes);
}
