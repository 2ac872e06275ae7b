// Sessions on a running gateway, in real time: each turn is a chat completion that passes through, and sends the conversation again with
// the model's own answer. Lengths and pauses are those of the plan, made smaller.

import { setTimeout as sleep } from 'node:timers/promises';
import { mean, raise } from '@coppice/core/base';
import { fillerText } from '../rehearse/filler.ts';
import { rateOf, type ServedSessions } from './served-sessions.ts';
import { type PlannedSession, type PlannedTurn, sharedTokens } from './session-load.ts';

export interface AskedGateway {
  readonly url: string;
  readonly model: string;
  /** Sizes and pauses of the plan are multiplied by it. */
  readonly scale: number;
  /** Whether requests name their session. */
  readonly named: boolean;
  /** Of names and words, so that no run finds the cache of another. */
  readonly run: string;
}

interface ChatReply {
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  };
}

interface SentTurn {
  readonly prompt: number;
  readonly cached: number;
  /** Of the prompt, what the session had sent before. */
  readonly sent: number;
}

/** Of vocabularies that write each digit as a token. */
const wordsPerToken = 1 / 5.9;

export async function askSessions(planned: readonly PlannedSession[], gateway: AskedGateway): Promise<ServedSessions> {
  const startMs = performance.now();
  const later: SentTurn[] = [];
  const endsMs: number[] = [];
  const tookMs = await Promise.all(
    planned.map(async ({ startMs: atMs, turns }, at) => {
      await sleep(Math.max(0, gateway.scale * atMs - (performance.now() - startMs)));
      const fromMs = performance.now();
      const messages = [{ role: 'system', content: words(`${gateway.run} all`, sharedTokens * gateway.scale) }];
      let before = sharedTokens;
      let sent = 0;
      for (const [turn, one] of turns.entries()) {
        messages.push({
          role: 'user',
          content: words(`${gateway.run} ${at} ${turn}`, gateway.scale * (one.promptTokens - before)),
        });
        const { choices, usage } = await askTurn(gateway, `${gateway.run}-${at}`, messages, one);
        messages.push({ role: 'assistant', content: choices![0]!.message.content });
        const prompt = usage!.prompt_tokens;
        if (turn > 0) later.push({ prompt, cached: usage!.prompt_tokens_details?.cached_tokens ?? 0, sent });
        [before, sent] = [one.promptTokens + one.answerTokens, prompt];
        endsMs.push(performance.now());
        if (turn + 1 < turns.length) await sleep(gateway.scale * one.toolMs);
      }
      return performance.now() - fromMs;
    }),
  );
  const all = (read: (turn: SentTurn) => number) => mean(later.map(read));
  return {
    tookMs,
    turnsPerSecond: rateOf(endsMs),
    foundOfAll: all(({ cached }) => cached) / all(({ prompt }) => prompt),
    foundOfSent: all(({ cached, sent }) => Math.min(cached, sent)) / all(({ sent }) => sent),
  };
}

async function askTurn(
  { url, model, scale, named }: AskedGateway,
  session: string,
  messages: readonly object[],
  { answerTokens }: PlannedTurn,
): Promise<ChatReply> {
  const maxTokens = Math.max(1, Math.round(scale * answerTokens));
  const body = {
    model,
    messages,
    max_tokens: maxTokens,
    reasoning_effort: 'none',
    ...(named && { prompt_cache_key: session }),
  };
  const reply = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await reply.text();
  if (!reply.ok) return raise('bad-setting', `the gateway answers ${reply.status}: ${said.slice(0, 200)}`);
  return JSON.parse(said) as ChatReply;
}

function words(name: string, tokens: number): string {
  return fillerText(name, Math.max(1, Math.round(tokens * wordsPerToken)));
}
