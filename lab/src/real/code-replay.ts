// Replays refine over recorded answers: the product's own program asks for them, each search alone or taught by earlier ones. A fresh
// answer is one of the task's recorded ones. A repair is one of the task's own at that depth, or else one of a similarly hard task of
// its set. The first answer that passes ends a search. Draws are with replacement, so a replay underestimates hard tasks: a task
// whose few answers all failed never passes here.

import { mean, Random } from '@coppice/core/base';
import { formKey, type Learned, plantedEvent, Tree } from '@coppice/core/tree';
import { createRefine } from '@coppice/papers/refine';
import { meanDifference } from '../statistics.ts';
import type { CodeAnswer, CodeLine } from './code-search.ts';

/** Of one kind, by what they were recorded of; a kind is a fresh answer, a repair, a deeper repair. */
type Drawn = readonly (readonly CodeAnswer[])[];

const kinds = [1, 2, 3];

export interface ReplayedGain {
  /** Answers that are right, against fresh answers alone. */
  readonly right: ReturnType<typeof meanDifference>;
  /** Answers that pass the searching tests. */
  readonly passed: ReturnType<typeof meanDifference>;
  /** Of all answers. */
  readonly repairs: number;
}

/** How searches teach each other. */
export type Teaching = 'alone' | 'mixed' | 'set by set';
/** Set by set, as `code` runs them; best-of-n takes the other half of 100 searches at a time. */
const refinesAtATime = 50;

/** `times`: passes over all tasks, each in an order of its own and without earlier lessons. */
export function replayRefine(
  lines: readonly CodeLine[],
  tokens: number,
  times: number,
  teaching: Teaching,
): ReplayedGain | undefined {
  const recorded = new Recorded(lines);
  const gains = new Map<string, { right: number[]; passed: number[] }>();
  const written = { answers: 0, repairs: 0 };
  for (let time = 0; time < times; time += 1) {
    let learned: Learned | undefined;
    const begin = (task: string) => {
      const program = createRefine({ rollouts: 64 });
      const own = searchIn(recorded, program, task, { tokens, time, learned });
      const base = searchIn(recorded, createRefine({ rollouts: 64, maxDepth: 1 }), task, { tokens, time });
      const gain = gains.get(task) ?? { right: [], passed: [] };
      gains.set(task, gain);
      gain.right.push(Number(own.right) - Number(base.right));
      gain.passed.push(Number(own.passed) - Number(base.passed));
      written.answers += own.tree.nodes.length - 1;
      written.repairs += own.tree.nodes.filter(({ depth }) => depth > 1).length;
      return own.tree;
    };
    const end = (tree: Tree) => {
      if (teaching !== 'alone') learned = createRefine({ rollouts: 64 }).learn!(tree, learned);
    };
    const isBySet = teaching === 'set by set';
    inFlight(inOrder(recorded.tasks, time, isBySet), isBySet ? refinesAtATime : 1, begin, end);
  }
  if (gains.size === 0) return undefined;
  const over = (kind: 'right' | 'passed') => meanDifference([...gains.values()].map((each) => mean(each[kind])));
  return { right: over('right'), passed: over('passed'), repairs: written.repairs / written.answers };
}

const manners: Readonly<Record<Teaching, string>> = {
  alone: 'each search alone',
  mixed: 'taught by those before it',
  'set by set': `taught, set by set, ${refinesAtATime} at a time`,
};

export function replayLines(lines: readonly CodeLine[], tokens: number, times: number): string[] {
  return (Object.keys(manners) as Teaching[]).flatMap((teaching) => {
    const gain = replayRefine(lines, tokens, times, teaching);
    if (gain === undefined) return [];
    const said = [gain.right, gain.passed].map(({ value, low, high }) => {
      return `${points(value)} [${points(low)}, ${points(high)}]`;
    });
    return `  refine replayed, ${manners[teaching]}: ${said[0]} points right, ${said[1]} pass what searches, ${points(gain.repairs)} % of answers are repairs`;
  });
}

function points(share: number): string {
  return (100 * share).toFixed(1);
}

/** Sets one after another come in the order in which they were recorded first. */
function inOrder(tasks: readonly string[], time: number, isBySet: boolean): string[] {
  const sets = [...new Set(tasks.map(setOf))];
  const place = (task: string) => new Random('order', time, task).uniform() + (isBySet ? sets.indexOf(setOf(task)) : 0);
  return tasks
    .map((task) => ({ task, at: place(task) }))
    .sort((a, b) => a.at - b.at)
    .map(({ task }) => task);
}

/** So many searches at a time: each lasts as long as its tokens, and is over, and teaches, in the order in which they end. */
function inFlight(
  tasks: readonly string[],
  atATime: number,
  begin: (task: string) => Tree,
  end: (tree: Tree) => void,
): void {
  const running: { readonly tree: Tree; readonly until: number }[] = [];
  let now = 0;
  for (const task of tasks) {
    if (running.length === atATime) {
      const first = running.reduce((soonest, each) => (each.until < soonest.until ? each : soonest));
      running.splice(running.indexOf(first), 1);
      now = first.until;
      end(first.tree);
    }
    const tree = begin(task);
    running.push({ tree, until: now + tree.tokens });
  }
}

function setOf(task: string): string {
  return task.split('/')[0]!;
}

interface ReplayTerms {
  readonly tokens: number;
  readonly time: number;
  readonly learned?: Learned | undefined;
}

function searchIn(
  recorded: Recorded,
  program: ReturnType<typeof createRefine>,
  task: string,
  { tokens, time, learned }: ReplayTerms,
) {
  const tree = Tree.replay([plantedEvent('last', undefined, learned)]);
  let best: CodeAnswer | undefined;
  while (tree.tokens < tokens && best?.score !== 1) {
    const asked = program.ask(tree, true);
    if (asked === undefined) break;
    const { node, indices, sampling, manner } = asked;
    const index = indices[0]!;
    const answer = recorded.draw(task, node.depth + 1, new Random('drawn', time, task, node.key, index));
    // The program's own chance follows from what was written: no two searches may have the same words.
    const step = {
      text: `${task} ${time} ${node.id} ${index}`,
      tokens: answer.tokens,
      meanLogprob: 0,
      end: 'eos',
    } as const;
    const form = formKey(sampling, manner);
    program.tell(tree, { ok: true, node: node.id, index, form, step, reward: answer.score });
    if (best === undefined || answer.score > best.score) best = answer;
  }
  // Only what was the best of its moment was graded: of others none is known to be right.
  return { tree, passed: best?.score === 1, right: best?.right === true };
}

/** Answers by task, and those of tasks alike for tasks without repairs. */
class Recorded {
  readonly tasks: readonly string[];
  readonly #own = new Map<string, Drawn>();
  readonly #alike = new Map<string, Drawn>();
  readonly #all: Drawn;

  constructor(lines: readonly CodeLine[]) {
    const byTask = Map.groupBy(lines, ({ question }) => question);
    for (const [task, searches] of byTask) this.#own.set(task, byKind(searches));
    this.tasks = [...byTask.keys()].filter((task) => this.#own.get(task)![0]!.length > 0);
    const byHardness = Map.groupBy(this.tasks, (task) => this.#hardness(task));
    for (const [hardness, tasks] of byHardness)
      this.#alike.set(hardness, byKind(tasks.flatMap((each) => byTask.get(each)!)));
    this.#all = byKind(lines);
  }

  draw(task: string, depth: number, random: Random): CodeAnswer {
    const kind = Math.min(depth, kinds.length) - 1;
    const pools = [this.#own.get(task)!, this.#alike.get(this.#hardness(task))!, this.#all];
    const pool = pools.map((each) => each[kind]!).find(({ length }) => length > 0);
    // Where nothing so deep was recorded, the deepest of the task that was.
    const drawn = pool ?? this.#own.get(task)!.findLast(({ length }) => length > 0)!;
    return drawn[random.integer(drawn.length)]!;
  }

  /** By set and the share of fresh answers that pass: none, up to a third, up to two, more. */
  #hardness(task: string): string {
    const fresh = this.#own.get(task)![0]!;
    const share = fresh.filter(({ score }) => score === 1).length / fresh.length;
    return `${setOf(task)} ${Math.ceil(3 * share)}`;
  }
}

function byKind(searches: readonly CodeLine[]): Drawn {
  const answers = searches.flatMap((each) => each.answers);
  return kinds.map((kind) => answers.filter(({ depth }) => Math.min(depth, kinds.length) === kind));
}
