// Greedy answers of a chat server without coppice: one request per question, whole, graded with the same reading of answers.

import { extractAnswer as extractWritten, readingFor } from '@coppice/core/answer';
import { type GoldQuestion, isRight } from '@coppice/core/answering';

export interface DirectSettings {
  readonly url: string;
  readonly model: string;
  /** The system message; without one the chat template says what it says. */
  readonly system?: string;
  readonly maxTokens: number;
  /** Requests at a time. */
  readonly concurrency: number;
}

export interface DirectAnswer {
  readonly question: string;
  readonly answer: string | null;
  readonly correct: boolean;
  readonly tokens: number;
  readonly finish: string;
}

interface Completion {
  readonly choices: readonly {
    readonly message: { readonly content: string | null };
    readonly finish_reason: string;
  }[];
  readonly usage: { readonly completion_tokens: number };
}

export async function askDirectly(
  settings: DirectSettings,
  questions: readonly GoldQuestion[],
  onAnswer: (answer: DirectAnswer) => void,
): Promise<void> {
  const waiting = [...questions].reverse();
  const one = async (): Promise<void> => {
    for (let question = waiting.pop(); question !== undefined; question = waiting.pop()) {
      onAnswer(await answerOf(settings, question));
    }
  };
  await Promise.all(Array.from({ length: settings.concurrency }, one));
}

async function answerOf(settings: DirectSettings, question: GoldQuestion): Promise<DirectAnswer> {
  const { url, model, system, maxTokens } = settings;
  const told = system === undefined ? [] : [{ role: 'system', content: system }];
  const messages = [...told, { role: 'user', content: question.question }];
  const reply = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, temperature: 0, max_tokens: maxTokens }),
  });
  if (!reply.ok) throw new Error(`${url} answers ${reply.status}: ${(await reply.text()).slice(0, 300)}`);
  const { choices, usage } = (await reply.json()) as Completion;
  const [choice] = choices;
  const answer = readingFor(question.question, extractWritten)(choice?.message.content ?? '');
  return {
    question: question.id,
    answer: answer ?? null,
    correct: isRight(question, answer),
    tokens: usage.completion_tokens,
    finish: choice?.finish_reason ?? '',
  };
}
