// A model that answers questions: an engine, a verifier and one runtime that shares their budget between all searches that
// run at a time. The caller that opened it closes it. Never reads a file or the environment; open-model.ts here does.

import { extractAnswer } from '../answer/extract.ts';
import { closeModel, type OpenModel } from '../answering/models/open-model.ts';
import { followReplicas, mostStrands, panelMember, strandsOf } from '../answering/models/strands.ts';
import { ownSettings, policySettings } from '../answering/plan/planned-policy.ts';
import type { OwnPolicy } from '../answering/plan/search-request.ts';
import type { FinishedRun } from '../answering/search-run.ts';
import { assert } from '../base/assert.ts';
import { type Fault, raise } from '../base/fault.ts';
import type { ModelConfig } from '../config/schema.ts';
import { panelEngine } from '../engine/panel/panel-engine.ts';
import { SharedEngine } from '../engine/panel/shared-engine.ts';
import type { LoggedEvent } from '../log/events.ts';
import { SearchFold } from '../log/fold.ts';
import { createSharedScheduler } from '../policy/create.ts';
import { LiveLoop, systemClock } from '../runtime/live.ts';
import { Runtime } from '../runtime/runtime.ts';
import type { SearchRequest, SearchResult } from '../runtime/search/request.ts';
import type { Tree } from '../tree/tree.ts';

export type EventListener = (event: LoggedEvent, tree: Tree) => void;

export interface ModelRun extends FinishedRun {
  /** The last fault of a search that failed; else the first of a part that all searches share, since the model was opened. */
  readonly fault: Fault | undefined;
}

interface Running {
  readonly fold: SearchFold;
  readonly onEvent: EventListener | undefined;
  readonly end: (run: ModelRun) => void;
  fault: Fault | undefined;
}

export class SearchModel {
  readonly parts: OpenModel;
  /** Default of its searches, if it is a policy of one's own. */
  readonly policy: OwnPolicy | undefined;
  /** Models that its searches may ask beside it, by name. */
  readonly panel: ReadonlyMap<string, OpenModel>;
  /** A model in whose panel this one is uses it too. */
  readonly #engine: SharedEngine;
  readonly #runtime: Runtime;
  readonly #loop = new LiveLoop();
  readonly #running = new Map<string, Running>();
  /** Told once by what threw, and in force from then on: the scheduler of such a model has been replaced. */
  #shared: Fault | undefined;
  #started = 0;
  #closed = false;

  /** `panel`: the models that its searches may ask beside it; their callers close them, after this one. */
  constructor(parts: OpenModel, policy?: OwnPolicy, panel: readonly SearchModel[] = []) {
    const { verifier, embedder } = parts;
    const config = withPanel(parts.config, panel);
    this.parts = { ...parts, config };
    this.policy = policy;
    this.panel = new Map(panel.map((model) => [model.parts.config.name, model.parts]));
    this.#engine = new SharedEngine(parts.engine);
    const members = panel.map((model) => {
      const { config: own, engine } = model.parts;
      return [own.name, panelMember(own, engine, model.#engine.attach())] as const;
    });
    this.#runtime = new Runtime({
      engine: panelEngine(config.name, this.#engine.attach(), new Map(members)),
      ...(verifier === undefined ? {} : { verifier }),
      ...(embedder === undefined ? {} : { embedder }),
      // It boosts only searches whose own policy says so: each may choose.
      scheduler: createSharedScheduler(
        policy?.definition ?? config.policy,
        policy === undefined ? policySettings({}, config) : ownSettings(policy.definition, config),
        policy?.options,
      ),
      budget: mostStrands(config),
      trust: () => (config.trust === 0 ? null : config.trust),
      clock: systemClock,
      requestTimeoutMs: config.requestMs,
      onEvent: (event) => this.#follow(event),
      onFault: (id, fault) => this.#note(id, fault),
      onEnd: (result) => this.#end(result),
      wake: this.#loop.wake,
    });
    this.#loop.drive(this.#runtime);
    followReplicas(config, parts.engine, () => this.#runtime.queue.allow(strandsOf(config, parts.engine)));
  }

  get extract() {
    return this.parts.extract ?? extractAnswer;
  }

  nextId(): string {
    this.#started += 1;
    return `search-${this.#started}`;
  }

  /** Runs beside whatever else runs here; an abort ends it with the best so far. */
  run(request: SearchRequest, onEvent?: EventListener, signal?: AbortSignal): Promise<ModelRun> {
    assert(!this.#closed, 'a search was started on a model that is closed');
    const { id } = request;
    const cancel = () => this.#runtime.cancel(id);
    const fold = new SearchFold();
    const ended = new Promise<ModelRun>((end) => {
      this.#running.set(id, { fold, onEvent, end, fault: undefined });
    });
    try {
      this.#runtime.submit(request, fold);
    } catch (error) {
      this.#running.delete(id);
      throw error;
    }
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    return ended.finally(() => signal?.removeEventListener('abort', cancel));
  }

  /** Ends what still runs as cancelled, then lets go of engine and verifier. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const id of this.#running.keys()) this.#runtime.cancel(id);
    while (this.#running.size > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    this.#loop.stop();
    await closeModel(this.parts);
  }

  #follow(event: LoggedEvent): void {
    const running = this.#running.get(event.search);
    if (running === undefined) return;
    const { fold, onEvent } = running;
    // Returned, so that the promise of an asynchronous listener is guarded as well.
    return fold.tree === undefined ? undefined : onEvent?.(event, fold.tree);
  }

  #note(id: string | undefined, fault: Fault): void {
    if (id === undefined) this.#shared ??= fault;
    const running = id === undefined ? undefined : this.#running.get(id);
    if (running !== undefined) running.fault = fault;
  }

  #end(result: SearchResult): void {
    const running = this.#running.get(result.id);
    if (running === undefined) return;
    this.#running.delete(result.id);
    const { tree } = running.fold;
    const own = result.exit.kind === 'failed' ? running.fault : undefined;
    assert(tree !== undefined, 'a search that has ended was planted');
    running.end({ result, tree, fault: own ?? this.#shared });
  }
}

/** The model itself answers too. */
function withPanel(config: ModelConfig, panel: readonly SearchModel[]): ModelConfig {
  const names = [config.name, ...panel.map(({ parts }) => parts.config.name)];
  const { synthesizer } = config.panel ?? {};
  if (synthesizer !== undefined && !names.includes(synthesizer))
    raise('bad-setting', `synthesizer is '${synthesizer}', which is neither in the panel nor the model itself`);
  if (panel.length === 0) return config;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) raise('bad-setting', `panel has two models named '${twice}': give each a name of its own`);
  return { ...config, panel: { ...config.panel, models: names } };
}
