// `POST /v1/messages/count_tokens`: the engine's own count of a text if it gives one, else an estimate, marked as one.

import type { Upstream } from '@coppice/core/config';
import { parseJson, readBody } from '@coppice/core/remote';
import { parseBody } from '../../http/checked-input.ts';
import { type BodyReading, type Exchange, readJson, writeJson } from '../../http/exchange.ts';
import { type Serving, servedModel } from '../../models/served-model.ts';
import { countSchema, estimateTokens, isBeyondText, messagesOf } from './message-body.ts';

const countBytes = 8 * 1024 * 1024;

export async function countTokens(context: BodyReading & Serving, exchange: Exchange): Promise<void> {
  const body = parseBody(countSchema, await readJson(context, exchange.request));
  const { upstream } = servedModel(context, body.model);
  const exact = upstream && !isBeyondText(body) ? await askServer(upstream, messagesOf(body)) : undefined;
  const { system, messages, tools } = body;
  const parts = [...(system ? [system] : []), ...messages.map(({ content }) => content), ...(tools ?? [])];
  const input_tokens = exact ?? estimateTokens(parts);
  writeJson(exchange.response, 200, { input_tokens, coppice: { estimate: exact === undefined } });
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
    const { count } = parseJson(await readBody(answer, countBytes, 'tokenize'), 'tokenize') as { count?: unknown };
    return answer.ok && Number.isInteger(count) && Number(count) >= 0 ? Number(count) : undefined;
  } catch {
    return undefined;
  }
}
