// Writes LoRA adapters of the tiny random model in PEFT's format: a folder with a configuration and a safetensors file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../packages/core/src/base/random.ts';

export interface TinyAdapter {
  readonly seed: number;
  /** Standard deviation of the added weights; 0 keeps every `B` empty, as before training. */
  readonly deviation?: number;
  readonly modules?: readonly string[];
  readonly layers?: number;
  /** Width of the base. */
  readonly width?: number;
  /** Overrides fields of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface TensorFile {
  readonly [name: string]: { readonly shape: readonly number[]; readonly data: Float32Array };
}

const rank = 4;
export const adapterScale = 2;

/** The matrices of one adapter by PEFT's names; all matrices of the tiny model are square. */
export function tinyMatrices(adapter: TinyAdapter): TensorFile {
  const { seed, deviation = 0.1, modules = ['self_attn.q_proj', 'mlp.down_proj'], layers = 2, width = 64 } = adapter;
  const random = new Random('tiny-adapter', seed);
  const drawn = (spread: number) =>
    Float32Array.from({ length: rank * width }, () => Math.fround(random.normal(0, spread)));
  const tensors: Record<string, TensorFile[string]> = {};
  for (let layer = 0; layer < layers; layer++) {
    for (const module of modules) {
      const place = `base_model.model.model.layers.${layer}.${module}`;
      tensors[`${place}.lora_A.weight`] = { shape: [rank, width], data: drawn(1) };
      tensors[`${place}.lora_B.weight`] = { shape: [width, rank], data: drawn(deviation) };
    }
  }
  return tensors;
}

export function writeTinyAdapter(folder: string, adapter: TinyAdapter): string {
  mkdirSync(folder, { recursive: true });
  const config = { peft_type: 'LORA', r: rank, lora_alpha: rank * adapterScale, bias: 'none', ...adapter.config };
  writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify(config));
  writeSafetensors(join(folder, 'adapter_model.safetensors'), tinyMatrices(adapter));
  return folder;
}

/** Writes 32-bit floats. */
export function writeSafetensors(path: string, tensors: TensorFile): void {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { shape, data }]) => {
    const start = end;
    end += data.byteLength;
    return [name, { dtype: 'F32', shape, data_offsets: [start, end] }];
  });
  const header = Buffer.from(JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const bodies = Object.values(tensors).map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  writeFileSync(path, Buffer.concat([length, header, ...bodies]));
}
