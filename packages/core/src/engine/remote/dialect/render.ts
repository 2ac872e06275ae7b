// A prompt as tokens, by the server's own template and tokenizer; and POST /tokenize of vLLM and SGLang.

import { FaultError, fault } from '../../../base/fault.ts';
import { isRecord } from '../../../base/record.ts';
import { type Connection, usualBytes } from '../../../remote/connection.ts';
import { numbers } from '../../../remote/wire-values.ts';
import type { Prompt } from '../../../tree/step.ts';
import type { Dialect, RenderStep, ServerFacts, WireRequest } from './dialect.ts';

export type Tokens = readonly number[];

export function sameTokens(a: Tokens, b: Tokens): boolean {
  return a.length === b.length && a.every((token, at) => token === b[at]);
}

export interface Renderer {
  readonly connection: Connection;
  readonly dialect: Dialect;
  readonly facts: ServerFacts;
}

export async function render(prompt: Prompt, renderer: Renderer): Promise<Tokens> {
  const { connection, dialect, facts } = renderer;
  let answer: unknown;
  for (const next of dialect.render!(prompt, facts)) answer = await post(connection, next(answer));
  const tokens = tokensOf(answer, connection);
  // Template and tokenizer may both add the first token.
  return tokens.length > 1 && tokens[0] === tokens[1] && prompt.kind === 'chat' ? tokens.slice(1) : tokens;
}

export async function tokenize(text: string, { connection, dialect, facts }: Renderer): Promise<Tokens> {
  return tokensOf(await post(connection, dialect.tokenize!(text, facts)), connection);
}

/** A token has at least one character, and up to seven digits and a comma. */
const bytesPerCharacter = 8;

function post(connection: Connection, { path, body }: WireRequest): Promise<unknown> {
  const limitBytes = usualBytes + bytesPerCharacter * JSON.stringify(body).length;
  return connection.json('POST', path, body, { limitBytes });
}

function tokensOf(answer: unknown, connection: Connection): number[] {
  const tokens = isRecord(answer) ? numbers(answer.tokens) : [];
  if (tokens.length > 0) return tokens;
  throw new FaultError(fault('protocol', `${connection.url}/tokenize gave no tokens`));
}

export function renderByTokenize(prompt: Prompt, { model }: ServerFacts): readonly RenderStep[] {
  const body =
    prompt.kind === 'text'
      ? { model, prompt: prompt.text, add_special_tokens: true }
      : { model, ...templateFields(prompt) };
  return [() => ({ path: '/tokenize', body })];
}

export function tokenizeText(content: string, { model }: ServerFacts): WireRequest {
  return { path: '/tokenize', body: { model, prompt: content, add_special_tokens: false } };
}

export function templateFields({ messages, template }: Extract<Prompt, { kind: 'chat' }>) {
  const open = messages.at(-1)?.role === 'assistant';
  return { messages, add_generation_prompt: !open, continue_final_message: open, chat_template_kwargs: template };
}
