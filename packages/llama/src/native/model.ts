// A loaded GGUF model and its vocabulary: tokens to bytes and back, chat template, metadata. Holds native memory until `close`; its contexts
// must be closed before. Threads may share the weights: the last one frees them.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { FaultError, hash, raise } from '@coppice/core/base';
import type { TemplateThinking } from '@coppice/core/engine';
import { type Message, type Prompt, thinkingSwitch, usualTags } from '@coppice/core/tree';
import { Template } from '@huggingface/jinja';
import type { BaseShape } from '../adapter/peft-adapter.ts';
import type { Binding, Pointer } from './binding.ts';
import { Grammar, type TokenConstraint, TokenTable } from './grammar.ts';

const ggufMagic = 'GGUF';
const ggufVersions = [2, 3];
const noVocabulary = 0;

export interface ModelOptions {
  /** Layers on a GPU, if the platform's library has one; all by default. */
  readonly gpuLayers?: number;
}

export interface SharedWeights {
  readonly path: string;
  readonly handle: Pointer;
  /** Number of holders, in memory that all threads share. */
  readonly holders: Int32Array<SharedArrayBuffer>;
}

export class Model {
  readonly path: string;
  readonly handle: Pointer;
  readonly vocabularySize: number;
  readonly contextTokens: number;
  readonly #binding: Binding;
  readonly #vocabulary: Pointer;
  readonly #begin: string;
  readonly #holders: Int32Array<SharedArrayBuffer>;
  #template: Template | undefined;
  #turnFrame: TurnFrame | undefined;
  #table: TokenTable | undefined;
  readonly #pieces: (Uint8Array | undefined)[] = [];
  #closed = false;

  private constructor(binding: Binding, { path, handle, holders }: SharedWeights) {
    this.#binding = binding;
    this.path = path;
    this.handle = handle;
    this.#holders = holders;
    this.#vocabulary = binding.vocabulary(handle);
    this.vocabularySize = binding.vocabularySize(this.#vocabulary);
    this.contextTokens = binding.trainedContext(handle);
    this.#begin = this.#specialText(binding.bosToken);
  }

  static load(binding: Binding, path: string, options: ModelOptions = {}): Model {
    checkFile(path);
    const defaults = binding.modelDefaults();
    const layers = options.gpuLayers === undefined ? {} : { n_gpu_layers: options.gpuLayers };
    const handle = binding.loadModel(path, { ...defaults, ...layers });
    if (handle === null) {
      return raise(
        'bad-setting',
        `libllama cannot read the model ${path}: the file is damaged or of an architecture that libllama ${binding.release} does not know`,
      );
    }
    const holders = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    const model = new Model(binding, { path, handle, holders });
    if (!binding.hasDecoder(handle) || binding.vocabularyType(model.#vocabulary) === noVocabulary) {
      model.close();
      return raise('unsupported', `the model ${path} cannot generate text: it has no decoder or no vocabulary`);
    }
    return model;
  }

  /** Shares weights loaded by another thread. */
  static borrow(binding: Binding, weights: SharedWeights): Model {
    const { holders, path } = weights;
    for (let held = Atomics.load(holders, 0); held > 0; held = Atomics.load(holders, 0)) {
      if (Atomics.compareExchange(holders, 0, held, held + 1) === held) return new Model(binding, weights);
    }
    return raise('cancelled', `the model ${path} was closed before its weights could be shared`);
  }

  get weights(): SharedWeights {
    return { path: this.path, handle: this.handle, holders: this.#holders };
  }

  /** Tokens of plain text alone; text that looks like a control token stays text. */
  tokenize(text: string): number[] {
    return this.#tokenize(text, false, false);
  }

  /** Tokens of a prompt, after the model's own opening tokens. */
  tokenizePrompt(prompt: Prompt): number[] {
    if (prompt.kind === 'text') return this.#tokenize(prompt.text, true, true);
    const text = this.renderChat(prompt.messages, prompt.template);
    return this.#tokenize(text, !text.startsWith(this.#begin), true);
  }

  /**
   * Tokens of a user message after an open assistant message: its end, the message, and the beginning of the reply, in the file's template.
   * Control tokens within the message stay text.
   */
  tokenizeTurn(turn: string): number[] {
    this.#turnFrame ??= frameOf(this.renderChat(turnSample), this.path);
    const { before, after } = this.#turnFrame;
    return [
      ...this.#tokenize(before, false, true),
      ...this.#tokenize(turn.trim(), false, false),
      ...this.#tokenize(after, false, true),
    ];
  }

  readonly pieceOf = (token: number): Uint8Array => {
    const known = this.#pieces[token];
    if (known !== undefined) return known;
    const piece = this.#readPiece(token);
    this.#pieces[token] = piece;
    return piece;
  };

  hold(source: string): TokenConstraint {
    this.#table ??= new TokenTable(this.#binding, this.vocabularySize);
    return new Grammar(this.#binding, this.#vocabulary, this.#table, source);
  }

  endsGeneration(token: number): boolean {
    return this.#binding.endsGeneration(this.#vocabulary, token);
  }

  get hasChatTemplate(): boolean {
    return this.#binding.chatTemplate(this.handle, null) !== null;
  }

  /** Renders chat messages with the file's template, or as plain paragraphs if it has none. */
  renderChat(messages: readonly Message[], variables: Readonly<Record<string, boolean>> = {}): string {
    if (this.#template === undefined) {
      const source = this.#binding.chatTemplate(this.handle, null);
      if (source === null) return messages.map((message) => `${message.content}\n`).join('');
      this.#template = parseTemplate(source, this.path);
    }
    const tokens = { bos_token: this.#begin, eos_token: this.#specialText(this.#binding.eosToken) };
    try {
      return this.#template.render({ messages: [...messages], add_generation_prompt: true, ...variables, ...tokens });
    } catch (error) {
      return raise('unsupported', `the chat template of ${this.path} refuses these messages: ${reasonOf(error)}`);
    }
  }

  /** Undefined if the file has no template, or if the template refuses a single message. */
  get templateThinking(): TemplateThinking | undefined {
    if (!this.hasChatTemplate) return undefined;
    const rendered = (thinks?: boolean) =>
      this.renderChat([{ role: 'user', content: 'a' }], thinks === undefined ? {} : thinkingSwitch(thinks));
    try {
      const opens = rendered().trimEnd().endsWith(usualTags.open);
      return { opens, switches: rendered(true) !== rendered(false) };
    } catch (error) {
      if (error instanceof FaultError) return undefined;
      throw error;
    }
  }

  metadata(key: string): string | undefined {
    const buffer = new Uint8Array(65_536);
    const length = this.#binding.metadata(this.handle, key, buffer, buffer.length);
    return length < 0 ? undefined : new TextDecoder().decode(buffer.subarray(0, Math.min(length, buffer.length - 1)));
  }

  get shape(): BaseShape {
    const { handle, path } = this;
    const architecture = this.metadata('general.architecture') ?? '';
    const number = (key: string) => Number(this.metadata(`${architecture}.${key}`) ?? Number.NaN);
    const [width, heads] = [this.#binding.width(handle), this.#binding.heads(handle)];
    return {
      path,
      architecture,
      layers: this.#binding.layers(handle),
      heads,
      kvHeads: this.#binding.kvHeads(handle),
      headWidth: number('attention.key_length') || width / heads,
      width,
      inner: number('feed_forward_length'),
    };
  }

  /** Bytes of one token's keys and values in a 16-bit cache. */
  get kvTokenBytes(): number {
    const { handle } = this;
    const headWidth = this.#binding.width(handle) / this.#binding.heads(handle);
    return this.#binding.layers(handle) * this.#binding.kvHeads(handle) * headWidth * 2 * 2;
  }

  description(): { readonly name: string; readonly parameters: number; readonly bytes: number } {
    const buffer = new Uint8Array(256);
    const length = this.#binding.describe(this.handle, buffer, buffer.length);
    return {
      name: new TextDecoder().decode(buffer.subarray(0, Math.max(0, Math.min(length, buffer.length - 1)))),
      parameters: Number(this.#binding.parameterCount(this.handle)),
      bytes: Number(this.#binding.modelBytes(this.handle)),
    };
  }

  /** Equal for models whose token ids mean the same text. */
  vocabularyHash(): number {
    let state = hash(this.vocabularySize);
    for (let token = 0; token < this.vocabularySize; token += 1) state = hash(state, this.#tokenText(token));
    return state;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (Atomics.sub(this.#holders, 0, 1) === 1) this.#binding.freeModel(this.handle);
  }

  #tokenText(token: number): string {
    return this.#binding.tokenText(this.#vocabulary, token);
  }

  #readPiece(token: number): Uint8Array {
    if (this.#binding.isControl(this.#vocabulary, token)) return new Uint8Array(0);
    let buffer = new Uint8Array(64);
    let length = this.#binding.tokenToPiece(this.#vocabulary, token, buffer, buffer.length, 0, false);
    if (length < 0) {
      buffer = new Uint8Array(-length);
      length = this.#binding.tokenToPiece(this.#vocabulary, token, buffer, buffer.length, 0, false);
    }
    return buffer.slice(0, Math.max(0, length));
  }

  #tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): number[] {
    const bytes = new TextEncoder().encode(text);
    const tokens = new Int32Array(bytes.length + 2);
    const size = tokens.length;
    const count = this.#binding.tokenize(this.#vocabulary, bytes, bytes.length, tokens, size, addSpecial, parseSpecial);
    if (count < 0) return raise('internal', `libllama could not tokenise ${bytes.length} bytes (${count})`);
    return Array.from(tokens.subarray(0, count));
  }

  #specialText(special: (vocabulary: Pointer) => number): string {
    const token = special(this.#vocabulary);
    return token < 0 ? '' : this.#tokenText(token);
  }
}

/** The template's text around a user message within a conversation. */
interface TurnFrame {
  readonly before: string;
  readonly after: string;
}

const saidMark = 'coppice-said';
const turnMark = 'coppice-turn';
const turnSample: readonly Message[] = [
  { role: 'user', content: '?' },
  { role: 'assistant', content: saidMark },
  { role: 'user', content: turnMark },
];

function frameOf(rendered: string, path: string): TurnFrame {
  const [said, turn] = [rendered.indexOf(saidMark), rendered.indexOf(turnMark)];
  if (said < 0 || turn < said)
    return raise('unsupported', `the chat template of ${path} shows no message after an answer: turns cannot be added`);
  return { before: rendered.slice(said + saidMark.length, turn), after: rendered.slice(turn + turnMark.length) };
}

function parseTemplate(source: string, path: string): Template {
  try {
    return new Template(source);
  } catch (error) {
    return raise('unsupported', `the chat template of ${path} cannot be read: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Tells a missing, empty, foreign or cut file apart; libllama reports only "no model". */
function checkFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) raise('bad-setting', `there is no model file ${path}; it must be the path of a GGUF file`);
  if (!stat.isFile()) raise('bad-setting', `the model ${path} is not a file; --model takes the path of a GGUF file`);
  const header = Buffer.alloc(8);
  const file = openSync(path, 'r');
  let bytes: number;
  try {
    bytes = readSync(file, header);
  } finally {
    closeSync(file);
  }
  if (bytes < 8 || header.toString('latin1', 0, 4) !== ggufMagic) {
    raise('bad-setting', `the model ${path} is not a GGUF file (it does not begin with ${ggufMagic})`);
  }
  const version = header.readUInt32LE(4);
  if (!ggufVersions.includes(version)) {
    raise(
      'bad-setting',
      `the model ${path} is GGUF version ${version}; versions ${ggufVersions.join(' and ')} can be read`,
    );
  }
}
