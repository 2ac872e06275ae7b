// Replays trees of a real model. Each node gives its recorded draws in an order by the search's own seed; after the last one they
// repeat, as twins. A search that goes on where the recorded one did not finds the steps below the node of that tree which is most alike. A
// file of another format or version is refused in one line. Pure: its argument is the text.

import { hash, raise } from '@coppice/core/base';
import type { GenerateRequest, PathStep } from '@coppice/core/engine';
import type { Prompt, Step } from '@coppice/core/tree';
import type { RewardSource, StepSource } from '@coppice/sim/engine';

export const treesFormat = 'coppice-trees';
export const treesVersion = 1;

export interface TreesHeader {
  readonly format: typeof treesFormat;
  readonly version: typeof treesVersion;
  /** `--model` as given, and the SHA-256 of its weights. */
  readonly model: string;
  readonly modelHash: string;
  readonly verifier: string;
  readonly samples: number;
  readonly seed: number;
}

/** One drawn step. The root has neither step nor parent. */
export interface RecordedNode {
  readonly step?: Step;
  readonly reward?: number;
  readonly answer?: string;
  readonly right?: boolean;
  /** Nodes by child index; identical draws repeat the node. */
  readonly draws: readonly number[];
}

export interface RecordedTree {
  readonly question: string;
  readonly promptTokens: number;
  readonly nodes: readonly RecordedNode[];
}

/** Ends a path where nothing of the tree goes on. */
const unseen: Step = { text: 'unseen', tokens: 1, meanLogprob: 0, end: 'eos' };

export class RecordedTrees implements StepSource, RewardSource {
  readonly header: TreesHeader;
  readonly trees: readonly RecordedTree[];
  readonly #samples = new Map<RecordedTree, RecordedNode[][]>();
  readonly #donors = new Map<RecordedTree, ReadonlyMap<RecordedNode, RecordedNode>>();

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

  /** Prompt of question number `at`; numbers come round. */
  promptOf(at: number, seed: number): Prompt {
    return { kind: 'text', text: `recorded ${at % this.trees.length} seed ${seed}` };
  }

  promptTokens(prompt: Prompt): number {
    return this.#treeOf(prompt).promptTokens;
  }

  draw(request: GenerateRequest): Step {
    const { prompt, path, whole, delimiters } = request;
    const tree = this.#treeOf(prompt);
    const draws = this.#parentAt(tree, path)?.draws ?? [];
    if (draws.length === 0) return unseen;
    if (whole && path.length === 0) return joined(this.#samplesOf(tree)[drawnAt(draws, request)]!, delimiters[0]!);
    return tree.nodes[draws[drawnAt(draws, request)]!]?.step ?? unseen;
  }

  reward(prompt: Prompt, path: readonly PathStep[], step: Step): number {
    const tree = this.#treeOf(prompt);
    const parent = this.#parentAt(tree, path);
    return (parent && childOf(tree, parent, step)?.reward) ?? 0;
  }

  isRight(prompt: Prompt, answer: string | undefined): boolean {
    return this.#treeOf(prompt).nodes.some((node) => node.right === true && node.answer === answer);
  }

  /** True for each recorded sample of a question that ended right; twins count once. */
  ends(prompt: Prompt): boolean[] {
    return this.#treeOf(prompt).nodes.flatMap(({ right }) => (right === undefined ? [] : [right]));
  }

  /** The node whose draws continue a path: its last one, or the one that stands in for it. */
  #parentAt(tree: RecordedTree, path: readonly PathStep[]): RecordedNode | undefined {
    const donors = this.#donors.get(tree) ?? donorsOf(tree);
    this.#donors.set(tree, donors);
    let node = tree.nodes[0];
    for (const { step } of path) {
      const child = node && childOf(tree, node, step);
      node = child && (donors.get(child) ?? child);
    }
    return node;
  }

  #samplesOf(tree: RecordedTree): RecordedNode[][] {
    const samples = this.#samples.get(tree) ?? drawnPaths(tree);
    this.#samples.set(tree, samples);
    return samples;
  }

  #treeOf(prompt: Prompt): RecordedTree {
    const number = prompt.kind === 'text' ? /^recorded (\d+) /.exec(prompt.text)?.[1] : undefined;
    return this.trees[Number(number)] ?? raise('bad-setting', 'a recording answers only the questions that it holds');
  }
}

/** Place among the draws of a node, in an order of the search's own. */
function drawnAt(draws: readonly number[], { seed, index }: GenerateRequest): number {
  // Siblings' seeds are consecutive: minus the index they are equal.
  const ranks = draws.map((_, at) => ({ at, rank: hash(seed - index, at) })).sort((a, b) => a.rank - b.rank);
  return ranks[index % draws.length]!.at;
}

/** A sample in one step, its steps told apart by a delimiter. */
function joined(path: readonly RecordedNode[], delimiter: string): Step {
  const steps = path.map(({ step }) => step!);
  const tokens = steps.reduce((sum, step) => sum + step.tokens, 0);
  return { ...steps.at(-1)!, text: steps.map(({ text }) => text.trimEnd()).join(delimiter), tokens };
}

/** Draws with equal texts are one node: each sample takes the next draw of every node on its way. */
export function drawnPaths({ nodes }: RecordedTree): RecordedNode[][] {
  const taken = nodes.map(() => 0);
  const next = (at: number): number | undefined => nodes[at]!.draws[taken[at]!++];
  return nodes[0]!.draws.map(() => {
    const path: RecordedNode[] = [];
    for (let at = next(0); at !== undefined; at = next(at)) path.push(nodes[at]!);
    return path;
  });
}

function parseLine(name: string, line: string, at: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return raise('bad-setting', `${name} is no recording of trees: line ${at} is not JSON`);
  }
}

/** Checks the members that are read, and that children follow their parents. */
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

/** For each node that the recorded search left open: the expanded one nearest in depth, then in reward. Without it every other order ends in cheap dead ends. */
function donorsOf({ nodes }: RecordedTree): Map<RecordedNode, RecordedNode> {
  const depths = nodes.map(() => 0);
  for (const [at, { draws }] of nodes.entries()) for (const child of draws) depths[child] = depths[at]! + 1;
  const expanded = [...nodes.keys()].filter((at) => at > 0 && nodes[at]!.draws.length > 0);
  const donors = new Map<RecordedNode, RecordedNode>();
  for (const [at, node] of nodes.entries()) {
    if (at === 0 || node.draws.length > 0 || node.step?.end !== 'delimiter') continue;
    const unlike = (other: number) =>
      Math.abs(depths[other]! - depths[at]!) + Math.abs((nodes[other]!.reward ?? 0) - (node.reward ?? 0)) / 2;
    const nearest = expanded.toSorted((a, b) => unlike(a) - unlike(b))[0];
    if (nearest !== undefined) donors.set(node, nodes[nearest]!);
  }
  return donors;
}

/** Whether a step's text keeps its delimiter is the recording's own way. */
function childOf(tree: RecordedTree, { draws }: RecordedNode, { text, end }: Step): RecordedNode | undefined {
  const own = text.trimEnd();
  const id = draws.find((each) => tree.nodes[each]?.step?.text.trimEnd() === own && tree.nodes[each].step.end === end);
  return id === undefined ? undefined : tree.nodes[id];
}
