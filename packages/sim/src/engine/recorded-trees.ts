// Trees that a real model drew, to be drawn from again in virtual time: a step source and a reward source. At each node the
// draws that were recorded come again in an order of the search's own seed; when they are used up they come round once
// more, as twins. A file of another format or version is refused in one line. Pure: it is given the text of a file.

import { hash, raise } from '@coppice/core/base';
import type { GenerateRequest, PathStep } from '@coppice/core/engine';
import type { Prompt, Step } from '@coppice/core/tree';
import type { RewardSource, StepSource } from './source.ts';

export const treesFormat = 'coppice-trees';
export const treesVersion = 1;

/** The first line of a recording. */
export interface TreesHeader {
  readonly format: typeof treesFormat;
  readonly version: typeof treesVersion;
  /** As `--model` named it, with the SHA-256 of its weights. */
  readonly model: string;
  readonly modelHash: string;
  readonly verifier: string;
  readonly samples: number;
  readonly seed: number;
}

/** One step that was drawn, `count` times in all. The root has neither step nor parent. */
export interface RecordedNode {
  readonly step?: Step;
  readonly reward?: number;
  readonly promise?: number;
  readonly answer?: string;
  /** Whether the answer is right, where the step ends a path. */
  readonly right?: boolean;
  /** Nodes by child index: identical draws are one node that stands here more than once. */
  readonly draws: readonly number[];
}

/** One question, by line. */
export interface RecordedTree {
  readonly question: string;
  readonly promptTokens: number;
  readonly nodes: readonly RecordedNode[];
}

/** What the real model never drew: a path that was left open ends here, with nothing. */
const unseen: Step = { text: 'unseen', tokens: 1, meanLogprob: 0, end: 'eos' };

export class RecordedTrees implements StepSource, RewardSource {
  readonly header: TreesHeader;
  readonly trees: readonly RecordedTree[];

  private constructor(header: TreesHeader, trees: readonly RecordedTree[]) {
    this.header = header;
    this.trees = trees;
  }

  static parse(name: string, text: string): RecordedTrees {
    const [head = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '');
    const header = parseLine(name, head, 1) as Partial<TreesHeader> | null;
    if (header?.format !== treesFormat)
      raise('bad-setting', `${name} is no recording of trees (npm run lab -- record makes one)`);
    if (header.version !== treesVersion) {
      raise('bad-setting', `${name} is a recording of version ${header.version}; this is version ${treesVersion}`);
    }
    const trees = lines.map((line, at) => checkTree(name, parseLine(name, line, at + 2), at + 2));
    if (trees.length === 0) raise('bad-setting', `${name} is a recording without trees`);
    return new RecordedTrees(header as TreesHeader, trees);
  }

  /** The prompt under which the simulator asks question number `at`; they come round. */
  promptOf(at: number, seed: number): Prompt {
    return { kind: 'text', text: `recorded ${at % this.trees.length} seed ${seed}` };
  }

  promptTokens(prompt: Prompt): number {
    return this.#treeOf(prompt).promptTokens;
  }

  draw({ prompt, path, seed, index }: GenerateRequest): Step {
    const tree = this.#treeOf(prompt);
    const draws = nodeAt(tree, path)?.draws ?? [];
    if (draws.length === 0) return unseen;
    // Seeds of siblings stand in a row: without the index they are one number for all.
    const base = seed - index;
    const order = draws.map((node, at) => ({ node, rank: hash(base, at) })).sort((a, b) => a.rank - b.rank);
    return tree.nodes[order[index % draws.length]!.node]?.step ?? unseen;
  }

  reward(prompt: Prompt, path: readonly PathStep[], step: Step): number {
    return this.#childAt(prompt, path, step)?.reward ?? 0;
  }

  /** Whether the path of these texts ends in a right answer. */
  isRight(prompt: Prompt, answer: string | undefined): boolean {
    return this.#treeOf(prompt).nodes.some((node) => node.right === true && node.answer === answer);
  }

  /** Of every recorded sample of a question, whether it ended right; twins count once. */
  ends(prompt: Prompt): boolean[] {
    return this.#treeOf(prompt).nodes.flatMap(({ right }) => (right === undefined ? [] : [right]));
  }

  #childAt(prompt: Prompt, path: readonly PathStep[], step: Step): RecordedNode | undefined {
    const tree = this.#treeOf(prompt);
    const parent = nodeAt(tree, path);
    return parent && childOf(tree, parent, step);
  }

  #treeOf(prompt: Prompt): RecordedTree {
    const number = prompt.kind === 'text' ? /^recorded (\d+) /.exec(prompt.text)?.[1] : undefined;
    return this.trees[Number(number)] ?? raise('bad-setting', 'a recording answers only the questions that it holds');
  }
}

function parseLine(name: string, line: string, at: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return raise('bad-setting', `${name} is no recording of trees: line ${at} is not JSON`);
  }
}

/** What is read of a tree must be there, and a child stand behind its parent. */
function checkTree(name: string, value: unknown, at: number): RecordedTree {
  const { question, promptTokens, nodes } = (value ?? {}) as Partial<RecordedTree>;
  const refuse = (why: string) => raise('bad-setting', `${name} is no recording of trees: line ${at} ${why}`);
  if (typeof question !== 'string' || typeof promptTokens !== 'number') refuse('has no question with its tokens');
  if (!Array.isArray(nodes) || nodes.length === 0) return refuse('has no nodes');
  for (const [id, node] of (nodes as readonly Partial<RecordedNode>[]).entries()) {
    const isChild = (child: unknown) => Number.isInteger(child) && Number(child) > id && Number(child) < nodes.length;
    if (!Array.isArray(node?.draws) || !node.draws.every(isChild)) refuse(`has a node ${id} without its draws`);
    if (id > 0 && typeof node.step?.text !== 'string') refuse(`has a node ${id} without a step`);
  }
  return value as RecordedTree;
}

function nodeAt(tree: RecordedTree, path: readonly PathStep[]): RecordedNode | undefined {
  let node = tree.nodes[0];
  for (const { step } of path) node = node && childOf(tree, node, step);
  return node;
}

function childOf(tree: RecordedTree, { draws }: RecordedNode, { text, end }: Step): RecordedNode | undefined {
  for (const id of draws) {
    const child = tree.nodes[id];
    if (child?.step?.text === text && child.step.end === end) return child;
  }
  return undefined;
}
