// A configured model that runs: engine, verifier and runtime. Searches of one model share its budget; models share none. Draws of a panel
// go to its members' engines, each within its own budget.

import { extractAnswer } from '@coppice/core/answer';
import {
  type Extract,
  followReplicas,
  mostStrands,
  type OpenModel,
  panelMember,
  policySettings,
  strandsOf,
} from '@coppice/core/answering';
import { type Clock, type Fault, hash } from '@coppice/core/base';
import type { FormQuestion, ModelConfig, ServerConfig, Upstream } from '@coppice/core/config';
import type { Embedder } from '@coppice/core/embedder';
import { type Engine, type PanelMember, panelEngine, SharedEngine } from '@coppice/core/engine';
import { JudgeAudits, judgeSentence, type LogEntry } from '@coppice/core/log';
import { createSharedScheduler } from '@coppice/core/policy';
import { programOf } from '@coppice/core/program';
import { LiveLoop, Runtime, type Token } from '@coppice/core/runtime';
import type { Verifier } from '@coppice/core/verifier';
import { ApiError } from '../http/api-error.ts';

export interface ModelHooks {
  onEntry(entry: LogEntry): void;
  onToken(token: Token): void;
  watches(search: string): boolean;
  onFault(search: string | undefined, fault: Fault): void;
  onPrompt(search: string, tokens: number): void;
  ownerOf(search: string): string | undefined;
}

/** Steps a runtime: by timers in production, in virtual time in simulations. */
export interface Loop {
  readonly wake: () => void;
  drive(runtime: Runtime): void;
  stop(): void;
}

interface Generators {
  readonly own: Engine;
  readonly members: ReadonlyMap<string, PanelMember>;
}

/** The engines of each model's runtime. An engine in another model's panel is shared between runtimes. */
export function generatorsOf(models: readonly OpenModel[]): ReadonlyMap<string, Generators> {
  const byName = new Map(models.map((model) => [model.config.name, model]));
  const shared = new Map<string, SharedEngine>();
  for (const { config } of models) {
    for (const name of askedModels(config)) {
      const member = byName.get(name);
      if (member !== undefined && !shared.has(name)) shared.set(name, new SharedEngine(member.engine));
    }
  }
  return new Map(
    models.map(({ config, engine }) => {
      const members = askedModels(config).flatMap((name): [string, PanelMember][] => {
        const member = shared.get(name);
        const { config: own, engine: theirs } = byName.get(name) ?? {};
        if (member === undefined || own === undefined || theirs === undefined) return [];
        return [[name, panelMember(own, theirs, member.attach())]];
      });
      return [config.name, { own: shared.get(config.name)?.attach() ?? engine, members: new Map(members) }];
    }),
  );
}

/** The other models that its searches may ask: the synthesizer is the model itself, or one of the panel. */
function askedModels({ name, panel }: OpenModel['config']): string[] {
  return [...new Set(panel?.models)].filter((each) => each !== name);
}

function writersOf({ name, program, panel }: ModelConfig, own: Engine, members: Generators['members']): Engine[] {
  if (panel?.models === undefined || !programOf(program).asksModels) return [own];
  return panel.models.flatMap((each) => (each === name ? own : (members.get(each)?.engine ?? [])));
}

export class ServedModel {
  readonly config: ModelConfig;
  readonly engine: Engine;
  readonly verifier: Verifier | undefined;
  readonly embedder: Embedder | undefined;
  readonly extract: Extract;
  readonly form: FormQuestion | undefined;
  readonly upstream: Upstream | undefined;
  readonly runtime: Runtime;
  weights: string | undefined;
  /** Recent audits of its verifier, over searches of all nodes. */
  audits = new JudgeAudits([]);
  readonly judgeName: string;
  isReloading = false;
  readonly #writers: readonly Engine[];
  readonly #loop: Loop;
  #part = 1;

  constructor(
    parts: OpenModel,
    hooks: ModelHooks,
    onLogWanted: (search: string) => void,
    clock: Clock,
    loop: Loop = new LiveLoop(clock),
    generators: Generators = { own: parts.engine, members: new Map() },
  ) {
    const { config, engine, verifier, embedder } = parts;
    this.config = config;
    this.engine = engine;
    this.verifier = verifier;
    this.embedder = embedder;
    this.extract = parts.extract ?? extractAnswer;
    this.form = parts.form;
    this.upstream = parts.upstream;
    this.#writers = writersOf(config, engine, generators.members);
    this.#loop = loop;
    this.judgeName = hash(JSON.stringify([config.verifier, config.check])).toString(36);
    this.runtime = new Runtime({
      engine: panelEngine(config.name, generators.own, generators.members),
      verifier,
      embedder,
      // Boosts only searches whose own policy says so: each request may choose.
      scheduler: createSharedScheduler(config.policy, policySettings({}, config)),
      budget: mostStrands(config),
      trust: (id) => (config.trust === 0 ? null : (config.trust ?? this.audits.for(hooks.ownerOf(id)).trust)),
      branches: (id) => this.audits.for(hooks.ownerOf(id)).branching?.pays === true,
      judge: this.judgeName,
      clock,
      requestTimeoutMs: config.requestMs,
      onEntry: (entry) => hooks.onEntry(entry),
      onLogWanted,
      onToken: (token) => hooks.onToken(token),
      onPrompt: (search, tokens) => hooks.onPrompt(search, tokens),
      watches: (search) => hooks.watches(search),
      onFault: (search, fault) => hooks.onFault(search, fault),
      wake: this.#loop.wake,
    });
    this.#loop.drive(this.runtime);
    followReplicas(config, engine, () => this.#allow());
  }

  get name(): string {
    return this.config.name;
  }

  /** True if a search with default settings can be answered. One member of a panel is enough. */
  get healthy(): boolean {
    return this.#writers.some((engine) => engine.load().healthy) && (this.verifier?.load().healthy ?? true);
  }

  /** Describes the judge in words; undefined if no verifier judges samples. */
  get judgement(): string | undefined {
    const { verifier, config, audits } = this;
    if (verifier === undefined || verifier.capabilities.readsLogprobs || verifier.capabilities.exact) return undefined;
    return judgeSentence(audits.judge, config.trust);
  }

  get servers(): readonly string[] {
    return this.engine.servers?.() ?? [];
  }

  /** Drops caches; later searches carry the new name. No search may run meanwhile. */
  async reload(weights: string): Promise<void> {
    this.isReloading = true;
    try {
      await this.engine.reload?.();
      this.weights = weights;
      this.audits = new JudgeAudits([]);
    } finally {
      this.isReloading = false;
    }
  }

  /** Divides budget and limits by the number of processes that use each server. */
  divide(sharersOf: (url: string) => number): void {
    const parts = this.servers.map((url) => 1 / sharersOf(url));
    this.#part = parts.length === 0 ? 1 : parts.reduce((sum, each) => sum + each, 0) / parts.length;
    this.#allow();
    this.engine.divide?.(sharersOf);
  }

  get strands(): number {
    return strandsOf(this.config, this.engine);
  }

  #allow(): void {
    this.runtime.queue.allow(Math.max(1, Math.floor(this.strands * this.#part)));
  }

  /** Ends the engine's work at once; running searches stay for the journal to resume. */
  async close(): Promise<void> {
    this.#loop.stop();
    await Promise.all([this.engine.close(), this.verifier?.close(), this.embedder?.close()]);
  }
}

export type ServedModels = ReadonlyMap<string, ServedModel>;

export function servedBy(models: ServedModels, name: string): ServedModel {
  const model = models.get(name);
  if (model !== undefined) return model;
  throw new ApiError('model_not_found', `there is no model '${name.slice(0, 128)}'`, { param: 'model' });
}

export interface Serving {
  readonly searches: { readonly models: ServedModels };
  readonly config: { readonly server: Pick<ServerConfig, 'foreignNames'> };
}

/** The model that a request names; if the operator allows it, the first one for any other name. */
export function modelNamed({ searches: { models }, config }: Serving, name: unknown): ServedModel | undefined {
  const known = models.get(String(name));
  if (known !== undefined || config.server.foreignNames === 'refuse') return known;
  return typeof name === 'string' && name !== '' ? models.values().next().value : undefined;
}

export function servedModel(serving: Serving, name: string): ServedModel {
  const model = modelNamed(serving, name);
  if (model?.isReloading)
    throw new ApiError('unavailable', `model '${model.name}' is taking new weights`, { retryAfterSeconds: 1 });
  if (model !== undefined) return model;
  const known = [...serving.searches.models.keys()].join(', ');
  throw new ApiError('model_not_found', `there is no model '${name.slice(0, 128)}'; there are ${known}`, {
    param: 'model',
  });
}
