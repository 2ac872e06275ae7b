// A small deterministic model for the test servers: a tokenizer whose delimiters share tokens with other text (".\n\n" is
// one token), and a continuation that depends only on the prompt's tokens, the seed and the temperature. It writes steps
// such as "Step 2: keep 7.\n\n" and, after a few, an answer and its end.

import { Random } from '../../packages/core/src/base/random.ts';

export interface Token {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
}

export const endOfText = 1;
const firstOfText = 0;
const pieces = /\.\n\n\n|\.\n\n|\n\n|\n|<[|/]?\w+[|]?>| ?[\p{L}]+| ?\d|[^\S\n]+|[^\p{L}\d\s]/gu;

/** One vocabulary for all servers of a test, as replicas of one model share one. */
export class Vocabulary {
  readonly #ids = new Map<string, number>([
    ['<s>', firstOfText],
    ['</s>', endOfText],
  ]);
  readonly #texts: string[] = ['<s>', '</s>'];

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.#ids.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  encode(text: string, addFirst: boolean): number[] {
    const ids = (text.match(pieces) ?? []).map((piece) => this.id(piece));
    return addFirst ? [firstOfText, ...ids] : ids;
  }

  text(id: number): string | undefined {
    return this.#texts[id];
  }

  decode(ids: readonly number[]): string {
    return ids.map((id) => (id === endOfText || id === firstOfText ? '' : (this.#texts[id] ?? '\ufffd'))).join('');
  }
}

export interface ModelOptions {
  /** Steps before the answer. */
  readonly depth: number;
}

/** Everything the model would write after a prompt, the end of the text included. */
export function continuation(
  vocabulary: Vocabulary,
  prompt: string,
  seed: number,
  temperature: number,
  { depth }: ModelOptions,
): Token[] {
  const done = prompt.split('Step ').length - 1;
  const random = new Random('test-model', prompt, temperature === 0 ? 0 : seed);
  let text = '';
  for (let step = done + 1; step <= depth; step += 1) {
    const words = ['keep', 'double', 'café', 'wägen', '数'];
    text += `Step ${step}: ${words[random.integer(words.length)]} ${random.integer(100)} ✓.\n\n`;
  }
  text += `The answer is ${random.integer(10)}.`;
  const tokens = vocabulary.encode(text, false).map((id) => ({
    id,
    text: vocabulary.text(id)!,
    logprob: -random.uniform(),
  }));
  return [...tokens, { id: endOfText, text: '', logprob: -0.1 }];
}

/** A model that thinks in tags before it answers. */
export interface ThinkingModel {
  /** Words of its thinking, one token each. */
  readonly words: number;
  /** Its template writes the tag that begins it. */
  readonly opens?: boolean;
  /** Its template has a switch, which leaves an empty thought in the place of one. */
  readonly switches?: boolean;
  /** The field that its server's chat route sends the thinking in. */
  readonly field?: 'reasoning' | 'reasoning_content';
}

export const thoughtAnswer = 'It is simple.\n\nThe answer is 42.';

/** What its template writes behind the last turn. */
export function turnOf({ opens, switches }: ThinkingModel, variables: unknown): string {
  const { enable_thinking: thinks } = (variables ?? {}) as { readonly enable_thinking?: boolean };
  if (switches && thinks === false) return '<think>\n\n</think>\n\n';
  return opens ? '<think>\n' : '';
}

/** All that it would still write behind a prompt: how far it has come is read off the prompt. */
export function thoughtContinuation(vocabulary: Vocabulary, prompt: string, { words }: ThinkingModel): Token[] {
  const said = prompt.slice(prompt.lastIndexOf('<assistant>') + '<assistant>'.length);
  const closed = said.lastIndexOf('</think>');
  const wanted = words * said.split('Wait').length;
  const left = Math.max(0, wanted - said.split(' hm').length + 1);
  const thought = `${said === '' ? '<think>\n' : ''}${' hm'.repeat(left)}\n</think>`;
  const behind = closed < 0 ? '' : said.slice(closed + '</think>'.length);
  const blank = closed >= 0 && behind !== '' ? '' : '\n\n';
  const rest = behind.endsWith('answer is') ? ' 42.' : thoughtAnswer.slice(behind.trimStart().length);
  const text = `${closed < 0 ? thought : ''}${blank}${rest}`;
  const tokens = vocabulary.encode(text, false).map((id) => ({ id, text: vocabulary.text(id)!, logprob: -0.1 }));
  return [...tokens, { id: endOfText, text: '', logprob: -0.1 }];
}

export type Ending =
  | { readonly type: 'stop'; readonly matched: string }
  | { readonly type: 'eos' }
  | { readonly type: 'length' };

/** What a server that tests stop strings on detokenised text would write, and why it ended. */
export function cutTokens(
  tokens: readonly Token[],
  stops: readonly string[],
  maxTokens: number,
): { tokens: Token[]; ending: Ending } {
  const written: Token[] = [];
  let text = '';
  for (const token of tokens) {
    written.push(token);
    if (token.id === endOfText) return { tokens: written, ending: { type: 'eos' } };
    text += token.text;
    const matched = stops.find((stop) => text.includes(stop));
    if (matched !== undefined) return { tokens: written, ending: { type: 'stop', matched } };
    if (written.length >= maxTokens) return { tokens: written, ending: { type: 'length' } };
  }
  return { tokens: written, ending: { type: 'length' } };
}
