// Refuses a libllama whose struct layouts this binding does not know. A wrong layout does not fail: it computes nonsense or kills the
// process. So three independent signs must agree: release tag, sizes, and default values read back through our layout. Pinned package
// versions are the first protection; this is the second.

import { raise } from '@coppice/core/base';

/** Releases whose llama.h has the layout of binding.ts, checked by reading the header and running (v0.4.0 has the same layout). */
export const knownReleases: readonly string[] = ['v0.4.0', 'v0.5.0'];

export type AbiDefaults = Readonly<Record<string, unknown>>;

export interface AbiSigns {
  readonly release: string;
  readonly version: string;
  readonly sizes: { readonly modelParameters: number; readonly contextParameters: number; readonly batch: number };
  readonly model: AbiDefaults;
  readonly context: AbiDefaults;
}

// Bytes on every 64-bit platform; compared with sizeof in a C program built from the header.
const sizes = { modelParameters: 80, contextParameters: 160, batch: 56 } as const;

const modelDefaults: AbiDefaults = {
  n_gpu_layers: -1,
  split_mode: 1,
  main_gpu: 0,
  vocab_only: false,
  check_tensors: false,
  use_extra_bufts: true,
  no_host: false,
  no_alloc: false,
};

const contextDefaults: AbiDefaults = {
  n_ctx: 512,
  n_batch: 2048,
  n_ubatch: 512,
  n_seq_max: 1,
  rope_scaling_type: -1,
  pooling_type: -1,
  attention_type: -1,
  flash_attn_type: -1,
  yarn_ext_factor: -1,
  yarn_attn_factor: -1,
  yarn_beta_fast: -1,
  yarn_beta_slow: -1,
  defrag_thold: -1,
  type_k: 1,
  type_v: 1,
  embeddings: false,
  offload_kqv: true,
  no_perf: true,
  op_offload: true,
  swa_full: true,
  kv_unified: false,
};

export function checkAbi(signs: AbiSigns): void {
  const differences = [
    ...(knownReleases.includes(signs.release) ? [] : [`release ${signs.release}`]),
    ...(signs.version.startsWith(signs.release.slice(1))
      ? []
      : [`version ${signs.version} in a file ${signs.release}`]),
    ...compare('sizeof ', sizes, signs.sizes),
    ...compare('model default ', modelDefaults, signs.model),
    ...compare('context default ', contextDefaults, signs.context),
  ];
  if (differences.length === 0) return;
  return raise(
    'unsupported',
    `libllama ${signs.release} does not have the layout that coppice knows (${knownReleases.join(', ')}): ` +
      `${differences.slice(0, 4).join('; ')}; reinstall the pinned packages with: npm ci`,
  );
}

function compare(what: string, expected: AbiDefaults, found: AbiDefaults): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => found[name] !== value)
    .map(([name, value]) => `${what}${name} is ${String(found[name])}, expected ${String(value)}`);
}
