// Writes tiny GGUF models, so that tests of the embedded engine need no shipped weights. Two kinds: `random` attends to
// its whole path (a wrong cache shows in its logits); `bigram` gives exactly the next-token logits it is told, so that a
// test knows the distribution. The vocabulary is 256 single bytes, some pairs, and an end-of-sequence token.
import { writeFileSync } from 'node:fs';
import { Random } from '../../src/base/random.ts';

const ALIGNMENT = 32;
const F32 = 0;
const F16 = 1;
const Q8 = 8;
const Q8_BLOCK = 32;
const TYPE = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;

type Value =
  | { readonly type: 'uint32' | 'float32'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'int32s'; readonly value: readonly number[] };

type Tensor = { readonly name: string; readonly shape: readonly number[]; readonly data: Float32Array };

/** Pairs that are one token each, beside the 256 bytes. */
export const PAIRS = ['ab', 'cd', '\n\n', 'x\n'] as const;
export const END_OF_SEQUENCE = 256 + PAIRS.length;
export const VOCABULARY_SIZE = END_OF_SEQUENCE + 1;

export type TinyModel =
  | {
      readonly kind: 'random';
      readonly seed: number;
      readonly vocabulary?: 'other';
      readonly chatTemplate?: string;
      readonly shape?: Shape;
      /** Q8_0 instead of 16-bit floats, as the shipped models are. */
      readonly quantised?: boolean;
    }
  | {
      readonly kind: 'bigram';
      readonly logit: (token: number, next: number) => number;
      readonly chatTemplate?: string;
    };

export function byteToken(character: string): number {
  return character.charCodeAt(0);
}

export function writeTinyModel(path: string, model: TinyModel): void {
  const small = model.kind === 'random' ? { width: 64, heads: 2, layers: 2 } : { width: 288, heads: 9, layers: 1 };
  const shape = (model.kind === 'random' ? model.shape : undefined) ?? { ...small, inner: 64 };
  const type = model.kind === 'random' && model.quantised ? Q8 : F16;
  writeFileSync(path, encode(metadata(model, shape), tensors(model, shape), type));
}

export type Shape = { readonly width: number; readonly heads: number; readonly layers: number; readonly inner: number };

function metadata(model: TinyModel, shape: Shape): ReadonlyMap<string, Value> {
  const other = model.kind === 'random' && model.vocabulary === 'other';
  const texts = [...Array(256).keys()].map(byteToUnicode);
  const pairs = PAIRS.map((pair) => [...pair].map((character) => byteToUnicode(character.charCodeAt(0))));
  const tokens = [...texts, ...pairs.map((pair) => pair.join('')), other ? '<other>' : '<end>'];
  return new Map<string, Value>([
    ['general.architecture', { type: 'string', value: 'llama' }],
    ['general.name', { type: 'string', value: 'tiny' }],
    ['llama.context_length', { type: 'uint32', value: 2048 }],
    ['llama.embedding_length', { type: 'uint32', value: shape.width }],
    ['llama.block_count', { type: 'uint32', value: shape.layers }],
    ['llama.feed_forward_length', { type: 'uint32', value: shape.inner }],
    ['llama.attention.head_count', { type: 'uint32', value: shape.heads }],
    ['llama.attention.head_count_kv', { type: 'uint32', value: shape.heads }],
    ['llama.attention.layer_norm_rms_epsilon', { type: 'float32', value: 1e-5 }],
    ['llama.rope.dimension_count', { type: 'uint32', value: shape.width / shape.heads }],
    ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
    ['tokenizer.ggml.pre', { type: 'string', value: 'gpt-2' }],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
    ['tokenizer.ggml.token_type', { type: 'int32s', value: tokens.map((_, id) => (id === END_OF_SEQUENCE ? 3 : 1)) }],
    ['tokenizer.ggml.merges', { type: 'strings', value: pairs.map((pair) => pair.join(' ')) }],
    ['tokenizer.ggml.bos_token_id', { type: 'uint32', value: END_OF_SEQUENCE }],
    ['tokenizer.ggml.eos_token_id', { type: 'uint32', value: END_OF_SEQUENCE }],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: false }],
    ...(model.chatTemplate === undefined
      ? []
      : ([['tokenizer.chat_template', { type: 'string', value: model.chatTemplate }]] as const)),
  ]);
}

/** The printable stand-in of a byte in byte-level BPE vocabularies (as in GPT-2's tokenizer). */
function byteToUnicode(byte: number): string {
  const printable = (each: number) => (each >= 33 && each <= 126) || (each >= 161 && each <= 172) || each >= 174;
  if (printable(byte)) return String.fromCharCode(byte);
  let shifted = 0;
  for (let each = 0; each < byte; each++) if (!printable(each)) shifted += 1;
  return String.fromCharCode(256 + shifted);
}

function tensors(model: TinyModel, shape: Shape): readonly Tensor[] {
  const { width, inner, layers } = shape;
  const random = new Random('tiny-gguf', model.kind === 'random' ? model.seed : 0);
  const scale = model.kind === 'random' ? 1 : 0;
  const filled = (name: string, dimensions: readonly number[], deviation: number): Tensor => ({
    name,
    shape: dimensions,
    data: Float32Array.from({ length: dimensions.reduce((a, b) => a * b) }, () => random.normal(0, deviation * scale)),
  });
  const ones = (name: string): Tensor => ({ name, shape: [width], data: new Float32Array(width).fill(1) });
  const block = (layer: number): Tensor[] => [
    ones(`blk.${layer}.attn_norm.weight`),
    filled(`blk.${layer}.attn_q.weight`, [width, width], 0.3),
    filled(`blk.${layer}.attn_k.weight`, [width, width], 0.3),
    filled(`blk.${layer}.attn_v.weight`, [width, width], 0.2),
    filled(`blk.${layer}.attn_output.weight`, [width, width], 0.2),
    ones(`blk.${layer}.ffn_norm.weight`),
    filled(`blk.${layer}.ffn_gate.weight`, [width, inner], 0.1),
    filled(`blk.${layer}.ffn_up.weight`, [width, inner], 0.1),
    filled(`blk.${layer}.ffn_down.weight`, [inner, width], 0.1),
  ];
  const ends =
    model.kind === 'random'
      ? [
          filled('token_embd.weight', [width, VOCABULARY_SIZE], 1),
          filled('output.weight', [width, VOCABULARY_SIZE], 0.2),
        ]
      : bigramEnds(width, model.logit);
  return [...ends, ones('output_norm.weight'), ...Array.from({ length: layers }, (_, layer) => block(layer)).flat()];
}

/** One-hot embeddings and empty layers: the logits after a token are a column of the output matrix. */
function bigramEnds(width: number, logit: (token: number, next: number) => number): Tensor[] {
  const embedding = new Float32Array(width * VOCABULARY_SIZE);
  const output = new Float32Array(width * VOCABULARY_SIZE);
  const normalised = Math.sqrt(width); // RMS norm turns the one-hot vector into sqrt(width) at its place
  for (let token = 0; token < VOCABULARY_SIZE; token++) {
    embedding[token * width + token] = 1;
    for (let next = 0; next < VOCABULARY_SIZE; next++) output[next * width + token] = logit(token, next) / normalised;
  }
  const shape = [width, VOCABULARY_SIZE];
  return [
    { name: 'token_embd.weight', shape, data: embedding },
    { name: 'output.weight', shape, data: output },
  ];
}

function encode(values: ReadonlyMap<string, Value>, all: readonly Tensor[], type: number): Buffer {
  const parts: Buffer[] = [Buffer.from('GGUF'), u32(3), u64(all.length), u64(values.size)];
  for (const [key, value] of values) parts.push(text(key), ...encodeValue(value));
  let offset = 0;
  for (const { name, shape, data } of all) {
    parts.push(text(name), u32(shape.length), ...shape.map(u64), u32(shape.length === 1 ? F32 : type), u64(offset));
    offset += padded(weightBytes(shape, data, type).length);
  }
  parts.push(padding(parts.reduce((sum, part) => sum + part.length, 0)));
  for (const { shape, data } of all) {
    const bytes = weightBytes(shape, data, type);
    parts.push(bytes, padding(bytes.length));
  }
  return Buffer.concat(parts);
}

/** Matrices as 16-bit floats: with 32-bit ones libllama's sums depend on the number of rows in a batch. */
function weightBytes(shape: readonly number[], data: Float32Array, type: number): Buffer {
  if (shape.length === 1) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (type === Q8) return quantise(data);
  return Buffer.from(Uint16Array.from(data, toHalf).buffer);
}

/** Q8_0: blocks of 32 weights, a 16-bit scale and 32 signed bytes each. */
function quantise(data: Float32Array): Buffer {
  const bytes = Buffer.alloc((data.length / Q8_BLOCK) * (2 + Q8_BLOCK));
  for (let block = 0; block * Q8_BLOCK < data.length; block++) {
    const weights = data.subarray(block * Q8_BLOCK, (block + 1) * Q8_BLOCK);
    const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127;
    const at = block * (2 + Q8_BLOCK);
    bytes.writeUInt16LE(toHalf(scale), at);
    weights.forEach((weight, index) => {
      bytes.writeInt8(scale === 0 ? 0 : Math.round(weight / scale), at + 2 + index);
    });
  }
  return bytes;
}

function toHalf(value: number): number {
  const sign = value < 0 ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude < 2 ** -14) return sign | Math.round(magnitude * 2 ** 24); // subnormal or zero
  const exponent = Math.floor(Math.log2(magnitude));
  return sign | (Math.round((magnitude / 2 ** exponent - 1 + exponent + 15) * 1024) & 0x7fff);
}

function encodeValue(value: Value): Buffer[] {
  switch (value.type) {
    case 'uint32':
      return [u32(TYPE.uint32), u32(value.value)];
    case 'float32':
      return [u32(TYPE.float32), f32(value.value)];
    case 'bool':
      return [u32(TYPE.bool), Buffer.from([value.value ? 1 : 0])];
    case 'string':
      return [u32(TYPE.string), text(value.value)];
    case 'strings':
      return [u32(TYPE.array), u32(TYPE.string), u64(value.value.length), ...value.value.map(text)];
    case 'int32s':
      return [u32(TYPE.array), u32(TYPE.int32), u64(value.value.length), ...value.value.map(u32)];
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
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function padding(bytes: number): Buffer {
  return Buffer.alloc(padded(bytes) - bytes);
}
