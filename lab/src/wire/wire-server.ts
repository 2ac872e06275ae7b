// The server of `lab -- wire` and of the clients benchmark, in a process of its own: enough of vLLM's protocol for coppice and for a plain client.
// It decodes with continuous batching, one token per running sequence and step. Its front end is a single queue, in which every request and
// streamed chunk takes time. Both follow the clock and use no CPU, so a busy machine slows them little. Prints its port.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { AnswerWriter, type MadeUpToken, rootTokens } from './made-up-answers.ts';

const { values } = parseArgs({
  options: {
    'step-ms': { type: 'string', default: '6' },
    'sequence-ms': { type: 'string', default: '0.02' },
    'request-ms': { type: 'string', default: '4' },
    'chunk-ms': { type: 'string', default: '0.1' },
    sequences: { type: 'string', default: '1024' },
    steps: { type: 'string', default: '4-8' },
    'step-tokens': { type: 'string', default: '25-75' },
  },
});
const stepMs = Number(values['step-ms']);
const sequenceMs = Number(values['sequence-ms']);
const requestMs = Number(values['request-ms']);
const chunkMs = Number(values['chunk-ms']);
/** A page or a tokenization costs the front end less than a completion does. */
const pageMs = requestMs / 4;
const mostRunning = Number(values.sequences);
const writer = new AnswerWriter(rangeOf(values.steps), rangeOf(values['step-tokens']));
/** Longest interval between two chunks where the client asks for none. */
const everyToken = 1;

interface Body {
  readonly prompt?: readonly number[] | string;
  readonly messages?: readonly unknown[];
  readonly n?: number;
  readonly stream?: boolean;
  readonly stream_interval?: number;
  readonly logprobs?: number;
  readonly max_tokens?: number;
  readonly stop?: readonly string[];
}

function rangeOf(text: string): readonly [number, number] {
  const [low = 1, high = low] = text.split('-').map(Number);
  return [low, high];
}

/** One line of work: each task begins when the one before has ended. A task that comes late is run late, and counted as if in time. */
class FrontEnd {
  readonly #tasks: { readonly fromMs: number; readonly costMs: number; readonly run: () => void }[] = [];
  #freeMs = 0;
  #timer: NodeJS.Timeout | undefined;

  enter(costMs: number, run: () => void): void {
    this.#tasks.push({ fromMs: performance.now(), costMs, run });
    this.#pump();
  }

  #pump(): void {
    while (this.#timer === undefined && this.#tasks.length > 0) {
      const { fromMs, costMs, run } = this.#tasks[0]!;
      const endMs = Math.max(this.#freeMs, fromMs) + costMs;
      const leftMs = endMs - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = undefined;
          this.#pump();
        }, leftMs);
        return;
      }
      this.#tasks.shift();
      this.#freeMs = endMs;
      run();
    }
  }
}

/** One sequence: what it will say is known when it begins. */
interface MadeUpSequence {
  readonly tokens: readonly MadeUpToken[];
  readonly end: { readonly finish_reason: string; readonly stop_reason: string | null };
  readonly onToken: () => void;
  written: number;
}

/** Steps of the batch, by the clock: one whose moment has passed is made up for. */
class MadeUpBatch {
  /** As they were when the last step was put together: what came since is seen with the next, as in vLLM. */
  gauges = { running: 0, waiting: 0 };
  generated = 0;
  readonly #running = new Set<MadeUpSequence>();
  readonly #waiting = new Set<MadeUpSequence>();
  #nextMs = 0;
  #isAtWork = false;

  add(sequence: MadeUpSequence): void {
    this.#waiting.add(sequence);
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    this.#begin();
  }

  abort(sequence: MadeUpSequence): void {
    this.#running.delete(sequence);
    this.#waiting.delete(sequence);
  }

  #begin(): void {
    this.#admit();
    this.#nextMs = performance.now() + this.#lengthMs();
    this.#sleep();
  }

  #sleep(): void {
    setTimeout(() => this.#wake(), Math.max(0, this.#nextMs - performance.now()));
  }

  #wake(): void {
    while (this.#running.size > 0 && this.#nextMs <= performance.now()) {
      this.#step();
      this.#admit();
      this.#nextMs += this.#lengthMs();
    }
    if (this.#running.size > 0) return this.#sleep();
    // Everything has ended or was aborted.
    if (this.#waiting.size > 0) return this.#begin();
    this.gauges = { running: 0, waiting: 0 };
    this.#isAtWork = false;
  }

  #step(): void {
    for (const sequence of this.#running) {
      sequence.written += 1;
      this.generated += 1;
      if (sequence.written === sequence.tokens.length) this.#running.delete(sequence);
      sequence.onToken();
    }
  }

  #admit(): void {
    for (const sequence of this.#waiting) {
      if (this.#running.size >= mostRunning) break;
      this.#waiting.delete(sequence);
      this.#running.add(sequence);
    }
    this.gauges = { running: this.#running.size, waiting: this.#waiting.size };
  }

  #lengthMs(): number {
    return stepMs + sequenceMs * this.#running.size;
  }
}

const front = new FrontEnd();
const batch = new MadeUpBatch();

/** Answers a completion, whole or as a stream, and aborts its sequences when the client leaves. */
function complete(body: Body, response: http.ServerResponse): void {
  const prompt = Array.isArray(body.prompt) ? (body.prompt as readonly number[]) : [];
  const sent = new Array<number>(body.n ?? 1).fill(0);
  const queued = new Set<number>();
  const interval = body.stream_interval ?? everyToken;
  const sequences = sent.map((_, index): MadeUpSequence => {
    const { tokens, ending } = writer.write(prompt, body.stop ?? [], body.max_tokens ?? 16);
    const stop = ending === 'delimiter' ? '\n\n' : null;
    const end = { finish_reason: ending === 'length' ? 'length' : 'stop', stop_reason: stop };
    return { tokens, end, written: 0, onToken: () => (body.stream === true ? tell(index) : endWhole()) };
  });
  const isOver = (): boolean => sequences.every(({ written, tokens }) => written === tokens.length);
  const endWhole = (): void => {
    if (!isOver()) return;
    front.enter(chunkMs, () => send(response, wholeAnswer(body, sequences)));
  };
  // What comes while a chunk waits for its turn joins it, as in vLLM.
  const tell = (index: number): void => {
    const { written, tokens } = sequences[index]!;
    const due = sent[index] === 0 ? 1 : sent[index]! + interval;
    if (queued.has(index) || (written < due && written < tokens.length)) return;
    queued.add(index);
    front.enter(chunkMs, () => sendChunk(index));
  };
  const sendChunk = (index: number): void => {
    queued.delete(index);
    const sequence = sequences[index]!;
    const { written } = sequence;
    event(response, { id: 'cmpl-1', choices: [choiceOf(body, sequence, index, sent[index]!, written)] });
    sent[index] = written;
    if (sent.some((count, at) => count < sequences[at]!.tokens.length)) return;
    event(response, { id: 'cmpl-1', choices: [], usage: usageOf(body, sequences) });
    response.end('data: [DONE]\n\n');
  };
  if (body.stream === true) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const sequence of sequences) batch.add(sequence);
  response.on('close', () => {
    if (isOver()) return;
    front.enter(chunkMs, () => {
      for (const sequence of sequences) batch.abort(sequence);
    });
  });
}

function choiceOf(body: Body, { tokens, end }: MadeUpSequence, index: number, from: number, to: number): unknown {
  const part = tokens.slice(from, to);
  const ended = to === tokens.length ? end : { finish_reason: null, stop_reason: null };
  const names = part.map(({ id }) => `token_id:${id}`);
  const logprobs = {
    token_logprobs: part.map(() => -0.5),
    tokens: names,
    top_logprobs: names.map((name) => ({ [name]: -0.5 })),
  };
  return {
    index,
    text: part.map(({ text }) => text).join(''),
    logprobs: body.logprobs === undefined ? null : logprobs,
    token_ids: part.map(({ id }) => id),
    ...ended,
  };
}

function wholeAnswer(body: Body, sequences: readonly MadeUpSequence[]): unknown {
  const usage = usageOf(body, sequences);
  const choices = sequences.map((each, index) => choiceOf(body, each, index, 0, each.tokens.length));
  if (body.messages === undefined) return { id: 'cmpl-1', choices, usage };
  const messages = sequences.map(({ tokens, end }, index) => {
    return { index, message: { role: 'assistant', content: tokens.map(({ text }) => text).join('') }, ...end };
  });
  return { id: 'chatcmpl-1', choices: messages, usage };
}

function usageOf(body: Body, sequences: readonly MadeUpSequence[]): unknown {
  const prompt = Array.isArray(body.prompt) ? body.prompt.length : rootTokens;
  const written = sequences.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const details = { cached_tokens: prompt - (prompt % 16) };
  return { prompt_tokens: prompt, completion_tokens: written, prompt_tokens_details: details };
}

function event(response: http.ServerResponse, value: unknown): void {
  response.write(`data: ${JSON.stringify(value)}\n\n`);
}

function send(response: http.ServerResponse, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}

function metrics(): string {
  return [
    `vllm:num_requests_running{engine="0"} ${batch.gauges.running}`,
    `vllm:num_requests_waiting{engine="0"} ${batch.gauges.waiting}`,
    `vllm:generation_tokens_total{engine="0"} ${batch.generated}`,
    'vllm:kv_cache_usage_perc{engine="0"} 0.1',
    '',
  ].join('\n');
}

/** What the probe reads off a single token. */
const sample = { choices: [{ text: 'a', logprobs: {}, token_ids: [5] }], usage: { prompt_tokens_details: {} } };
const pages: Readonly<Record<string, unknown>> = {
  '/v1/models': { data: [{ id: 'bench', owned_by: 'vllm', max_model_len: 32_768 }] },
  '/version': { version: 'bench' },
};

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const page = pages[request.url ?? ''];
    if (request.url === '/metrics') return front.enter(pageMs, () => void response.end(metrics()));
    if (page !== undefined) return send(response, page);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Body;
    if (request.url === '/tokenize')
      return front.enter(pageMs, () =>
        send(response, { tokens: writer.tokenize(JSON.stringify(body.messages ?? body.prompt)) }),
      );
    if (body.max_tokens === 1) return send(response, sample);
    front.enter(requestMs, () => {
      if (!response.closed) complete(body, response);
    });
  });
});
// No socket may close between two turns of the benchmark.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
