// A process as verifier: for every whole answer it gets JSON (question, answer, steps, tests) on its input and writes a judgement, a reward
// from 0 to 1 with words, as the last line of its output. So many run at a time, each under limits and shut in as far as the system
// allows; what is not contained is in `note`. An answer that runs over a limit is worth 0, and the words say which.
// Steps that end no answer are not run: they are worth 0.5, and the reward of the last step counts.

import { FaultError, fault, raise } from '../../base/fault.ts';
import { compareUrgency, type RequestId, type Urgency } from '../../engine/engine.ts';
import { judgementOf, shown } from '../definition.ts';
import { questionOf } from '../scorer.ts';
import {
  noUsage,
  type ScoreRequest,
  type Verifier,
  type VerifierCapabilities,
  type VerifierLoad,
  type VerifierMessage,
} from '../verifier.ts';
import { type ContainedCommand, type ProcessEnd, runContained } from './contained-process.ts';
import { commandDefaults } from './limits.ts';
import { findProgram, findSandbox, neededPaths, pythonProgram, type Sandbox } from './sandbox.ts';
import { addressMiB, runnerCommand, type TestLanguage } from './test-runners.ts';

export interface CommandOptions {
  /** The operator's own process, or a language for which there is a ready one. */
  readonly command: readonly string[] | TestLanguage;
  /** Tests of every question that brings none of its own, for the ready ones. */
  readonly tests?: string | undefined;
  readonly timeoutMs?: number;
  readonly memoryMiB?: number;
  readonly outputKiB?: number;
  /** Processes that run at a time. */
  readonly parallel?: number;
  /** What the process may read beside the system's own folders. */
  readonly readable?: readonly string[];
  /** What shuts it in; the best of this system unless said. */
  readonly sandbox?: Sandbox;
}

/** Processes and threads of all that run at a time together: where the server is root's, they are counted as one user's. */
const processesEach = 32;
const unfinished = 0.5;

interface Waiting {
  readonly request: ScoreRequest;
  urgency: Urgency;
  readonly abort: AbortController;
  running: boolean;
}

export class CommandVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  /** How it is shut in, and what is not contained, for the operator to read at the start. */
  readonly note: string;
  readonly isContained: boolean;
  readonly #run: ContainedCommand;
  readonly #language: TestLanguage | undefined;
  readonly #tests: string | undefined;
  readonly #parallel: number;
  readonly #waiting = new Map<RequestId, Waiting>();
  #post: (message: VerifierMessage) => void = () => {};
  #running = 0;
  #served = 0;

  constructor(options: CommandOptions) {
    const { command, readable = [], sandbox = findSandbox() } = options;
    const limits = { ...commandDefaults, ...options };
    this.#language = typeof command === 'string' ? command : undefined;
    this.#tests = options.tests;
    this.#parallel = limits.parallel;
    const line = typeof command === 'string' ? ready(command, limits.memoryMiB) : own(command);
    const { memoryMiB } = limits;
    const addresses = this.#language === undefined ? memoryMiB : addressMiB[this.#language](memoryMiB);
    const processes = processesEach * limits.parallel;
    this.#run = {
      sandbox,
      command: line,
      readable: [...neededPaths(line), ...readable],
      limits: { timeoutMs: limits.timeoutMs, outputKiB: limits.outputKiB, memoryMiB, addressMiB: addresses, processes },
    };
    const name = this.#language === undefined ? 'command' : `tests in ${this.#language}`;
    const containment = { by: sandbox.kind, open: sandbox.open };
    this.capabilities = { name, aggregation: 'last', reusesPrefix: true, containment };
    this.isContained = sandbox.open.length === 0;
    const open = this.isContained ? 'contained' : `NOT contained: ${sandbox.open.join('; ')}`;
    this.note = `${name}, shut in by ${sandbox.kind}, ${open}`;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      const { id, lane, priority, step } = request;
      if (step.end !== 'eos') {
        this.#post({ type: 'score', request: id, reward: unfinished, usage: noUsage });
        continue;
      }
      this.#waiting.set(id, { request, urgency: { lane, priority }, abort: new AbortController(), running: false });
      this.#post({ type: 'held', request: id });
    }
    this.#pump();
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) {
      const waiting = this.#waiting.get(id);
      waiting?.abort.abort();
      if (waiting !== undefined) this.#fault(id, fault('cancelled', 'the request was cancelled'));
    }
  }

  update(request: RequestId, urgency: Urgency): void {
    const waiting = this.#waiting.get(request);
    if (waiting !== undefined) waiting.urgency = urgency;
  }

  release(_search: string): void {}

  load(): VerifierLoad {
    return { waiting: Math.max(0, this.#waiting.size - this.#running), running: this.#running, healthy: true };
  }

  async close(): Promise<void> {
    this.cancel([...this.#waiting.keys()]);
    while (this.#running > 0) await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }

  #pump(): void {
    while (this.#running < this.#parallel) {
      const next = [...this.#waiting.values()]
        .filter(({ running }) => !running)
        .toSorted((a, b) => compareUrgency(a.urgency, b.urgency))
        .at(0);
      if (next === undefined) return;
      next.running = true;
      this.#running += 1;
      this.#post({ type: 'taken', request: next.request.id });
      void this.#judge(next).finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }

  async #judge({ request, abort }: Waiting): Promise<void> {
    const { id } = request;
    try {
      this.#served += 1;
      const proof = `${process.pid}-${this.#served}-${Math.trunc(performance.now() * 1e6)}`;
      const input = inputOf(request, request.tests ?? this.#tests, this.#language, proof);
      const end = await runContained(this.#run, JSON.stringify(input), abort.signal);
      if (!this.#waiting.has(id)) return;
      const judgement = this.#judgementOf(end, proof);
      this.#waiting.delete(id);
      this.#post({ type: 'score', request: id, ...judgement, usage: noUsage });
    } catch (error) {
      const reason =
        error instanceof FaultError ? error.fault : fault('internal', `command verifier: ${String(error)}`);
      this.#fault(id, reason);
    }
  }

  #judgementOf(end: ProcessEnd, proof: string): { readonly reward: number; readonly feedback?: string } {
    const { timeoutMs, memoryMiB, outputKiB } = this.#run.limits;
    if (end.broken !== undefined) return raise('unavailable', `the command verifier cannot start: ${end.broken}`);
    if (end.stopped === 'time') return worthless(`It did not end within ${timeoutMs / 1000} seconds.`);
    if (end.stopped === 'memory') return worthless(`It used more than ${memoryMiB} MiB of memory.`);
    if (end.stopped === 'output') return worthless(`It wrote more than ${outputKiB} KiB.`);
    const said = lastValue(end.output);
    const judgement = judgementOf(said);
    if (this.#language !== undefined) {
      const isGenuine = (said as { proof?: unknown } | undefined)?.proof === proof;
      return judgement !== undefined && isGenuine ? judgement : worthless(endedWords(end));
    }
    if (end.signal !== null) return worthless(endedWords(end));
    if (judgement !== undefined) return judgement;
    const errors = end.errors.trim().split('\n').at(-1);
    const why = end.code === 0 ? '' : `, exit code ${end.code}${errors ? `: ${errors}` : ''}`;
    const rule = 'its last line must be JSON with a reward from 0 to 1 and, if it likes, a feedback';
    return raise('bad-reward', `the command verifier gave ${shown(said)}${why}; ${rule}`);
  }

  #fault(request: RequestId, reason: ReturnType<typeof fault>): void {
    if (this.#waiting.delete(request)) this.#post({ type: 'fault', request, fault: reason });
  }
}

function worthless(feedback: string) {
  return { reward: 0, feedback };
}

function endedWords({ code, signal }: ProcessEnd): string {
  return `The process ended before its tests did (${signal ?? `exit code ${code}`}): too much memory, or an exit of its own.`;
}

function lastValue(output: string): unknown {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  try {
    return line === '' ? undefined : JSON.parse(line);
  } catch {
    return line;
  }
}

/** The answer is what was said behind the last turn of the user's side. */
function inputOf(
  { prompt, path, step }: ScoreRequest,
  tests: string | undefined,
  language: TestLanguage | undefined,
  proof: string,
) {
  const all = [...path.map((each) => each.step), step];
  const said = all.slice(
    Math.max(
      0,
      all.findLastIndex(({ turn }) => turn !== undefined),
    ),
  );
  const steps = said.map(({ text }) => text);
  const asked = { question: questionOf(prompt), answer: steps.join(''), steps };
  if (language === undefined) return tests === undefined ? asked : { ...asked, tests };
  if (tests === undefined)
    return raise('unsupported', 'the question has no tests: give them with it, or to the verifier (tests)');
  return { ...asked, tests, proof };
}

function own([name = '', ...rest]: readonly string[]): string[] {
  const program = findProgram(name);
  if (program === undefined) return raise('bad-setting', `command is '${name}', and there is no such program`);
  return [program, ...rest];
}

function ready(language: TestLanguage, memoryMiB: number): string[] {
  const program = language === 'javascript' ? process.execPath : pythonProgram();
  if (program === undefined) return raise('bad-setting', 'command is python, and no python3 is installed');
  return runnerCommand(language, program, memoryMiB);
}
