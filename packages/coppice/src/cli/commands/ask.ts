// `coppice ask`: answers one question, on the embedded engine or on servers. Shows the growing tree, then the answer, its path, the exit
// and the cost.

import { closeSync, openSync, writeSync } from 'node:fs';
import { extractAnswer } from '@coppice/core/answer';
import {
  askedQuestion,
  buildSearch,
  closeModel,
  type FinishedRun,
  noteFor,
  type OpenModel,
  openModel,
  ownModel,
  ownPlan,
  requestOf,
  runSearch,
  type SearchPlan,
  shippedOf,
  type Wish,
} from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { budgetOf, efforts } from '@coppice/core/config';
import { type LoggedEvent, SearchFold } from '@coppice/core/log';
import { createScheduler } from '@coppice/core/policy';
import { programOf } from '@coppice/core/program';
import type { Tree } from '@coppice/core/tree';
import { exampleServer, type Flags, type Help, helpFlag } from '../flags/help.ts';
import { knobFlags } from '../flags/knob-flags.ts';
import { modelFlags, readModelFlags } from '../flags/model-flags.ts';
import { given, oneOf } from '../flags/options.ts';
import { settingHelp } from '../flags/setting-help.ts';
import { everySetting, readSearchArguments, setFlag } from '../flags/settings.ts';
import { answerLines, answerRecord, type Reported, statusOf } from '../terminal/answer-view.ts';
import { openingLog } from '../terminal/opening-log.ts';
import { painter } from '../terminal/paint.ts';
import { eventLine, statusLine } from '../terminal/progress-view.ts';
import { fit, LiveBlock, widthOf, wrap } from '../terminal/terminal.ts';
import type { TraceHeader } from '../terminal/trace.ts';
import { treeLegend, treeLines } from '../terminal/tree-view.ts';

const searchGroup = {
  effort: { type: 'string', takes: 'NAME', about: `${efforts.join(', ')} (medium)` },
  program: knobFlags.program,
  policy: knobFlags.policy,
  rollouts: knobFlags.rollouts,
  threshold: knobFlags.threshold,
  branching: knobFlags.branching,
  choose: knobFlags.choose,
  temperature: knobFlags.temperature,
  seed: knobFlags.seed,
  ...setFlag,
} as const satisfies Flags;
const limitGroup = {
  'deadline-ms': knobFlags['deadline-ms'],
  'token-budget': knobFlags['token-budget'],
} as const satisfies Flags;
const outputGroup = {
  trace: { type: 'string', takes: 'FILE', about: 'writes every event, for coppice replay' },
  json: { type: 'boolean', default: false, about: 'prints one JSON object and nothing else' },
  ...helpFlag,
} as const satisfies Flags;

export const flags = { ...modelFlags, ...searchGroup, ...limitGroup, ...outputGroup } as const;

export const help: Help = {
  usage: 'ask "QUESTION" [options]',
  about: 'Answers one question by tree search, on the embedded engine or on servers.',
  groups: [
    ['the model', modelFlags],
    ['the search', searchGroup],
    ['limits', limitGroup],
    ['output', outputGroup],
  ],
  settings: settingHelp(everySetting),
  examples: [
    'ask "make 24 from 4 7 8 8"',
    'ask "make 24 from 4 7 8 8" --effort high --set maxDepth=12',
    `ask "What is 17 * 23?" --engine ${exampleServer} --json`,
  ],
  notes:
    'exit status: 0 an accepted, confident or likely answer; 3 an unsure one; 4 no path was finished; 1 engine or verifier failed; 2 a flag or setting is wrong; 130 interrupted',
};

const redrawMs = 80;

export async function run(args: readonly string[]): Promise<number> {
  const settings = readArgs(args);
  requireKind(settings);
  const startedMs = performance.now();
  const model = await openModel(ownModel(settings.own), process.env, openingLog);
  const loadedMs = performance.now() - startedMs;
  try {
    return await answer(settings, model, loadedMs);
  } finally {
    await closeModel(model);
  }
}

async function answer(settings: Settings, model: OpenModel, loadedMs: number): Promise<number> {
  const plan = ownPlan(model, settings.question, settings.wish, defaultSeed);
  const trace = settings.trace === undefined ? undefined : openTrace(settings, plan, settings.trace);
  try {
    const interrupt = new AbortController();
    process.once('SIGINT', () => interrupt.abort());
    const fold = new SearchFold();
    const view = new Watcher(settings, plan, model, fold);
    const finished = await runSearch({
      engine: model.engine,
      ...(model.verifier === undefined ? {} : { verifier: model.verifier }),
      ...(model.embedder === undefined ? {} : { embedder: model.embedder }),
      scheduler: createScheduler(plan.policy, plan.policyOptions),
      budget: budgetOf(model.config),
      trust: () => (model.config.trust === 0 ? null : model.config.trust),
      request: requestOf(buildSearch(plan), 'ask', model.extract ?? extractAnswer),
      fold,
      signal: interrupt.signal,
      onEvent: (event, tree) => {
        if (trace !== undefined) writeLine(trace, event);
        view.see(event, tree);
      },
    });
    view.end(finished);
    const reported = { ...finished, plan, loadedMs };
    report(settings, plan, model, reported);
    return statusOf(reported);
  } finally {
    if (trace !== undefined) closeSync(trace);
  }
}

const defaultSeed = 1;

type Settings = ReturnType<typeof readArgs>;

/** Shows the search while it runs: a live tree on a terminal, otherwise lines; nothing with JSON. */
class Watcher {
  readonly #block: LiveBlock;
  readonly #settings: Settings;
  readonly #rollouts: number;
  readonly #fold: SearchFold;
  #redrawing: NodeJS.Timeout | undefined;

  constructor(settings: Settings, plan: SearchPlan, model: OpenModel, fold: SearchFold) {
    this.#settings = settings;
    this.#rollouts = plan.rollouts;
    this.#fold = fold;
    this.#block = new LiveBlock(process.stdout);
    for (const warning of model.warnings ?? []) console.error(fit(`warning: ${warning}`, process.stderr));
    if (settings.json) return;
    const notes = noteFor(model, settings.question).split('\n');
    const lines = notes.flatMap((line) => wrap(line, widthOf(process.stdout, 100)));
    console.log([settings.question, ...lines, ''].join('\n'));
  }

  see(event: LoggedEvent, tree: Tree): void {
    if (this.#settings.json) return;
    if (!process.stdout.isTTY) {
      const line = eventLine(event, tree);
      if (line !== undefined) console.log(line);
      return;
    }
    // Redraws by the clock: minutes may pass between two events.
    this.#redrawing ??= setInterval(() => this.#draw(), redrawMs).unref();
  }

  #draw(): void {
    const { tree, generatedTokens } = this.#fold;
    if (tree === undefined) return;
    const size = { width: this.#block.width - 1, height: Math.max(3, this.#block.height - 6) };
    this.#block.draw([...treeLines(tree, size), '', statusLine(tree, this.#rollouts, generatedTokens)]);
  }

  /** Leaves the last tree on the screen, with a legend. */
  end({ result, tree }: FinishedRun): void {
    clearInterval(this.#redrawing);
    if (this.#settings.json || !process.stdout.isTTY) return;
    const chosen = result.answer && tree.node(result.answer.node);
    const size = { width: this.#block.width - 1, height: Math.max(3, this.#block.height - 6), chosen };
    this.#block.draw([...treeLines(tree, size), treeLegend, '']);
  }
}

function readArgs(args: readonly string[]) {
  const config = { args: [...args], allowPositionals: true, options: flags } as const;
  const { values, positionals, wish: told, model } = readSearchArguments(config, everySetting);
  const question = positionals.join(' ').trim();
  if (question === '') raise('bad-setting', 'there is no question; give one: coppice ask "make 24 from 4 7 8 8"');
  const effort = given('effort', values.effort, (name) => oneOf('effort', name, efforts));
  const wish: Wish = { ...told, ...effort };
  const needsVerifier = wish.program !== undefined && programOf(wish.program).needsVerifier;
  return {
    question,
    wish,
    own: readModelFlags(values, needsVerifier, model),
    json: values.json,
    ...given('trace', values.trace, String),
  };
}

/** Refuses, before anything is loaded, questions that a shipped model cannot answer. */
function requireKind({ question, own }: Settings): void {
  const formed = shippedOf(own)?.form(askedQuestion(question).prompt);
  if (formed !== undefined && 'reason' in formed) raise('unsupported', formed.reason);
}

function report(
  { question, json }: Settings,
  { program, policy, seed }: SearchPlan,
  model: OpenModel,
  reported: Reported,
): void {
  if (json) {
    const record = { question, model: noteFor(model, question), program, policy, seed, ...answerRecord(reported) };
    console.log(JSON.stringify(record));
    return;
  }
  console.log(answerLines(reported, widthOf(process.stdout, 100), painter(process.stdout, process.env)).join('\n'));
}

/** Writes through a descriptor, so that every event is in the file even if the process is killed. */
function openTrace({ question, own }: Settings, plan: SearchPlan, file: string): number {
  const { program, policy, rollouts, threshold, seed } = plan;
  const model = own.model ?? plan.model;
  const header: TraceHeader = { trace: 1, question, model, program, policy, rollouts, threshold, seed };
  try {
    const trace = openSync(file, 'w', 0o600);
    writeLine(trace, header);
    return trace;
  } catch (error) {
    return raise('bad-setting', `cannot write --trace ${file}: ${(error as Error).message}`);
  }
}

function writeLine(trace: number, value: object): void {
  writeSync(trace, `${JSON.stringify(value)}\n`);
}
