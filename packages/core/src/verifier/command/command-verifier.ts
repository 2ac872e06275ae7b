// A process as verifier: it gets a whole answer as JSON and writes a reward from 0 to 1 with words as its last line. Runs under limits in a
// sandbox; `note` says what that does not contain. An answer over a limit is worth 0. Steps that end no answer are worth 0.5 and not run.

import { FaultError, fault, raise } from '../../base/fault.ts';
import type { RequestId, Urgency } from '../../engine/engine.ts';
import { UrgencyQueue } from '../../engine/urgency-queue.ts';
import { type Judgement, judgementOf, shown } from '../definition.ts';
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
import { type JudgedEnd, judgeCode } from './judged-code.ts';
import { commandDefaults, type SandboxKind } from './limits.ts';
import { type RunnerRole, runnerCommand } from './python-runner.ts';
import { findProgram, findSandbox, neededPaths, pythonProgram } from './sandbox.ts';

export interface CommandOptions {
  /** `python`: runs tests of functions. */
  readonly command: readonly string[] | 'python';
  readonly tests?: string | undefined;
  readonly timeoutMs?: number;
  readonly memoryMiB?: number;
  readonly outputKiB?: number;
  readonly parallel?: number;
  readonly readable?: readonly string[];
  /** `bubblewrap` by default; `limits` shuts nothing in. */
  readonly sandbox?: SandboxKind;
  /** For tests: as if no cgroup could be made. */
  readonly watched?: boolean;
}

/** Processes and threads of all parallel runs: root's are counted as one user's. */
const processesEach = 32;
const unfinished = 0.5;

interface Asked {
  readonly request: ScoreRequest;
  readonly abort: AbortController;
}

export class CommandVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly note: string;
  readonly isContained: boolean;
  readonly #command: ContainedCommand;
  readonly #runsTests: boolean;
  readonly #tests: string | undefined;
  readonly #parallel: number;
  readonly #unanswered = new Map<RequestId, Asked>();
  readonly #waiting = new UrgencyQueue<RequestId, Asked>();
  #post: (message: VerifierMessage) => void = () => {};
  #running = 0;
  #served = 0;

  constructor(options: CommandOptions) {
    const { command, readable = [], sandbox: kind = 'bubblewrap', watched } = options;
    const { parallel, timeoutMs, outputKiB, memoryMiB } = { ...commandDefaults, ...options };
    this.#runsTests = command === 'python';
    this.#tests = options.tests;
    this.#parallel = parallel;
    const line = command === 'python' ? [interpreter()] : own(command);
    const sandbox = findSandbox(kind);
    const processes = processesEach * parallel;
    this.#command = {
      sandbox,
      command: line,
      readable: [...neededPaths(line), ...readable],
      limits: { timeoutMs, outputKiB, memoryMiB, processes },
      watched,
    };
    const name = this.#runsTests ? 'tests in python' : 'command';
    const containment = { by: sandbox.kind, open: sandbox.open };
    this.capabilities = { name, aggregation: 'last', reusesPrefix: true, containment, exact: true };
    this.isContained = sandbox.open.length === 0;
    const open = this.isContained ? 'contained' : `NOT contained: ${sandbox.open.join('; ')}`;
    this.note = `${name}, shut in by ${sandbox.kind}, ${open}`;
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) {
      const { id, step } = request;
      if (step.end !== 'eos') {
        this.#post({ type: 'score', request: id, reward: unfinished, usage: noUsage });
        continue;
      }
      const asked = { request, abort: new AbortController() };
      this.#unanswered.set(id, asked);
      this.#waiting.set(id, asked, request);
      this.#post({ type: 'held', request: id });
    }
    this.#pump();
  }

  cancel(requests: readonly RequestId[]): void {
    for (const id of requests) {
      this.#waiting.delete(id);
      this.#unanswered.get(id)?.abort.abort();
      this.#fault(id, fault('cancelled', 'the request was cancelled'));
    }
  }

  update(request: RequestId, urgency: Urgency): void {
    const asked = this.#waiting.get(request);
    if (asked !== undefined) this.#waiting.set(request, asked, urgency);
  }

  release(_search: string): void {}

  load(): VerifierLoad {
    return { waiting: this.#waiting.size, running: this.#running, healthy: true };
  }

  async close(): Promise<void> {
    this.cancel([...this.#unanswered.keys()]);
    while (this.#running > 0) await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }

  #pump(): void {
    while (this.#running < this.#parallel) {
      const next = this.#waiting.pop();
      if (next === undefined) return;
      this.#running += 1;
      this.#post({ type: 'taken', request: next.request.id });
      void this.#judge(next).finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }

  async #judge({ request, abort }: Asked): Promise<void> {
    const { id } = request;
    try {
      const asked = askedOf(request);
      const tests = request.tests ?? this.#tests;
      const judgement = this.#runsTests
        ? await this.#tested(asked.answer, tests ?? raise('unsupported', noTests), abort.signal)
        : this.#judgementOf(await runContained(this.#command, JSON.stringify({ ...asked, tests }), abort.signal));
      if (this.#unanswered.delete(id)) this.#post({ type: 'score', request: id, ...judgement, usage: noUsage });
    } catch (error) {
      const reason =
        error instanceof FaultError ? error.fault : fault('internal', `command verifier: ${String(error)}`);
      this.#fault(id, reason);
    }
  }

  async #tested(answer: string, tests: string, signal: AbortSignal): Promise<Judgement> {
    const [program = ''] = this.#command.command;
    const run = (role: RunnerRole): ContainedCommand => ({ ...this.#command, command: runnerCommand(program, role) });
    const end = await judgeCode({ code: run('code'), tests: run('tests') }, answer, tests, signal);
    const verdict = lastValue(end.tests.output) as TestsVerdict | undefined;
    if (verdict?.inside !== true) return this.#outside(end, verdict);
    this.#served += 1;
    const proof = `${process.pid}-${this.#served}-${Math.trunc(performance.now() * 1e6)}`;
    const inside = await runContained(run('inside'), JSON.stringify({ answer, tests, proof }), signal);
    const said = lastValue(inside.output) as TestsVerdict | undefined;
    const genuine = said?.proof === proof ? judgementOf(said) : undefined;
    const { reward, feedback } = this.#overrun(inside) ?? genuine ?? worthless(endedWords(inside));
    return { reward, feedback: feedback === undefined ? ranInside : `${feedback}\n${ranInside}` };
  }

  #outside({ code, tests }: JudgedEnd, verdict: TestsVerdict | undefined): Judgement {
    const over = this.#overrun(code) ?? this.#overrun(tests);
    if (over !== undefined) return over;
    if (verdict?.over === true) return worthless(this.#outputWords());
    const ended = verdict?.ended === true || verdict === undefined;
    return (ended ? undefined : judgementOf(verdict)) ?? worthless(endedWords(code.signal === null ? code : tests));
  }

  /** A process that could not start says nothing about the answer. */
  #overrun({ broken, code, errors, stopped }: ProcessEnd): Judgement | undefined {
    const { timeoutMs, memoryMiB } = this.#command.limits;
    const why =
      broken ?? (code === notFound ? `exit code 127, a program was not found: ${lastLine(errors)}` : undefined);
    if (why !== undefined) return raise('unavailable', `the command verifier cannot start: ${why}`);
    if (stopped === 'time') return worthless(`It did not end within ${timeoutMs / 1000} seconds.`);
    if (stopped === 'memory') return worthless(`It used more than ${memoryMiB} MiB of memory.`);
    return stopped === 'output' ? worthless(this.#outputWords()) : undefined;
  }

  #outputWords(): string {
    return `It wrote more than ${this.#command.limits.outputKiB} KiB.`;
  }

  #judgementOf(end: ProcessEnd): Judgement {
    const over = this.#overrun(end);
    if (over !== undefined) return over;
    if (end.signal !== null) return worthless(endedWords(end));
    const said = lastValue(end.output);
    const judgement = judgementOf(said);
    if (judgement !== undefined) return judgement;
    const errors = lastLine(end.errors);
    const why = end.code === 0 ? '' : `, exit code ${end.code}${errors ? `: ${errors}` : ''}`;
    const rule = 'its last line must be JSON with a reward from 0 to 1 and, if it likes, a feedback';
    return raise('bad-reward', `the command verifier gave ${shown(said)}${why}; ${rule}`);
  }

  #fault(request: RequestId, reason: ReturnType<typeof fault>): void {
    if (this.#unanswered.delete(request)) this.#post({ type: 'fault', request, fault: reason });
  }
}

interface TestsVerdict {
  readonly inside?: unknown;
  readonly over?: unknown;
  readonly ended?: unknown;
  readonly proof?: unknown;
}

const noTests = 'the question has no tests: give them with it, or to the verifier (tests)';
/** Exit code of shells and prlimit. */
const notFound = 127;
export const ranInside = "(These tests ran inside the answer's own process.)";

function worthless(feedback: string): Judgement {
  return { reward: 0, feedback };
}

function endedWords({ code, signal }: ProcessEnd): string {
  return `The process ended before its tests did (${signal ?? `exit code ${code}`}): too much memory, or an exit of its own.`;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

function lastValue(output: string): unknown {
  const line = lastLine(output);
  try {
    return line === '' ? undefined : JSON.parse(line);
  } catch {
    return line;
  }
}

function askedOf({ prompt, path, step }: ScoreRequest) {
  const all = [...path.map((each) => each.step), step];
  const begin = all.findLastIndex(({ turn }) => turn !== undefined);
  const steps = all.slice(Math.max(0, begin)).map(({ text }) => text);
  return { question: questionOf(prompt), answer: steps.join(''), steps };
}

function own([name = '', ...rest]: readonly string[]): string[] {
  const program = findProgram(name);
  if (program === undefined) return raise('bad-setting', `command is '${name}', and there is no such program`);
  return [program, ...rest];
}

function interpreter(): string {
  return pythonProgram() ?? raise('bad-setting', 'command is python, and no python3 is installed');
}
