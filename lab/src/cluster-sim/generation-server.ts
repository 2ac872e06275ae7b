// A vLLM server in virtual time: the pages and completions that the remote engine reads, from one simulated GPU with measured step
// times and a prefix cache. It can go down, and returns with an empty cache.

import type { CostModel } from '@coppice/core/cost';
import type { GenerateRequest as SimRequest } from '@coppice/core/engine';
import { type QuestionModel, SimReplica } from '@coppice/sim/engine';
import type { NetworkServer, VirtualExchange } from './network.ts';
import type { KnownPath, KnownQuestion, TokenTexts } from './token-texts.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface GpuKind {
  readonly name: string;
  readonly cost: CostModel;
  readonly sequenceLimit: number;
  readonly kvTokens: number;
  readonly requestMs: number;
}

export interface ModelOnServers {
  readonly name: string;
  readonly questions: QuestionModel;
  readonly texts: TokenTexts;
}

interface CompletionBody {
  readonly prompt: readonly number[] | string;
  readonly n?: number;
  readonly seed?: number;
  readonly max_tokens: number;
  readonly stop?: readonly string[];
  readonly logprobs?: number;
  readonly stream?: boolean;
  readonly priority?: number;
}

type GpuAnswer = Parameters<ConstructorParameters<typeof SimReplica>[2]>[0];

/** A sequence on its way, and how its end is told. */
interface OpenSequence {
  readonly request: SimRequest;
  readonly finish: (answer: GpuAnswer) => void;
}

const contextTokens = 131_072;
const prefillTokens = 8192;

export class GenerationServer implements NetworkServer {
  readonly #time: VirtualTime;
  readonly #model: ModelOnServers;
  readonly #kind: GpuKind;
  readonly #written = new Map<number, OpenSequence>();
  readonly #exchanges = new Set<VirtualExchange>();
  #gpu: SimReplica;
  #isDown = false;
  #ids = 0;
  #seeds = 0;
  #promptTokens = 0;
  #cachedTokens = 0;
  #generatedTokens = 0;

  constructor(time: VirtualTime, model: ModelOnServers, kind: GpuKind) {
    this.#time = time;
    this.#model = model;
    this.#kind = kind;
    this.#gpu = this.#newGpu();
  }

  get counts() {
    const { running, waiting } = this.#gpu;
    const [promptTokens, cachedTokens, generatedTokens] = [
      this.#promptTokens,
      this.#cachedTokens,
      this.#generatedTokens,
    ];
    return { running, waiting, promptTokens, cachedTokens, generatedTokens };
  }

  goDown(): void {
    this.#isDown = true;
    for (const exchange of this.#exchanges) exchange.fail('ECONNRESET');
    this.#exchanges.clear();
    const ids = [...this.#written.keys()];
    this.#written.clear();
    for (const id of ids) this.#gpu.cancel(id);
  }

  comeBack(): void {
    this.#isDown = false;
    this.#gpu = this.#newGpu();
  }

  receive(exchange: VirtualExchange): void {
    if (this.#isDown) return exchange.fail('ECONNREFUSED');
    const { path, body } = exchange.request;
    switch (path) {
      case '/v1/completions':
        return this.#complete(exchange, body as CompletionBody);
      case '/tokenize':
        return exchange.end(JSON.stringify({ tokens: this.#tokenize(body as { readonly prompt?: string }) }));
      case '/v1/models':
        return exchange.end(
          JSON.stringify({ data: [{ id: this.#model.name, owned_by: 'vllm', max_model_len: contextTokens }] }),
        );
      case '/version':
        return exchange.end('{"version":"0.26.0"}');
      default:
        return exchange.end('');
    }
  }

  #newGpu(): SimReplica {
    const gpu: SimReplica = new SimReplica(this.#time.gpu, { ...this.#kind, prefillTokens }, (answer) => {
      const written = this.#written.get(answer.request);
      if (written === undefined || gpu !== this.#gpu) return;
      this.#written.delete(answer.request);
      written.finish(answer);
    });
    return gpu;
  }

  #tokenize({ prompt = 'a template' }: { readonly prompt?: string }): readonly number[] {
    const { texts, questions } = this.#model;
    return texts.question(prompt, questions.promptTokens({ kind: 'text', text: prompt })).tokens;
  }

  #complete(exchange: VirtualExchange, body: CompletionBody): void {
    const known = typeof body.prompt === 'string' ? undefined : this.#model.texts.read(body.prompt);
    if (known === undefined) return exchange.end(sampleAnswer);
    this.#exchanges.add(exchange);
    const count = body.n ?? 1;
    const ids: number[] = [];
    const choices: string[] = [];
    let left = count;
    let usage = { prompt: 0, cached: 0, generated: 0 };
    const tell = (index: number, request: SimRequest) => (answer: GpuAnswer) => {
      if (answer.type !== 'step') return;
      left -= 1;
      const { computedTokens, cachedTokens, generatedTokens } = answer.usage;
      const prompt = computedTokens + cachedTokens;
      usage = {
        prompt,
        cached: Math.max(usage.cached, count === 1 ? cachedTokens : prompt - computedTokens),
        generated: usage.generated + generatedTokens,
      };
      this.#promptTokens += prompt;
      this.#cachedTokens += cachedTokens;
      this.#generatedTokens += generatedTokens;
      const choice = this.#choice(known.question, request, index, body, answer.step);
      if (body.stream === true) exchange.write(`data: {"choices":[${choice}]}\n\n`);
      else choices.push(choice);
      if (left > 0) return;
      this.#exchanges.delete(exchange);
      if (body.stream === true) exchange.end(`data: {"choices":[],"usage":${usageText(usage)}}\n\ndata: [DONE]\n\n`);
      else exchange.end(`{"choices":[${choices}],"usage":${usageText(usage)}}`);
    };
    exchange.onClose = () => {
      this.#exchanges.delete(exchange);
      for (const id of ids) if (this.#written.delete(id)) this.#gpu.cancel(id);
    };
    for (let index = 0; index < count; index += 1) ids.push(this.#enqueue(known, body, index, tell));
  }

  #enqueue(
    { question, path }: KnownPath,
    body: CompletionBody,
    at: number,
    tell: (index: number, request: SimRequest) => (answer: GpuAnswer) => void,
  ): number {
    const { questions } = this.#model;
    this.#ids += 1;
    this.#seeds += 1;
    const id = this.#ids;
    const prompt = { kind: 'text', text: question.text } as const;
    const request = {
      id,
      search: String(question.id),
      parent: path.at(-1)?.key ?? question.id,
      index: (body.seed ?? this.#seeds) + at,
      prompt,
      path,
      maxTokens: body.max_tokens,
      delimiters: body.stop ?? [],
      lane: 'primary',
      priority: -(body.priority ?? 0),
    } as unknown as SimRequest;
    this.#written.set(id, { request, finish: tell(at, request) });
    const gpu = this.#gpu;
    question.homes.add(gpu);
    gpu.enqueue(request, questions.draw(request), question.tokens.length);
    return id;
  }

  #choice(
    question: KnownQuestion,
    { delimiters }: SimRequest,
    index: number,
    body: CompletionBody,
    step: Extract<GpuAnswer, { type: 'step' }>['step'],
  ): string {
    const tokens = this.#model.texts.write(question, step);
    const finish = step.end === 'length' ? '"length"' : '"stop"';
    const stop = step.end === 'delimiter' ? JSON.stringify(delimiters[0] ?? null) : 'null';
    const logprobs =
      body.logprobs === undefined
        ? 'null'
        : `{"token_logprobs":[${repeated(step.meanLogprob.toFixed(4), step.tokens)}]}`;
    return `{"index":${index},"text":${JSON.stringify(step.text)},"token_ids":[${tokens}],"finish_reason":${finish},"stop_reason":${stop},"logprobs":${logprobs}}`;
  }
}

function repeated(text: string, times: number): string {
  return `${text},`.repeat(times - 1) + text;
}

function usageText({ prompt, cached, generated }: { prompt: number; cached: number; generated: number }): string {
  return `{"prompt_tokens":${prompt},"completion_tokens":${generated},"prompt_tokens_details":{"cached_tokens":${cached}}}`;
}

/** To a question that is not one: what a server says to a first token, for the probe of its abilities. */
const sampleAnswer = JSON.stringify({
  choices: [
    {
      index: 0,
      text: 'a',
      token_ids: [7],
      finish_reason: 'length',
      stop_reason: null,
      logprobs: { token_logprobs: [-0.1] },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 0 } },
});
