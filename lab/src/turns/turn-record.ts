// Records turns that a chat server draws for questions with functions, all turns of a question in one request. Keeps the calls that the server's
// parser finds, and the text beside them; judges nothing.

import type { ToolQuestion, TurnKind } from './question-maker.ts';
import type { CallableTool, MadeTurn } from './tool-domain.ts';

export interface RecordedTurn extends MadeTurn {
  readonly content: string | null;
  readonly tokens: number;
  readonly finish: string;
}

/** One line of a recording; its replay does not need the maker of the questions. */
export interface RecordedQuestion {
  readonly question: string;
  readonly kind: TurnKind;
  readonly asked: string;
  readonly tools: readonly CallableTool[];
  readonly reference: MadeTurn;
  readonly turns: readonly RecordedTurn[];
  /** Of all turns, which a server draws at once. */
  readonly seconds: number;
  /** At temperature 0. */
  readonly greedy: RecordedTurn;
  readonly greedySeconds: number;
}

export interface TurnServer {
  readonly url: string;
  readonly model: string;
  readonly draws: number;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly seed: number;
}

interface ChatReply {
  readonly choices: readonly {
    readonly message: {
      readonly content?: string | null;
      readonly tool_calls?:
        | readonly { readonly function: { readonly name: string; readonly arguments: string } }[]
        | null;
    };
    readonly finish_reason: string | null;
    readonly logprobs?: { readonly content?: readonly unknown[] | null } | null;
  }[];
  readonly usage: { readonly completion_tokens: number };
}

/** `concurrency` requests at a time. Resolves to the failures, by question. */
export async function recordTurns(
  server: TurnServer,
  questions: readonly ToolQuestion[],
  concurrency: number,
  onQuestion: (line: RecordedQuestion) => void,
): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  const waiting = [...questions].reverse();
  const one = async (): Promise<void> => {
    for (let question = waiting.pop(); question !== undefined; question = waiting.pop()) {
      try {
        onQuestion(await recorded(server, question));
      } catch (error) {
        failed.set(question.id, error instanceof Error ? error.message : String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  return failed;
}

async function recorded(server: TurnServer, question: ToolQuestion): Promise<RecordedQuestion> {
  const { id, kind, tools, messages, reference } = question;
  const greedy = await drawn(server, question, 1, 0);
  const { turns, seconds } = await drawn(server, question, server.draws, server.temperature);
  const asked = messages.at(-1)!.content;
  const alone = { greedy: greedy.turns[0]!, greedySeconds: greedy.seconds };
  return { question: id, kind, asked, tools, reference, turns, seconds, ...alone };
}

async function drawn(server: TurnServer, { tools, messages }: ToolQuestion, n: number, temperature: number) {
  const { url, model, maxTokens, seed } = server;
  const body = {
    model,
    messages,
    tools: tools.map((each) => ({ type: 'function', function: each })),
    n,
    temperature,
    max_tokens: maxTokens,
    seed,
    // One entry a token: the usage of a reply counts its choices together. llama-server gives none for the best of none.
    logprobs: true,
    top_logprobs: 1,
  };
  const startMs = performance.now();
  const reply = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${url} answers ${reply.status}: ${(await reply.text()).slice(0, 300)}`);
  const { choices, usage } = (await reply.json()) as ChatReply;
  if (choices.length !== n) throw new Error(`${url} gives ${choices.length} turns where ${n} were asked for`);
  const seconds = (performance.now() - startMs) / 1000;
  return { seconds, turns: choices.map((choice) => turnIn(choice, n === 1 ? usage.completion_tokens : undefined)) };
}

function turnIn(
  { message, finish_reason, logprobs }: ChatReply['choices'][number],
  alone: number | undefined,
): RecordedTurn {
  const tokens = alone ?? logprobs?.content?.length;
  if (tokens === undefined)
    throw new Error('the server gives no log probabilities, by which the tokens of each turn are counted');
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: text } }) => ({
    name,
    arguments: text,
  }));
  return { content: message.content ?? null, calls, tokens, finish: finish_reason ?? '' };
}
