// One search for code that passes tests, on an open model, as one line: its answer, whether the grading tests pass, its cost, and its
// answers in order of arrival, so that programs can be compared at any number of tokens. The grading tests run here, after
// the search, on each answer that was the best at some moment; the search never sees them.

import { type CommandOptions, CommandVerifier, type SearchModel, type SearchOptions, search } from 'coppice';
import type { CodeTask } from './code-tasks.ts';

export interface CodeAnswer {
  /** 1 is a fresh answer, 2 its repair, and so on. */
  readonly depth: number;
  /** Generated for it. */
  readonly tokens: number;
  /** The share of searching tests that it passes. */
  readonly score: number;
  /** Of those that were the best of their moment. */
  readonly right?: boolean;
  /** Word for word an answer that was there before. */
  readonly repeats?: true;
  readonly text?: string;
  readonly feedback?: string;
}

export interface CodeLine {
  readonly program: string;
  readonly seed: number;
  readonly set: string;
  readonly question: string;
  readonly right: boolean;
  readonly score: number | null;
  readonly exit: string;
  readonly answers: readonly CodeAnswer[];
  /** Generated, whatever became of it. */
  readonly tokens: number;
  /** Of prompts and paths: computed, and found in the cache. */
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly ms: number;
  readonly fault?: string;
}

export interface CodeSearch {
  readonly model: SearchModel;
  readonly task: CodeTask;
  readonly seed: number;
  readonly options: SearchOptions & { readonly program: string };
  readonly grader: Grader;
  readonly keepsTexts: boolean;
}

type Kept = Omit<CodeAnswer, 'right' | 'repeats'> & { readonly text: string };

export async function searchCode({ model, task, seed, options, grader, keepsTexts }: CodeSearch): Promise<CodeLine> {
  const came: Kept[] = [];
  const onEvent: SearchOptions['onEvent'] = ({ event }, tree) => {
    if (event.type !== 'grown' && event.type !== 'adopted' && event.type !== 'merged') return;
    const { depth, step, score, feedback } = tree.node(event.type === 'merged' ? event.into : event.node);
    const said = feedback === undefined ? {} : { feedback };
    // One that was cut was not tested.
    const passed = step!.end === 'eos' ? score : 0;
    came.push({ depth, tokens: step!.tokens, score: passed, text: step!.text, ...said });
  };
  const { program, ...rest } = options;
  const tests = program === 'greedy' ? {} : { tests: task.searching };
  const found = await search(task.question, { ...rest, ...tests, program: options.program, model, seed, onEvent });
  const isRight = (text: string) => grader.passes(text, task.grading);
  const answers = await Promise.all(
    came.map(async (each, at) => {
      const isRecord = came.slice(0, at).every(({ score }) => score < each.score);
      const { text, feedback, ...kept } = each;
      const repeats = came.slice(0, at).some((before) => before.text === text) ? { repeats: true as const } : {};
      const right = isRecord ? { right: await isRight(text) } : {};
      return {
        ...kept,
        ...right,
        ...repeats,
        ...(keepsTexts ? { text, ...(feedback === undefined ? {} : { feedback }) } : {}),
      };
    }),
  );
  const { cost, exit, fault } = found;
  return {
    program,
    seed,
    set: task.set,
    question: task.id,
    right: found.complete && (await isRight(found.steps.join(''))),
    score: found.score ?? null,
    exit: exit.kind,
    answers,
    tokens: cost.committedTokens + cost.discardedTokens + cost.speculativeTokens,
    promptTokens: cost.promptTokens,
    cachedTokens: cost.cachedTokens,
    ms: Math.round(found.searchMs),
    ...(fault === undefined ? {} : { fault: fault.message }),
  };
}

/** Runs the grading tests without a search; an answer that was graded before is not run again. */
export class Grader {
  readonly #verifier: CommandVerifier;
  readonly #asked = new Map<number, (passes: boolean) => void>();
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(options: CommandOptions) {
    this.#verifier = new CommandVerifier(options);
    this.#verifier.connect((message) => {
      if (message.type !== 'score' && message.type !== 'fault') return;
      this.#asked.get(message.request)?.(message.type === 'score' && message.reward === 1);
      this.#asked.delete(message.request);
    });
  }

  passes(answer: string, tests: string): Promise<boolean> {
    const key = `${tests}\n${answer}`;
    const known = this.#known.get(key) ?? this.#run(answer, tests);
    this.#known.set(key, known);
    return known;
  }

  async close(): Promise<void> {
    await this.#verifier.close();
  }

  #run(text: string, tests: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const id = this.#known.size;
    this.#asked.set(id, resolve);
    const step = { text, tokens: 0, meanLogprob: 0, end: 'eos' } as const;
    const place = { search: 'graded', prompt: { kind: 'text', text: '' }, parent: 0, index: 0, path: [] } as const;
    this.#verifier.score([{ id, ...place, step, tests, lane: 'primary', priority: 0 }]);
    return promise;
  }
}
