// `coppice ask`: one question on the embedded engine. While it grows, the tree is shown; then the answer, its path, why
// the search stopped, and what it cost.

import { createWriteStream, type WriteStream } from 'node:fs';
import { type Embedded, openEmbedded } from '../../answering/embedded.ts';
import { defaultStepPrompt, generalForm, type QuestionForm, saplingForm } from '../../answering/question-form.ts';
import { type FinishedRun, runSearch } from '../../answering/search-run.ts';
import { FaultError, fault, raise } from '../../base/fault.ts';
import { isShipped, shapeOf } from '../../engine/llama/shipped-models.ts';
import type { LoggedEvent } from '../../log/events.ts';
import { createPolicy } from '../../policy/create.ts';
import { fittingPolicy } from '../../policy/fitting.ts';
import { type PolicyName, policyNames } from '../../policy/policy.ts';
import { type Choice, choices } from '../../program/choice.ts';
import { createProgram, type ProgramName, programNames, programOf } from '../../program/registry/programs.ts';
import type { SearchRequest } from '../../runtime/request.ts';
import { isRecognised, recognise } from '../../task/recognise.ts';
import type { Tree } from '../../tree/tree.ts';
import { type ReadingName, readings } from '../../verifier/prm/llama-prm.ts';
import { answerLines, answerRecord } from '../terminal/answer-view.ts';
import { given, oneOf, readArguments, real, whole, yes } from '../terminal/options.ts';
import { eventLine, statusLine } from '../terminal/progress-view.ts';
import { LiveBlock } from '../terminal/terminal.ts';
import type { TraceHeader } from '../terminal/trace.ts';
import { treeLines } from '../terminal/tree-view.ts';

const usage = `usage: coppice ask "QUESTION" [options]
Answers one question by tree search on the embedded engine.

  --model NAME|FILE   sapling (ships with coppice) or any GGUF file
  --prm NAME|FILE     reward model, exact (countdown's own checker) or none;
                      sapling-prm beside sapling, else none
  --check-arithmetic yes|no  a step with a false equation scores 0
                      (yes for the shipped models, else no)
  --reading NAME      what the reward model is read for: ${Object.keys(readings).join(', ')} (step)
  --program NAME      ${programNames.join(', ')}
                      (mcts; self-consistency without a reward model)
  --policy NAME       ${policyNames.join(', ')}
                      (boost; vanilla without a reward model)
  --rollouts N        rollouts, samples or beams (16)
  --branching N       steps per expansion (8 for the shipped models, else 4)
  --threshold X       score at which a finished path is accepted (0.9)
  --choose NAME       the answer: of the best path, or by a vote of all finished
                      paths, weighted by score (vote for the shipped models, else best)
  --budget N          strands open at a time (8)
  --temperature X     of sampling
  --seed N            same seed, same tree (1)
  --step-prompt TEXT  system message for models that are not shipped
  --delimiter TEXT    what ends a step (an empty line; \\n is understood)
  --step-tokens N     longest step
  --threads N         compute threads per model (1)
  --kv-tokens N       cells of each KV cache (8192)
  --kv-bytes N        memory of both caches together, split by what the models cost here; measures for some seconds
  --trace FILE        writes every event as JSON lines; see coppice replay
  --json              prints one JSON object and nothing else`;

const redrawMs = 80;

export async function run(args: readonly string[]): Promise<number> {
  const settings = readSettings(args);
  if (settings === undefined) {
    console.log(usage);
    return 0;
  }
  const startedMs = performance.now();
  const form = formOf(settings);
  const policy = createPolicy(settings.policy);
  const request = requestOf(settings, form, policy.rules);
  const trace = settings.trace === undefined ? undefined : await openTrace(settings, settings.trace);
  const embedded = await openEmbedded(settings);
  const loadedMs = performance.now() - startedMs;
  try {
    const interrupt = new AbortController();
    process.once('SIGINT', () => interrupt.abort());
    const view = new Watcher(settings, embedded);
    const ended = await runSearch({
      engine: embedded.engine,
      verifier: embedded.verifier,
      policy,
      budget: settings.budget,
      request,
      signal: interrupt.signal,
      onEvent: (event, tree) => {
        trace?.write(`${JSON.stringify(event)}\n`);
        view.see(event, tree);
      },
    });
    view.end();
    report(settings, embedded, ended, loadedMs);
    return ended.result.exit.kind === 'failed' ? 1 : 0;
  } finally {
    await Promise.all([embedded.close(), closeTrace(trace)]);
  }
}

interface Settings {
  readonly question: string;
  readonly model: string;
  readonly prm?: string;
  readonly reading: ReadingName;
  readonly program: ProgramName;
  readonly policy: PolicyName;
  readonly rollouts: number;
  readonly branching: number;
  readonly threshold: number;
  readonly choose: Choice;
  readonly checkArithmetic: boolean;
  readonly budget: number;
  readonly temperature?: number;
  readonly seed: number;
  readonly stepPrompt: string;
  readonly delimiter: string;
  readonly stepTokens?: number;
  readonly threads?: number;
  readonly kvTokens?: number;
  readonly kvBytes?: number;
  readonly trace?: string;
  readonly json: boolean;
}

/** Shows the search while it runs: a live tree on a terminal, lines elsewhere, nothing beside JSON. */
class Watcher {
  readonly #block: LiveBlock;
  readonly #settings: Settings;
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(settings: Settings, embedded: Embedded) {
    this.#settings = settings;
    this.#block = new LiveBlock(process.stdout);
    if (!settings.json) console.log(`${settings.question}\n${embedded.note}\n`);
  }

  see(event: LoggedEvent, tree: Tree): void {
    if (this.#settings.json) return;
    if (!process.stdout.isTTY) {
      const line = eventLine(event, tree);
      if (line !== undefined) console.log(line);
      return;
    }
    const nowMs = performance.now();
    if (nowMs - this.#drawnMs < redrawMs) return;
    this.#drawnMs = nowMs;
    const size = { width: this.#block.width - 1, height: Math.max(3, this.#block.height - 6) };
    this.#block.draw([...treeLines(tree, size), '', statusLine(tree, this.#settings.rollouts)]);
  }

  end(): void {
    this.#block.clear();
  }
}

function readSettings(args: readonly string[]): Settings | undefined {
  const text = { type: 'string' } as const;
  const { values, positionals } = readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      model: { type: 'string', default: 'sapling' },
      prm: text,
      reading: { type: 'string', default: 'step' },
      program: text,
      policy: text,
      rollouts: { type: 'string', default: '16' },
      branching: text,
      threshold: { type: 'string', default: '0.9' },
      choose: text,
      'check-arithmetic': text,
      budget: { type: 'string', default: '8' },
      temperature: text,
      seed: { type: 'string', default: '1' },
      'step-prompt': { type: 'string', default: defaultStepPrompt },
      delimiter: { type: 'string', default: '\\n\\n' },
      'step-tokens': text,
      threads: text,
      'kv-tokens': text,
      'kv-bytes': text,
      trace: text,
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  if (values.help) return undefined;
  const question = positionals.join(' ').trim();
  if (question === '') raise('bad-setting', 'ask what? Give a question: coppice ask "make 24 from 4 7 8 8"');
  const shape = shapeOf(values.model);
  const defaults = hasRewards(values.model, values.prm) ? scoredDefaults : unscoredDefaults;
  const reading = oneOf('reading', values.reading, Object.keys(readings) as ReadingName[]);
  const program = oneOf('program', values.program ?? defaults.program, programNames);
  return {
    question,
    model: values.model,
    reading,
    program,
    policy: oneOf('policy', values.policy ?? policyFor(defaults.policy, program, reading), policyNames),
    rollouts: whole('rollouts', values.rollouts, 1, 100_000),
    branching: whole('branching', values.branching ?? String(shape.branching), 1, 64),
    threshold: real('threshold', values.threshold, 0, 1),
    checkArithmetic: yes('check-arithmetic', values['check-arithmetic'], shape.checkArithmetic),
    choose: oneOf('choose', values.choose ?? shape.choose, choices),
    budget: whole('budget', values.budget, 1, 1024),
    seed: whole('seed', values.seed, 0, 2 ** 32 - 1),
    stepPrompt: values['step-prompt'],
    delimiter: values.delimiter.replaceAll('\\n', '\n'),
    json: values.json,
    ...given('prm', values.prm, String),
    ...given('temperature', values.temperature, (value) => real('temperature', value, 0, 100)),
    ...given('stepTokens', values['step-tokens'], (value) => whole('step-tokens', value, 1, 100_000)),
    ...given('threads', values.threads, (value) => whole('threads', value, 1, 256)),
    ...given('kvTokens', values['kv-tokens'], (value) => whole('kv-tokens', value, 64, 10_000_000)),
    ...given('kvBytes', values['kv-bytes'], (value) => whole('kv-bytes', value, 1, 2 ** 50)),
    ...given('trace', values.trace, String),
  };
}

// Without a reward model there is nothing that a threshold or an exit could rest on: many answers, and the most common.
const scoredDefaults = { program: 'mcts', policy: 'boost' } as const;
const unscoredDefaults = { program: 'self-consistency', policy: 'vanilla' } as const;

function policyFor(wanted: PolicyName, program: ProgramName, reading: ReadingName): PolicyName {
  return fittingPolicy(wanted, programOf(program), readings[reading].aggregation);
}

function hasRewards(model: string, prm: string | undefined): boolean {
  return prm === undefined ? isShipped(model) : prm !== 'none';
}

function formOf(settings: Settings): QuestionForm {
  if (isShipped(settings.model)) {
    const found = recognise(settings.question);
    if (!isRecognised(found)) throw new FaultError(found);
    return saplingForm(settings.question);
  }
  return generalForm(settings.question, settings.stepPrompt, [settings.delimiter]);
}

function requestOf(settings: Settings, form: QuestionForm, rules: SearchRequest['rules']): SearchRequest {
  const { rollouts, branching, threshold, choose, seed } = settings;
  const sampling = { temperature: settings.temperature ?? form.temperature };
  return {
    id: 'ask',
    prompt: form.prompt,
    program: createProgram(settings.program, { rollouts, branching, maxDepth: form.maxDepth, sampling, choose }),
    rules,
    limits: { threshold, rollouts },
    seed,
    priority: 0,
    delimiters: form.delimiters,
    maxStepTokens: settings.stepTokens ?? form.maxStepTokens,
    extract: form.extract,
  };
}

function report(settings: Settings, embedded: Embedded, { result, tree }: FinishedRun, loadedMs: number): void {
  if (settings.json) {
    const { question, program, policy, seed } = settings;
    const record = { question, model: embedded.note, program, policy, seed, ...answerRecord(result, tree, loadedMs) };
    console.log(JSON.stringify(record));
    return;
  }
  const width = Math.min(process.stdout.columns ?? 80, 100);
  console.log(answerLines(result, tree, loadedMs, width).join('\n'));
}

function openTrace(settings: Settings, file: string): Promise<WriteStream> {
  const { question, model, program, policy, rollouts, threshold, seed } = settings;
  const header: TraceHeader = { trace: 1, question, model, program, policy, rollouts, threshold, seed };
  const stream = createWriteStream(file);
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) =>
      reject(new FaultError(fault('bad-setting', `cannot write --trace ${file}: ${error.message}`)));
    stream.once('error', refuse);
    stream.once('open', () => {
      stream.write(`${JSON.stringify(header)}\n`);
      resolve(stream);
    });
  });
}

function closeTrace(stream: WriteStream | undefined): Promise<void> {
  return new Promise((resolve) => (stream === undefined ? resolve() : stream.end(() => resolve())));
}
