// Turns a PEFT LoRA adapter into the GGUF file that libllama loads. Refuses an adapter of another base and names the first difference, since
// libllama itself only says that it failed.

import { join } from 'node:path';
import { raise } from '@coppice/core/base';
import { z } from 'zod';
import { configName, jsonOf, weightsName } from './adapter-place.ts';
import { encodeGguf, type GgufTensor, type GgufValue } from './gguf-writer.ts';
import { readSafetensors, type Tensor } from './safetensors.ts';

export interface BaseShape {
  readonly path: string;
  readonly architecture: string;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headWidth: number;
  readonly width: number;
  readonly inner: number;
}

const configSchema = z.object({
  peft_type: z.literal('LORA'),
  r: z.int().min(1),
  lora_alpha: z.number().positive(),
  use_rslora: z.boolean().default(false),
  use_dora: z.literal(false).default(false),
  bias: z.literal('none').default('none'),
  fan_in_fan_out: z.literal(false).default(false),
  rank_pattern: z.record(z.string(), z.never()).nullish(),
  alpha_pattern: z.record(z.string(), z.never()).nullish(),
});

type MatrixSide = 'width' | 'queries' | 'keys' | 'inner';
interface MatrixPlace {
  readonly name: string;
  readonly inputs: MatrixSide;
  readonly outputs: MatrixSide;
}

/** Matrices by PEFT's module names: GGUF's name, and the sizes of input and output. */
const places: Readonly<Record<string, MatrixPlace>> = {
  'self_attn.q_proj': { name: 'attn_q', inputs: 'width', outputs: 'queries' },
  'self_attn.k_proj': { name: 'attn_k', inputs: 'width', outputs: 'keys' },
  'self_attn.v_proj': { name: 'attn_v', inputs: 'width', outputs: 'keys' },
  'self_attn.o_proj': { name: 'attn_output', inputs: 'queries', outputs: 'width' },
  'mlp.gate_proj': { name: 'ffn_gate', inputs: 'width', outputs: 'inner' },
  'mlp.up_proj': { name: 'ffn_up', inputs: 'width', outputs: 'inner' },
  'mlp.down_proj': { name: 'ffn_down', inputs: 'inner', outputs: 'width' },
};
const knownArchitectures: readonly string[] = ['llama', 'qwen2', 'qwen3'];
const tensorName = /^base_model\.model\.(?:model\.)?layers\.(\d+)\.(\w+\.\w+)\.lora_([AB])\.weight$/;

export function peftAsGguf(folder: string, base: BaseShape): Uint8Array {
  if (!knownArchitectures.includes(base.architecture)) {
    const known = knownArchitectures.join(', ');
    raise(
      'unsupported',
      `the base ${base.path} is of architecture ${base.architecture}; adapters are read for ${known}`,
    );
  }
  const { r: rank, lora_alpha: alpha, use_rslora: bySquareRoot } = configOf(folder);
  const tensors = [...readSafetensors(join(folder, weightsName))].map(([name, tensor]) => {
    return ggufTensor(folder, name, tensor, rank, base);
  });
  // libllama divides alpha by the rank; a rank-stabilised adapter needs a division by its square root.
  const scale = bySquareRoot ? alpha * Math.sqrt(rank) : alpha;
  return encodeGguf(facts(base.architecture, scale), tensors, 'f16');
}

function configOf(folder: string): z.infer<typeof configSchema> {
  const { success, data, error } = configSchema.safeParse(jsonOf(join(folder, configName)));
  if (success) return data;
  const { path, message } = error.issues[0]!;
  return raise(
    'bad-setting',
    `${join(folder, configName)} describes no adapter that can be read: ${path.join('.')}: ${message}`,
  );
}

function facts(architecture: string, alpha: number): ReadonlyMap<string, GgufValue> {
  return new Map<string, GgufValue>([
    ['general.type', { type: 'string', value: 'adapter' }],
    ['general.architecture', { type: 'string', value: architecture }],
    ['adapter.type', { type: 'string', value: 'lora' }],
    ['adapter.lora.alpha', { type: 'float32', value: alpha }],
  ]);
}

function ggufTensor(folder: string, peftName: string, tensor: Tensor, rank: number, base: BaseShape): GgufTensor {
  const [, layer = '', module = '', half = ''] = tensorName.exec(peftName) ?? [];
  const place = places[module];
  if (place === undefined)
    return raise(
      'unsupported',
      `the adapter ${folder} changes '${peftName}'; only attention and feed-forward matrices can be changed`,
    );
  checkFit(folder, { layer: Number(layer), module, place, half }, tensor, rank, base);
  const isInterleaved = base.architecture === 'llama' && half === 'B' && ['attn_q', 'attn_k'].includes(place.name);
  const heads = place.name === 'attn_q' ? base.heads : base.kvHeads;
  return {
    name: `blk.${layer}.${place.name}.weight.lora_${half.toLowerCase()}`,
    shape: tensor.shape.toReversed(),
    data: isInterleaved ? interleaved(tensor, heads) : tensor.data,
  };
}

interface FoundMatrix {
  readonly layer: number;
  readonly module: string;
  readonly place: MatrixPlace;
  readonly half: string;
}

function checkFit(folder: string, found: FoundMatrix, { shape }: Tensor, rank: number, base: BaseShape): void {
  const { layer, module, place, half } = found;
  const other = `the adapter ${folder} is of another base than ${base.path}`;
  if (layer >= base.layers)
    raise('bad-setting', `${other}: it changes layer ${layer}, but the base has ${base.layers} layers`);
  const [what, wanted] =
    half === 'A' ? ['inputs', sizeOf(base, place.inputs)] : ['outputs', sizeOf(base, place.outputs)];
  const [size, inside] = half === 'A' ? [shape[1], shape[0]] : [shape[0], shape[1]];
  if (size !== wanted) raise('bad-setting', `${other}: its ${module} has ${size} ${what}, but the base has ${wanted}`);
  if (shape.length !== 2 || inside !== rank)
    raise(
      'bad-setting',
      `the adapter ${folder} has rank ${inside} in ${module} of layer ${layer}; ${configName} says ${rank}`,
    );
}

function sizeOf({ width, inner, heads, kvHeads, headWidth }: BaseShape, part: MatrixSide): number {
  return { width, inner, queries: heads * headWidth, keys: kvHeads * headWidth }[part];
}

/** Reorders rows of queries and keys for llama.cpp, which interleaves the two halves of each head. */
function interleaved({ shape: [rows = 0, rank = 0], data }: Tensor, heads: number): Float32Array {
  const result = new Float32Array(data.length);
  const half = rows / heads / 2;
  for (let row = 0; row < rows; row += 1) {
    const head = Math.floor(row / (2 * half));
    const from = head * 2 * half + (row % 2) * half + Math.floor((row % (2 * half)) / 2);
    result.set(data.subarray(from * rank, (from + 1) * rank), row * rank);
  }
  return result;
}
