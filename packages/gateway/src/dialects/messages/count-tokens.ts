// `POST /v1/messages/count_tokens`: the engine's own count if it gives one, else an estimate that says so.

import type { Upstream } from '@coppice/core/config';
import { readJsonBody } from '@coppice/core/remote';
import { type BodyReading, type Exchange, readJson, writeJson } from '../../http/exchange.ts';
import { type Serving, servedModel } from '../../models/served-model.ts';
import { messagesOf, parseCountBody } from './message-body.ts';

/** English has about 4 characters a token; a template adds some tokens to each message. */
const charsPerToken = 4;
const tokensPerMessage = 4;
const countBytes = 16 * 1024 * 1024;

export async function countTokens(context: BodyReading & Serving, exchange: Exchange): Promise<void> {
  const body = parseCountBody(await readJson(context, exchange.request));
  const model = servedModel(context, body.model);
  const messages = messagesOf(body);
  const exact = model.upstream === undefined ? undefined : await askServer(model.upstream, messages);
  const chars = messages.reduce((sum, { content }) => sum + String(content).length, 0);
  const estimate = Math.ceil(chars / charsPerToken) + messages.length * tokensPerMessage;
  writeJson(exchange.response, 200, { input_tokens: exact ?? estimate, coppice: { estimate: exact === undefined } });
}

async function askServer({ urls, model, headers }: Upstream, messages: readonly object[]): Promise<number | undefined> {
  try {
    const answer = await fetch(`${urls[0]?.replace(/\/v1$/, '')}/tokenize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages }),
      signal: AbortSignal.timeout(5000),
      redirect: 'error',
    });
    const { count } = (await readJsonBody(answer, countBytes, 'tokenize')) as { count?: unknown };
    return answer.ok && typeof count === 'number' ? count : undefined;
  } catch {
    return undefined;
  }
}
