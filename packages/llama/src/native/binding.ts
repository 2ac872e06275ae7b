// The native surface of libllama, in one place: struct layouts as in llama.h of release v0.5.0, and the functions that coppice calls, typed.
// No policy, and no state beyond the loaded library. Every pointer is a bigint address, freed by the caller that obtained it. Two threads
// must never use the same context.

import { createRequire } from 'node:module';
import { raise } from '@coppice/core/base';
import { type AbiDefaults, checkAbi } from './abi-guard.ts';
import type { LibraryFiles } from './platform.ts';

export type Pointer = bigint;

type NativeFunction = (...values: readonly unknown[]) => unknown;
type KoffiType = object | string;
interface KoffiLibrary {
  func(name: string, result: KoffiType, parameters: readonly KoffiType[]): NativeFunction;
  symbol(name: string): Pointer;
}
interface Koffi {
  load(path: string): KoffiLibrary;
  struct(members: Record<string, KoffiType>): KoffiType;
  sizeof(type: KoffiType): number;
  address(memory: Uint8Array): Pointer;
  view(pointer: Pointer, bytes: number): ArrayBuffer;
}

const modelParameters = {
  devices: 'void *',
  tensor_buft_overrides: 'void *',
  n_gpu_layers: 'int32',
  split_mode: 'int32',
  load_mode: 'int32',
  lazy_mode: 'int32',
  main_gpu: 'int32',
  tensor_split: 'void *',
  progress_callback: 'void *',
  progress_callback_user_data: 'void *',
  kv_overrides: 'void *',
  vocab_only: 'bool',
  check_tensors: 'bool',
  use_extra_bufts: 'bool',
  no_host: 'bool',
  no_alloc: 'bool',
  load_mtp: 'bool',
} as const;

const contextParameters = {
  n_ctx: 'uint32',
  n_batch: 'uint32',
  n_ubatch: 'uint32',
  n_seq_max: 'uint32',
  n_rs_seq: 'uint32',
  n_outputs_max: 'uint32',
  n_outputs_max_per_seq: 'uint32',
  n_threads: 'int32',
  n_threads_batch: 'int32',
  ctx_type: 'int32',
  rope_scaling_type: 'int32',
  pooling_type: 'int32',
  attention_type: 'int32',
  flash_attn_type: 'int32',
  rope_freq_base: 'float',
  rope_freq_scale: 'float',
  yarn_ext_factor: 'float',
  yarn_attn_factor: 'float',
  yarn_beta_fast: 'float',
  yarn_beta_slow: 'float',
  yarn_orig_ctx: 'uint32',
  defrag_thold: 'float',
  cb_eval: 'void *',
  cb_eval_user_data: 'void *',
  type_k: 'int32',
  type_v: 'int32',
  abort_callback: 'void *',
  abort_callback_data: 'void *',
  embeddings: 'bool',
  offload_kqv: 'bool',
  no_perf: 'bool',
  op_offload: 'bool',
  swa_full: 'bool',
  kv_unified: 'bool',
  samplers: 'void *',
  n_samplers: 'size_t',
  ctx_other: 'void *',
} as const;

const batchLayout = {
  n_tokens: 'int32',
  token: 'void *',
  embd: 'void *',
  pos: 'void *',
  n_seq_id: 'void *',
  seq_id: 'void *',
  logits: 'void *',
} as const;

export type ModelParameters = Record<keyof typeof modelParameters, unknown>;
export type ContextParameters = Record<keyof typeof contextParameters, unknown>;
export type NativeBatch = Record<keyof typeof batchLayout, unknown>;

export const flashAttentionOn = 1;
export const flashAttentionOff = 0;
export const ggmlTypeF32 = 0;
export const ggmlTypeF16 = 1;

export interface Binding {
  readonly release: string;
  readonly sizes: { readonly modelParameters: number; readonly contextParameters: number; readonly batch: number };

  /** Address of a JavaScript buffer; valid while the caller holds the buffer. */
  address(memory: Uint8Array): Pointer;
  /** Native memory as a buffer; unreadable once its owner has freed it. */
  view(pointer: Pointer, bytes: number): ArrayBuffer;

  seesGpu(): boolean;
  modelDefaults(): ModelParameters;
  contextDefaults(): ContextParameters;
  loadModel(path: string, parameters: ModelParameters): Pointer | null;
  freeModel(model: Pointer): void;
  createContext(model: Pointer, parameters: ContextParameters): Pointer | null;
  freeContext(context: Pointer): void;
  contextCells(context: Pointer): number;
  /** `threads` is for decodes of one row per sequence, `batchThreads` for longer ones. */
  setThreads(context: Pointer, threads: number, batchThreads: number): void;

  vocabulary(model: Pointer): Pointer;
  vocabularyType(vocabulary: Pointer): number;
  vocabularySize(vocabulary: Pointer): number;
  tokenText(vocabulary: Pointer, token: number): string;
  endsGeneration(vocabulary: Pointer, token: number): boolean;
  isControl(vocabulary: Pointer, token: number): boolean;
  /** -1 if the vocabulary has none; the same for the end token. */
  bosToken(vocabulary: Pointer): number;
  eosToken(vocabulary: Pointer): number;
  tokenize(
    vocabulary: Pointer,
    text: Uint8Array,
    bytes: number,
    tokens: Int32Array,
    capacity: number,
    addSpecial: boolean,
    parseSpecial: boolean,
  ): number;
  tokenToPiece(
    vocabulary: Pointer,
    token: number,
    buffer: Uint8Array,
    capacity: number,
    strip: number,
    special: boolean,
  ): number;

  trainedContext(model: Pointer): number;
  layers(model: Pointer): number;
  width(model: Pointer): number;
  heads(model: Pointer): number;
  kvHeads(model: Pointer): number;
  parameterCount(model: Pointer): number | bigint;
  modelBytes(model: Pointer): number | bigint;
  hasDecoder(model: Pointer): boolean;
  describe(model: Pointer, buffer: Uint8Array, capacity: number): number;
  metadata(model: Pointer, key: string, buffer: Uint8Array, capacity: number): number;
  chatTemplate(model: Pointer, name: string | null): string | null;

  memory(context: Pointer): Pointer;
  copySequence(memory: Pointer, from: number, to: number, start: number, end: number): void;
  removeSequence(memory: Pointer, sequence: number, start: number, end: number): boolean;
  lastPosition(memory: Pointer, sequence: number): number;

  /** 0: decoded, 1: no free cells, 2: aborted, negative: rejected. */
  decode(context: Pointer, batch: NativeBatch): number;
  logits(context: Pointer): Pointer;

  /** Null if the file is no adapter of this model. The model frees the adapter. */
  loadAdapter(model: Pointer, path: string): Pointer | null;
  /** Sets a context's adapters: pointers, each with its scale. 0 on success. */
  setAdapters(context: Pointer, adapters: BigUint64Array, count: number, scales: Float32Array): number;

  /** Null if the grammar cannot be read. */
  createGrammar(vocabulary: Pointer, source: string, root: string): Pointer | null;
  /** `tokens` is a llama_token_data_array. */
  applySampler(sampler: Pointer, tokens: Uint8Array): void;
  acceptToken(sampler: Pointer, token: number): void;
  freeSampler(sampler: Pointer): void;
}

/** Loads the library, silences its logs, picks the processor's variant, and refuses an unknown layout. */
export function loadBinding(files: LibraryFiles): Binding {
  const koffi = loadKoffi();
  const ggml = koffi.load(files.ggml);
  koffi.load(files.ggmlBase);
  const llama = koffi.load(files.llama);
  const model = koffi.struct(modelParameters);
  const context = koffi.struct(contextParameters);
  const batch = koffi.struct(batchLayout);

  // The log callback is global to the process and may be called from any thread, so it must be native: any library function without
  // arguments or effect will do. A JavaScript callback would outlive its worker.
  llama.func('llama_log_set', 'void', ['void *', 'void *'])(llama.symbol('llama_supports_mmap'), null);
  ggml.func('ggml_backend_load_all_from_path', 'void', ['str'])(files.directory);
  llama.func('llama_backend_init', 'void', [])();

  const binding = describeFunctions(koffi, llama, { model, context, batch }, files.release);
  checkAbi({
    release: files.release,
    version: llama.func('llama_version', 'str', [])() as string,
    sizes: binding.sizes,
    model: binding.modelDefaults() as AbiDefaults,
    context: binding.contextDefaults() as AbiDefaults,
  });
  return binding;
}

function loadKoffi(): Koffi {
  try {
    return createRequire(import.meta.url)('koffi') as Koffi;
  } catch {
    return raise(
      'unsupported',
      'the embedded engine needs the package koffi, which is not installed or has no build for this machine; run: npm install koffi@3.3.4',
    );
  }
}

interface Layouts {
  readonly model: KoffiType;
  readonly context: KoffiType;
  readonly batch: KoffiType;
}

function describeFunctions(koffi: Koffi, library: KoffiLibrary, layouts: Layouts, release: string): Binding {
  const declare = <F>(name: string, result: KoffiType, ...parameters: KoffiType[]): F =>
    library.func(name, result, parameters) as F;
  return {
    release,
    sizes: {
      modelParameters: koffi.sizeof(layouts.model),
      contextParameters: koffi.sizeof(layouts.context),
      batch: koffi.sizeof(layouts.batch),
    },
    address: (memory) => koffi.address(memory),
    view: (pointer, bytes) => koffi.view(pointer, bytes),
    seesGpu: declare('llama_supports_gpu_offload', 'bool'),
    modelDefaults: declare('llama_model_default_params', layouts.model),
    contextDefaults: declare('llama_context_default_params', layouts.context),
    loadModel: declare('llama_model_load_from_file', 'void *', 'str', layouts.model),
    freeModel: declare('llama_model_free', 'void', 'void *'),
    createContext: declare('llama_init_from_model', 'void *', 'void *', layouts.context),
    freeContext: declare('llama_free', 'void', 'void *'),
    contextCells: declare('llama_n_ctx', 'uint32', 'void *'),
    setThreads: declare('llama_set_n_threads', 'void', 'void *', 'int32', 'int32'),
    vocabulary: declare('llama_model_get_vocab', 'void *', 'void *'),
    vocabularyType: declare('llama_vocab_type', 'int32', 'void *'),
    vocabularySize: declare('llama_vocab_n_tokens', 'int32', 'void *'),
    tokenText: declare('llama_vocab_get_text', 'str', 'void *', 'int32'),
    endsGeneration: declare('llama_vocab_is_eog', 'bool', 'void *', 'int32'),
    isControl: declare('llama_vocab_is_control', 'bool', 'void *', 'int32'),
    bosToken: declare('llama_vocab_bos', 'int32', 'void *'),
    eosToken: declare('llama_vocab_eos', 'int32', 'void *'),
    tokenize: declare('llama_tokenize', 'int32', 'void *', 'void *', 'int32', 'void *', 'int32', 'bool', 'bool'),
    tokenToPiece: declare('llama_token_to_piece', 'int32', 'void *', 'int32', 'void *', 'int32', 'int32', 'bool'),
    trainedContext: declare('llama_model_n_ctx_train', 'int32', 'void *'),
    layers: declare('llama_model_n_layer', 'int32', 'void *'),
    width: declare('llama_model_n_embd', 'int32', 'void *'),
    heads: declare('llama_model_n_head', 'int32', 'void *'),
    kvHeads: declare('llama_model_n_head_kv', 'int32', 'void *'),
    parameterCount: declare('llama_model_n_params', 'uint64', 'void *'),
    modelBytes: declare('llama_model_size', 'uint64', 'void *'),
    hasDecoder: declare('llama_model_has_decoder', 'bool', 'void *'),
    describe: declare('llama_model_desc', 'int32', 'void *', 'void *', 'size_t'),
    metadata: declare('llama_model_meta_val_str', 'int32', 'void *', 'str', 'void *', 'size_t'),
    chatTemplate: declare('llama_model_chat_template', 'str', 'void *', 'str'),
    memory: declare('llama_get_memory', 'void *', 'void *'),
    copySequence: declare('llama_memory_seq_cp', 'void', 'void *', 'int32', 'int32', 'int32', 'int32'),
    removeSequence: declare('llama_memory_seq_rm', 'bool', 'void *', 'int32', 'int32', 'int32'),
    lastPosition: declare('llama_memory_seq_pos_max', 'int32', 'void *', 'int32'),
    decode: declare('llama_decode', 'int32', 'void *', layouts.batch),
    logits: declare('llama_get_logits', 'void *', 'void *'),
    loadAdapter: declare('llama_adapter_lora_init', 'void *', 'void *', 'str'),
    setAdapters: declare('llama_set_adapters_lora', 'int32', 'void *', 'void *', 'size_t', 'void *'),
    createGrammar: declare('llama_sampler_init_grammar', 'void *', 'void *', 'str', 'str'),
    applySampler: declare('llama_sampler_apply', 'void', 'void *', 'void *'),
    acceptToken: declare('llama_sampler_accept', 'void', 'void *', 'int32'),
    freeSampler: declare('llama_sampler_free', 'void', 'void *'),
  };
}
