// The engine's thread: reads messages, decodes once, posts results, and repeats until no work is left; then it waits. A message takes effect
// before the next decode, so a cancel frees its cells first.

import { availableParallelism, loadavg } from 'node:os';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert, type Fault, FaultError } from '@coppice/core/base';
import type { MeasuredPoints } from '@coppice/core/cost';
import { DraftThreadLink, InlineDraftLink } from '../draft/draft-thread.ts';
import { Drafts } from '../draft/drafts.ts';
import { type Binding, loadBinding } from '../native/binding.ts';
import { findLibrary, libraryFilesIn } from '../native/platform.ts';
import type { CoreMessage } from './answers.ts';
import { Core } from './core.ts';
import type { FromThread, ThreadInfo, ThreadOptions, ToThread } from './thread-messages.ts';

// Weight of the newest decode in the mean step time: about the last twenty count.
const stepTimeWeight = 0.05;
// Streamed tokens are for display, so they may wait for a frame or two; an answer goes out at once, after all tokens before it.
// A message per decode would wake the main thread a few hundred times a second, on a core that another engine thread may need.
const tokensGatherMs = 25;

class EngineThread {
  readonly #port: MessagePort;
  readonly #core: Core;
  #outbox: CoreMessage[] = [];
  #stepMs: number | undefined;
  #flushedMs = 0;
  #closed = false;

  private constructor(port: MessagePort, binding: Binding, options: ThreadOptions, drafts: Drafts | undefined) {
    this.#port = port;
    this.#core = new Core(binding, options, (message) => this.#outbox.push(message), drafts);
    if (options.triesThreads) this.#core.tryThreads(() => performance.now(), freeCores());
    this.#post({ type: 'ready', info: describe(this.#core, binding.release), weights: this.#core.model.weights });
    port.on('message', (message: ToThread) => {
      this.#take(message);
      this.#run();
    });
  }

  /** The draft model's thread restarts this loop when a draft arrives. */
  static async start(port: MessagePort, options: ThreadOptions): Promise<void> {
    const { libraryDirectory } = options;
    const binding = loadBinding(libraryDirectory === undefined ? findLibrary() : libraryFilesIn(libraryDirectory));
    let wake = (): void => {};
    const drafts = await openDrafts(binding, options, () => wake());
    try {
      const thread = new EngineThread(port, binding, options, drafts);
      wake = () => thread.#run();
    } catch (error) {
      drafts?.close();
      throw error;
    }
  }

  #run(): void {
    while (!this.#closed) {
      for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
        this.#take(next.message as ToThread);
      }
      if (this.#closed) return;
      const goesOn = this.#core.hasWork && this.#timedStep();
      if (!goesOn || this.#mustFlush()) this.#flush();
      if (!goesOn) return;
    }
  }

  #timedStep(): boolean {
    const before = this.#core.counts.decodes;
    const startMs = performance.now();
    const goesOn = this.#core.step();
    const tookMs = performance.now() - startMs;
    if (this.#core.counts.decodes > before) {
      this.#stepMs = this.#stepMs === undefined ? tookMs : this.#stepMs + stepTimeWeight * (tookMs - this.#stepMs);
    }
    return goesOn;
  }

  #take(message: ToThread): void {
    if (this.#closed) return;
    switch (message.type) {
      case 'generate':
        return this.#core.generate(message.requests);
      case 'read':
        return this.#core.read(message.requests);
      case 'cancel':
        return this.#core.cancel(message.requests);
      case 'update':
        return this.#core.update(message.request, message.urgency);
      case 'release':
        return this.#core.release(message.search);
      case 'measure':
        return this.#post({ type: 'measured', points: this.#measure(message.budgetMs) });
      case 'close':
        this.#closed = true;
        this.#core.close();
        this.#port.close();
    }
  }

  #measure(budgetMs: number): MeasuredPoints | Fault {
    try {
      return this.#core.measure(() => performance.now(), budgetMs, processorClock(this.#core.threads));
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return error.fault;
    }
  }

  #mustFlush(): boolean {
    if (this.#outbox.some(({ type }) => type !== 'token')) return true;
    return performance.now() - this.#flushedMs >= tokensGatherMs;
  }

  #flush(): void {
    const messages = this.#outbox;
    this.#outbox = [];
    this.#flushedMs = performance.now();
    this.#post({ type: 'messages', messages, load: { ...this.#core.counts, stepMs: this.#stepMs } });
  }

  #post(message: FromThread): void {
    this.#port.postMessage(message);
  }
}

/** Cores idle in the last minute, minus one for the process's own loop: one compute thread on a shared core delays all others. */
function freeCores(): number {
  return Math.max(1, Math.round(availableParallelism() - 1 - loadavg()[0]!));
}

/** This thread's processor time, if it computes alone. More threads, and Metal on macOS, compute elsewhere. */
function processorClock(threads: number): (() => number) | undefined {
  if (threads > 1 || process.platform === 'darwin') return undefined;
  return () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
}

async function openDrafts(binding: Binding, options: ThreadOptions, wake: () => void): Promise<Drafts | undefined> {
  const { draft, kvTokens, threads, rowLimit, flashAttention } = options;
  if (draft === undefined) return undefined;
  const size = { kvTokens, threads, rowLimit, flashAttention };
  const inline = draft.where === 'inline';
  const link = inline
    ? new InlineDraftLink(binding, draft.model, size)
    : await DraftThreadLink.start(draft.model, size, wake);
  return new Drafts(draft, link);
}

function describe(core: Core, library: string): ThreadInfo {
  const { model } = core;
  return {
    ...model.description(),
    contextTokens: model.contextTokens,
    kvTokenBytes: model.kvTokenBytes,
    vocabularySize: model.vocabularySize,
    vocabularyHash: model.vocabularyHash(),
    hasChatTemplate: model.hasChatTemplate,
    thinking: model.templateThinking,
    threads: core.threads,
    library,
  };
}

assert(parentPort !== null, 'this file is the main module of a worker thread');
try {
  await EngineThread.start(parentPort, workerData as ThreadOptions);
} catch (error) {
  if (!(error instanceof FaultError)) throw error;
  parentPort.postMessage({ type: 'failed', fault: error.fault } satisfies FromThread);
  parentPort.close();
}
