// Writes tiny GGUF models, so that tests of the embedded engine need no shipped weights. Two kinds: `random` attends to its whole path, so a
// wrong cache changes its logits; `bigram` has exactly the given next-token logits, so a test knows the distribution. The vocabulary
// is 256 single bytes, some pairs, and an end-of-sequence token.
import { writeFileSync } from 'node:fs';
import { Random } from '../../packages/core/src/base/random.ts';
import { encodeGguf, type GgufTensor, type GgufValue } from '../../packages/llama/src/adapter/gguf-writer.ts';

/** Pairs of bytes that are one token each. */
export const PAIRS = ['ab', 'cd', '\n\n', 'x\n'] as const;
export const END_OF_SEQUENCE = 256 + PAIRS.length;
export const VOCABULARY_SIZE = END_OF_SEQUENCE + 1;

export type TinyModel =
  | {
      readonly kind: 'random';
      readonly seed: number;
      readonly vocabulary?: 'other';
      readonly chatTemplate?: string;
      /** Longest context; 2,048 tokens by default. */
      readonly contextTokens?: number;
    }
  | {
      readonly kind: 'bigram';
      readonly logit: (token: number, next: number) => number;
      readonly chatTemplate?: string;
      readonly contextTokens?: number;
    };

export function byteToken(character: string): number {
  return character.charCodeAt(0);
}

export function writeTinyModel(
  path: string,
  model: TinyModel,
  change: (tensor: GgufTensor) => GgufTensor = (tensor) => tensor,
): void {
  const shape = model.kind === 'random' ? { width: 64, heads: 2, layers: 2 } : { width: 288, heads: 1, layers: 1 };
  writeFileSync(path, encodeGguf(metadata(model, shape), tensors(model, shape).map(change), 'f16'));
}

interface Shape {
  readonly width: number;
  /** One is enough for a bigram, whose attention is multiplied by 0. */
  readonly heads: number;
  readonly layers: number;
}

const headWidth = 32;
/** Width of the feed-forward layers. */
const inner = 64;

function metadata(model: TinyModel, shape: Shape): ReadonlyMap<string, GgufValue> {
  const other = model.kind === 'random' && model.vocabulary === 'other';
  const { contextTokens = 2048 } = model;
  const texts = [...Array(256).keys()].map(byteToUnicode);
  const pairs = PAIRS.map((pair) => [...pair].map((character) => byteToUnicode(character.charCodeAt(0))));
  const tokens = [...texts, ...pairs.map((pair) => pair.join('')), other ? '<other>' : '<end>'];
  return new Map<string, GgufValue>([
    ['general.architecture', { type: 'string', value: 'llama' }],
    ['general.name', { type: 'string', value: 'tiny' }],
    ['llama.context_length', { type: 'uint32', value: contextTokens }],
    ['llama.embedding_length', { type: 'uint32', value: shape.width }],
    ['llama.block_count', { type: 'uint32', value: shape.layers }],
    ['llama.feed_forward_length', { type: 'uint32', value: inner }],
    ['llama.attention.head_count', { type: 'uint32', value: shape.heads }],
    ['llama.attention.head_count_kv', { type: 'uint32', value: shape.heads }],
    ['llama.attention.layer_norm_rms_epsilon', { type: 'float32', value: 1e-5 }],
    ['llama.attention.key_length', { type: 'uint32', value: headWidth }],
    ['llama.attention.value_length', { type: 'uint32', value: headWidth }],
    ['llama.rope.dimension_count', { type: 'uint32', value: headWidth }],
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

function tensors(model: TinyModel, shape: Shape): readonly GgufTensor[] {
  const { width, heads, layers } = shape;
  const seen = heads * headWidth;
  const random = new Random('tiny-gguf', model.kind === 'random' ? model.seed : 0);
  const scale = model.kind === 'random' ? 1 : 0;
  const filled = (name: string, dimensions: readonly number[], deviation: number): GgufTensor => ({
    name,
    shape: dimensions,
    data: Float32Array.from({ length: dimensions.reduce((a, b) => a * b) }, () => random.normal(0, deviation * scale)),
  });
  const ones = (name: string): GgufTensor => ({ name, shape: [width], data: new Float32Array(width).fill(1) });
  const block = (layer: number): GgufTensor[] => [
    ones(`blk.${layer}.attn_norm.weight`),
    filled(`blk.${layer}.attn_q.weight`, [width, seen], 0.3),
    filled(`blk.${layer}.attn_k.weight`, [width, seen], 0.3),
    filled(`blk.${layer}.attn_v.weight`, [width, seen], 0.2),
    filled(`blk.${layer}.attn_output.weight`, [seen, width], 0.2),
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
function bigramEnds(width: number, logit: (token: number, next: number) => number): GgufTensor[] {
  const embedding = new Float32Array(width * VOCABULARY_SIZE);
  const output = new Float32Array(width * VOCABULARY_SIZE);
  const normalised = Math.sqrt(width); // RMS norm scales a one-hot vector's 1 to sqrt(width)
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
