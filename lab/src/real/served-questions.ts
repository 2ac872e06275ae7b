// Sends questions to a running gateway at given moments, like a client: one chat completion each, with only the row's settings.

import { type GoldQuestion, isRight } from '@coppice/core/answering';
import type { TimedLine } from './arrival-table.ts';

export interface ServedLine extends TimedLine {
  readonly exit: string;
  readonly verdict: string;
  readonly confidence: number | null;
  readonly samples: number;
  /** Set where it got an error in the place of an answer. */
  readonly isRefused?: true;
}

export interface ServedModelRow {
  readonly url: string;
  readonly model: string;
  /** The rest of the body. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface ChatSaid {
  readonly coppice?: {
    readonly answer: string | null;
    readonly exit: { readonly kind: string };
    readonly verdict: string;
    readonly confidence: number | null;
    readonly rollouts: number;
    readonly tokens: { readonly generated: number; readonly verifier: number };
  };
  readonly error?: { readonly code: string };
}

type Asked = Omit<ServedLine, 'contender' | 'load' | 'perSecond'>;

/** Returns the number of questions without a reply. Nothing is kept of them, so a second run sends them again. */
export async function askAtMoments(
  row: ServedModelRow,
  questions: readonly GoldQuestion[],
  atMs: readonly number[],
  onAnswer: (answer: Asked) => void,
): Promise<number> {
  const startMs = performance.now();
  const replies = questions.map(async (question, at) => {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs[at]! - (performance.now() - startMs))));
    const answer = await asked(row, question).catch(() => undefined);
    if (answer !== undefined) onAnswer(answer);
    return answer;
  });
  return (await Promise.all(replies)).filter((answer) => answer === undefined).length;
}

/** The answer of a question that was refused is wrong. */
async function asked({ url, model, body }: ServedModelRow, gold: GoldQuestion): Promise<Asked> {
  const startMs = performance.now();
  const messages = [{ role: 'user', content: gold.question }];
  const reply = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, ...body }),
  });
  const { coppice, error } = (await reply.json()) as ChatSaid;
  const took = { question: gold.id, latencyMs: performance.now() - startMs };
  if (coppice === undefined) {
    const nothing = { generatedTokens: 0, scoredTokens: 0, verdict: 'none', confidence: null, samples: 0 };
    return { ...took, ...nothing, correct: false, isRefused: true, exit: error?.code ?? String(reply.status) };
  }
  const { answer, exit, verdict, confidence, rollouts: samples, tokens } = coppice;
  return {
    ...took,
    correct: isRight(gold, answer ?? undefined),
    generatedTokens: tokens.generated,
    scoredTokens: tokens.verifier,
    exit: exit.kind,
    verdict,
    confidence,
    samples,
  };
}
