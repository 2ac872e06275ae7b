// A process as verifier: it gets a whole answer as JSON and writes a reward from 0 to 1 with words as its last line. Runs under limits in a
// sandbox; `note` says what that does not contain. An answer over a limit is worth 0. Steps that end no answer are worth 0.5 and not run.

import { raise } from '../../base/fault.ts';
import { jsonOrText } from '../../base/record.ts';
import { turnFacts } from '../../tree/readings/agent-turn.ts';
import { JudgingVerifier, judgementOf, shown } from '../judging-verifier.ts';
import { questionOf } from '../scorer.ts';
import { freeScore, type Judgement, type ScoreRequest } from '../verifier.ts';
import { type ContainedCommand, type ProcessEnd, runContained } from './contained-process.ts';
import { type JudgedEnd, judgeCode } from './judged-code.ts';
import { type RunnerRole, runnerCommand } from './python-runner.ts';
import { commandDefaults, findProgram, findSandbox, neededPaths, pythonProgram, type SandboxKind } from './sandbox.ts';

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
  /** Tests set it: it makes no cgroup. */
  readonly watched?: boolean;
}

/** Processes and threads of all parallel runs: root's are counted as one user's. */
const processesEach = 32;
const unfinished = 0.5;

export class CommandVerifier extends JudgingVerifier {
  readonly note: string;
  readonly isContained: boolean;
  readonly #command: ContainedCommand;
  readonly #runsTests: boolean;
  readonly #tests: string | undefined;
  #served = 0;

  constructor(options: CommandOptions) {
    const { command, readable = [], sandbox: kind = 'bubblewrap', watched } = options;
    const { parallel, timeoutMs, outputKiB, memoryMiB } = { ...commandDefaults, ...options };
    const runsTests = command === 'python';
    const line = runsTests ? [interpreter()] : own(command);
    const sandbox = findSandbox(kind);
    const name = runsTests ? 'tests in python' : 'command';
    const containment = { by: sandbox.kind, open: sandbox.open };
    super(
      { name, aggregation: 'last', reusesPrefix: true, containment, exact: true },
      (request, signal) => this.#judge(request, signal),
      parallel,
    );
    this.#runsTests = runsTests;
    this.#tests = options.tests;
    const processes = processesEach * parallel;
    this.#command = {
      sandbox,
      command: line,
      readable: [...neededPaths(line), ...readable],
      limits: { timeoutMs, outputKiB, memoryMiB, limitsAddresses: runsTests, processes },
      watched,
    };
    this.isContained = sandbox.open.length === 0;
    const open = this.isContained ? 'contained' : `NOT contained: ${sandbox.open.join('; ')}`;
    this.note = `${name}, shut in by ${sandbox.kind}, ${open}`;
  }

  override score(requests: readonly ScoreRequest[]): void {
    const isWhole = ({ step }: ScoreRequest) => step.end === 'eos';
    super.score(requests.filter(isWhole));
    for (const request of requests) if (!isWhole(request)) this.post(freeScore(request.id, { reward: unfinished }));
  }

  override async close(): Promise<void> {
    await super.close();
    while (this.load().running !== 0) await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }

  async #judge(request: ScoreRequest, signal: AbortSignal): Promise<Judgement> {
    const asked = askedOf(request);
    const tests = request.tests ?? this.#tests;
    return this.#runsTests
      ? await this.#tested(asked.answer, tests ?? raise('unsupported', noTests), signal)
      : this.#judgementOf(await runContained(this.#command, JSON.stringify({ ...asked, tests }), signal));
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
    const judgement = verdict === undefined || verdict.ended === true ? undefined : judgementOf(verdict);
    return judgement ?? worthless(endedWords(code.stopped === undefined ? code : tests));
  }

  /** A process that could not start says nothing about the answer. */
  #overrun({ broken, code, errors, stopped }: ProcessEnd): Judgement | undefined {
    const { timeoutMs, memoryMiB } = this.#command.limits;
    // Code of answers may end so too, but cannot write errors once it runs.
    const hasFailed = errors !== '' && !stopped && (code === notFound || (this.#runsTests && code !== 0));
    const missing = code === notFound ? ', a program was not found' : '';
    const why = broken ?? (hasFailed ? `exit code ${code}${missing}: ${lastLine(errors)}` : undefined);
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
}

type TestsVerdict = Readonly<Partial<Record<'inside' | 'over' | 'ended' | 'proof', unknown>>>;

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
  return line === '' ? undefined : jsonOrText(line);
}

function askedOf({ prompt, path, step }: ScoreRequest) {
  const all = [...path.map((each) => each.step), step];
  const begin = all.findLastIndex(({ turn }) => turn !== undefined);
  const steps = all.slice(Math.max(0, begin)).map(({ text }) => text);
  const answer = steps.join('');
  return { question: questionOf(prompt), answer, steps, ...turnFacts(prompt, answer) };
}

function own([name = '', ...rest]: readonly string[]): string[] {
  const program = findProgram(name);
  if (program === undefined) return raise('bad-setting', `command is '${name}', and there is no such program`);
  return [program, ...rest];
}

function interpreter(): string {
  return pythonProgram() ?? raise('bad-setting', 'command is python, and no python3 is installed');
}
