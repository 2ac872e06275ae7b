// Programming tasks with tests (HumanEval and MBPP, in their authors' files) as questions: the search sees some of the tests; the others grade
// and never reach a prompt. HumanEval's assertions go to the two sides in turns. Of MBPP's three, the first is for the search and in the
// question, which otherwise would not name the function. A task with a single assertion is left out. Pure except for reading files.

import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { raise } from '@coppice/core/base';

export interface CodeTask {
  readonly id: string;
  /** The file that it comes from, by its name. */
  readonly set: string;
  readonly question: string;
  /** Tests that a search may run and speak of. */
  readonly searching: string;
  /** Tests that say whether the answer is right. */
  readonly grading: string;
}

interface HumanEvalLine {
  readonly task_id: string;
  readonly prompt: string;
  readonly entry_point: string;
  readonly test: string;
}

interface MbppLine {
  readonly task_id: number;
  readonly text: string;
  readonly test_setup_code: string;
  readonly test_list: readonly string[];
}

export function readTasks(file: string): CodeTask[] {
  if (!existsSync(file)) return raise('bad-setting', `--questions: cannot read ${file}`);
  const set = basename(file, '.jsonl');
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.flatMap((line) => {
    const task = JSON.parse(line) as HumanEvalLine | MbppLine;
    const made = 'entry_point' in task ? humanEvalTask(task) : 'test_list' in task ? mbppTask(task) : undefined;
    if (made === undefined)
      return raise('bad-setting', `${file} has no tasks of HumanEval or MBPP: ${line.slice(0, 80)}`);
    return made.map((each) => ({ ...each, set }));
  });
}

type Made = Omit<CodeTask, 'set'>;

/** As EvalPlus asks instruction-tuned models; the fence names its language, since nothing is put into the model's mouth here. */
function questionOf(problem: string): string {
  const asked =
    'Please provide a self-contained Python script that solves the following problem in a markdown code block:';
  return `${asked}\n\`\`\`python\n${problem.trim()}\n\`\`\``;
}

function mbppTask({ task_id, text, test_setup_code, test_list }: MbppLine): Made[] {
  const [first, ...others] = test_list.map((each) => each.trim());
  if (first === undefined || others.length === 0) return [];
  const all = (tests: readonly string[]) => [test_setup_code, ...tests].filter((each) => each !== '').join('\n');
  const question = questionOf(`"""\n${text.trim()}\n${first}\n"""`);
  return [{ id: `MBPP/${task_id}`, question, searching: all([first]), grading: all(others) }];
}

function humanEvalTask({ task_id, prompt, entry_point, test }: HumanEvalLine): Made[] {
  const [before = '', body = ''] = test.split(/^def check\(.*\):[^\S\n]*\n/m);
  const statements = statementsOf(body).map((each) => each.replace(/\bcandidate\b/g, entry_point));
  // One that stands there twice is one: it must not be on both sides.
  const asserting = [...new Set(statements.filter(isAsserting))];
  if (asserting.length < 2) return [];
  const half = (side: number) => {
    const own = new Set(asserting.filter((_, at) => at % 2 === side));
    const kept = statements.filter((each) => own.has(each) || !/\bassert\b/.test(each));
    return [before.trim(), ...kept].filter((each) => each !== '').join('\n');
  };
  return [{ id: task_id, question: questionOf(prompt), searching: half(0), grading: half(1) }];
}

/** `assert True` proves nothing. */
function isAsserting(statement: string): boolean {
  return /\bassert\b/.test(statement) && !/^assert True\b/.test(statement);
}

const indent = '    ';

/** The statements of a function's body, without its indentation: what is deeper, empty or a closing bracket belongs to the one before. */
function statementsOf(body: string): string[] {
  const statements: string[] = [];
  for (const line of body.trimEnd().split('\n')) {
    const text = line.startsWith(indent) ? line.slice(indent.length) : line.trimStart();
    const begins = /^[^\s)\]}]/.test(text) && line.startsWith(indent);
    if (begins || statements.length === 0) statements.push(text);
    else statements.push(`${statements.pop()}\n${text}`);
  }
  return statements.map((each) => each.trimEnd()).filter((each) => each !== '' && !each.startsWith('#'));
}
