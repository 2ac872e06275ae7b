// The engine of a rehearsal: the source draws each step, the servers generate as many tokens below their own earlier ones, and the
// runtime gets the source's step. Times, caches, faults and costs are the servers' own.

import type { Clock } from '@coppice/core/base';
import {
  allNeeds,
  type Engine,
  type EngineCapabilities,
  type EngineLoad,
  type EngineMessage,
  type GenerateRequest,
  type RequestId,
  type Urgency,
} from '@coppice/core/engine';
import { nodeKey, type Step } from '@coppice/core/tree';
import { noBlocks, type StepSource } from '@coppice/sim/engine';
import { blockPrompt } from './filler.ts';
import { Meter } from './meter.ts';
import type { RealSteps } from './real-steps.ts';

interface RehearsedEngineOptions {
  readonly engine: Engine;
  readonly source: StepSource;
  readonly steps: RealSteps;
  readonly clock: Clock;
  readonly tokensPerWord: number;
  /** Differs by point: points must not find each other's prompts in a cache. */
  readonly salt: string;
}

interface DrawnRequest {
  readonly request: GenerateRequest;
  readonly step: Step;
}

export class RehearsedEngine implements Engine {
  readonly capabilities: EngineCapabilities;
  readonly meter: Meter;
  readonly #options: RehearsedEngineOptions;
  readonly #drawn = new Map<RequestId, DrawnRequest>();
  /** Totals of the run: generated tokens, and computed and cached tokens of prompts and paths. */
  readonly #totals = { generatedTokens: 0, computedTokens: 0, cachedTokens: 0 };
  #post: (message: EngineMessage) => void = () => {};

  constructor(options: RehearsedEngineOptions) {
    this.#options = options;
    this.meter = new Meter(options.clock);
    const { capabilities } = options.engine;
    this.capabilities = {
      ...capabilities,
      name: `rehearsal on ${capabilities.name}`,
      seeded: true,
      streams: false,
      wholes: false,
    };
  }

  connect(post: (message: EngineMessage) => void): void {
    this.#post = post;
    this.#options.engine.connect((message) => this.#receive(message));
  }

  generate(requests: readonly GenerateRequest[]): void {
    this.#options.engine.generate(requests.map((request) => this.#real(request)));
  }

  cancel(requests: readonly RequestId[]): void {
    this.#options.engine.cancel(requests);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.#options.engine.update?.(request, urgency);
  }

  release(search: string): void {
    this.#options.steps.release(search);
    this.#options.engine.release(search);
  }

  load(): EngineLoad {
    return this.#options.engine.load();
  }

  get totals() {
    return { ...this.#totals };
  }

  /** The command that opened the servers closes them. */
  async close(): Promise<void> {
    this.cancel([...this.#drawn.keys()]);
  }

  /** A step's length is its own, so siblings do not share a request. */
  #real(request: GenerateRequest): GenerateRequest {
    const { source, steps } = this.#options;
    const step = source.draw(request);
    this.#drawn.set(request.id, { request, step });
    this.meter.begin(request.id);
    return {
      ...request,
      prompt: steps.prompt(request.search, () => this.#prompt(request)),
      path: steps.path(request.search, request.path),
      expansion: request.id,
      needs: { ...(request.needs ?? allNeeds), tokens: false },
      delimiters: [],
      maxTokens: step.tokens,
      exact: true,
    };
  }

  #prompt({ search, prompt }: GenerateRequest) {
    const { source, tokensPerWord, salt } = this.#options;
    const tokens = source.promptTokens(prompt);
    const blocks = source.promptBlocks?.(prompt) ?? noBlocks;
    return blockPrompt(salt, blocks, `${salt} ${search}`, { tokens, tokensPerWord });
  }

  #receive(message: EngineMessage): void {
    if (message.type === 'token') return;
    if (message.type !== 'step' && message.type !== 'fault') return this.#post(message);
    const { request: id, usage } = message;
    const drawn = this.#drawn.get(id);
    this.#drawn.delete(id);
    this.meter.end(id, message.type === 'step');
    for (const name of ['generatedTokens', 'computedTokens', 'cachedTokens'] as const)
      this.#totals[name] += usage?.[name] ?? 0;
    if (message.type === 'fault' || drawn === undefined) return this.#post(message);
    const { request, step } = drawn;
    this.#options.steps.keep(request.search, nodeKey(request.parent, step), message.step);
    this.#post({ ...message, step });
  }
}
