// The baseline: a generator without coppice. A number of loops each ask the next question for one whole answer when their last one has come,
// without seeds, log probabilities or streams. A server gets plain chat requests, an engine in this process its own calls.

import { type GenerateRequest, type GenerationUsage, isAnswer, type ServerFacts } from '@coppice/core/engine';
import type { Engine } from 'coppice';
import { type AskedServer, readServers } from './server-reading.ts';
import type { WireLoad } from './wire-load.ts';
import type { AskedPlan } from './wire-questions.ts';

export interface FactualServer extends AskedServer {
  readonly facts: ServerFacts;
}

/** A server that refuses so many in a row is not measured. */
const mostFaults = 20;
const answerMs = 600_000;

export function askServers(servers: readonly FactualServer[], strands: number, next: () => AskedPlan): WireLoad {
  const ending = new AbortController();
  const { signal } = ending;
  let [tokens, faults] = [0, 0];
  let broken: unknown;
  const loop = async ({ connection, facts }: FactualServer): Promise<void> => {
    while (!signal.aborted && broken === undefined) {
      try {
        const body = chatBody(next(), facts);
        const answer = await connection.json('POST', '/v1/chat/completions', body, { timeoutMs: answerMs, signal });
        tokens += (answer as { usage?: { completion_tokens?: number } }).usage?.completion_tokens ?? 0;
        faults = 0;
      } catch (error) {
        faults += 1;
        if (!signal.aborted && faults >= mostFaults) broken = error;
      }
    }
  };
  const loops = Array.from({ length: strands }, (_, at) => loop(servers[at % servers.length]!));
  return {
    async read() {
      if (broken !== undefined) throw broken;
      const reading = await readServers(servers);
      return { ...reading, tokens: reading.tokens ?? tokens };
    },
    cancel: () => ending.abort(),
    close: async () => void (await Promise.all(loops)),
  };
}

/** The fields that servers would else fill in from their model's own settings are told as coppice tells them. */
function chatBody({ prompt, sampling, maxTokens }: AskedPlan, { model, dialect }: ServerFacts): object {
  const asked = prompt.kind === 'chat' ? prompt : { messages: [{ role: 'user', content: prompt.text }] };
  const { temperature, topP = 1, topK = 0, minP = 0 } = sampling;
  const own = { top_k: topK || -1, min_p: minP, repetition_penalty: 1 };
  return {
    model,
    messages: asked.messages,
    max_tokens: maxTokens,
    temperature,
    top_p: topP,
    ...(dialect === 'openai' ? {} : dialect === 'llama-server' ? { top_k: topK, min_p: minP, repeat_penalty: 1 } : own),
    ...('template' in asked && asked.template ? { chat_template_kwargs: asked.template } : {}),
    stream: false,
  };
}

export function askEngine(engine: Engine, strands: number, next: () => AskedPlan): WireLoad {
  const open = new Set<number>();
  let [id, tokens, isOver] = [0, 0, false];
  let broken: Error | undefined;
  const ask = (): void => {
    id += 1;
    open.add(id);
    engine.generate([requestOf(id, next())]);
  };
  engine.connect((message) => {
    if (!isAnswer(message)) return;
    open.delete(message.request);
    tokens += decodedOf(message.usage);
    if (message.type === 'fault' && !isOver) broken = new Error(message.fault.message);
    engine.release(`alone-${message.request}`);
    if (!isOver && broken === undefined) ask();
  });
  for (let strand = 0; strand < strands; strand += 1) ask();
  return {
    async read() {
      if (broken !== undefined) throw broken;
      return readEngine(engine, tokens);
    },
    cancel() {
      isOver = true;
      engine.cancel([...open]);
    },
    async close() {
      while (open.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
}

/** Without the tokens that a twin had computed. */
export function decodedOf(usage: GenerationUsage | undefined): number {
  return usage?.decodedTokens ?? usage?.generatedTokens ?? 0;
}

export function readEngine(engine: Engine, tokens: number) {
  const { runningSequences: running, waitingSequences: waiting } = engine.load();
  return { atMs: performance.now(), tokens, running, waiting };
}

function requestOf(id: number, { prompt, sampling, maxTokens }: AskedPlan): GenerateRequest {
  return {
    id,
    search: `alone-${id}`,
    prompt,
    parent: 0,
    path: [],
    index: 0,
    sampling,
    seed: id,
    needs: { logprobs: false, tokens: false, seed: false },
    delimiters: [],
    maxTokens,
    lane: 'primary',
    priority: 0,
  };
}
