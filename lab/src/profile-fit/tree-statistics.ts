// Statistics of recorded trees by depth: how often draws repeat each other, how often a step below a sound path is sound, and how well the
// reward distinguishes sound siblings from others. A step counts as sound if some sample through it ended right, which underestimates
// with few samples. A step counts once per draw. Pure.

import { meanOrZero, median } from '@coppice/core/base';
import type { RecordedTree } from '../service/index.ts';

interface DepthStatistics {
  readonly depth: number;
  /** Draws below sound paths. */
  readonly draws: number;
  /** Chance that a draw says what an earlier one of the same node said. */
  readonly twinRate: number;
  /** Share of draws below a sound path that are sound. */
  readonly soundness: number;
  /** Chance that of two different siblings, one sound and one not, the sound one has the higher reward; undefined where there are hardly such pairs. */
  readonly auc: number | undefined;
}

export interface TreeStatistics {
  readonly questions: number;
  /** Share of questions that some sample solved, and share of samples that are right. */
  readonly solved: number;
  readonly right: number;
  readonly steps: number;
  readonly medianStepTokens: number;
  /** Standard deviation of the logarithm of a step's tokens. */
  readonly stepTokensSpread: number;
  readonly medianSoundReward: number;
  /** Share of right samples of each question, in order. */
  readonly shares: readonly number[];
  readonly depths: readonly DepthStatistics[];
}

/** Fewer draws below sound paths than this say nothing about a depth. */
const leastDraws = 20;
/** Fewer pairs of siblings than this say nothing about rewards. */
const leastPairs = 20;

export function treeStatistics(trees: readonly RecordedTree[]): TreeStatistics {
  const read = trees.map(readTree);
  const samples = read.flatMap(({ ends }) => ends);
  const steps = read.flatMap(({ steps: own }) => own);
  const logs = steps.map(({ tokens }) => Math.log(tokens));
  const shares = read.map(({ ends }) => meanOrZero(ends.map(({ right }) => Number(right))));
  return {
    questions: trees.length,
    solved: meanOrZero(shares.map((share) => Number(share > 0))),
    right: meanOrZero(samples.map(({ right }) => Number(right))),
    steps: meanOrZero(samples.map(({ depth }) => depth)),
    medianStepTokens: medianOrOne(steps.map(({ tokens }) => tokens)),
    stepTokensSpread: deviation(logs),
    medianSoundReward: medianOrOne(
      steps.flatMap(({ sound, reward }) => (sound && reward !== undefined ? [reward] : [])),
    ),
    shares,
    depths: depthsOf(read.flatMap(({ families }) => families)),
  };
}

interface DrawnStep {
  readonly tokens: number;
  readonly sound: boolean;
  readonly reward: number | undefined;
}

/** The draws below one sound path. */
interface Family {
  readonly depth: number;
  readonly draws: number;
  readonly sound: number;
  readonly children: readonly DrawnStep[];
}

interface TreeReading {
  readonly ends: { readonly depth: number; readonly right: boolean }[];
  readonly steps: DrawnStep[];
  readonly families: Family[];
}

function readTree({ nodes }: RecordedTree): TreeReading {
  const sound = soundNodes(nodes);
  const reading: TreeReading = { ends: [], steps: [], families: [] };
  const stepOf = (id: number): DrawnStep => {
    return { tokens: nodes[id]!.step?.tokens ?? 1, sound: sound.has(id), reward: nodes[id]!.reward };
  };
  /** `times`: how often the path to this node was drawn. */
  const visit = (id: number, depth: number, times: number): void => {
    const { draws, right } = nodes[id]!;
    if (id !== 0) reading.steps.push(stepOf(id));
    if (right !== undefined) for (let at = 0; at < times; at += 1) reading.ends.push({ depth, right });
    if (sound.has(id) && draws.length > 0) reading.families.push(familyOf(draws, depth + 1, sound, stepOf));
    for (const child of new Set(draws)) visit(child, depth + 1, draws.filter((each) => each === child).length);
  };
  visit(0, 0, 1);
  return reading;
}

function familyOf(
  draws: readonly number[],
  depth: number,
  sound: ReadonlySet<number>,
  stepOf: (id: number) => DrawnStep,
): Family {
  const children = [...new Set(draws)].map(stepOf);
  return { depth, draws: draws.length, sound: draws.filter((id) => sound.has(id)).length, children };
}

/** Nodes through which some sample ended right. Children stand behind their parents. */
function soundNodes(nodes: readonly RecordedTree['nodes'][number][]): ReadonlySet<number> {
  const sound = new Set<number>();
  for (let id = nodes.length - 1; id >= 0; id -= 1) {
    const { right, draws } = nodes[id]!;
    if (right === true || draws.some((child) => sound.has(child))) sound.add(id);
  }
  return sound;
}

function depthsOf(families: readonly Family[]): DepthStatistics[] {
  const depths: DepthStatistics[] = [];
  for (let depth = 1; ; depth += 1) {
    const own = families.filter((family) => family.depth === depth);
    const draws = sum(own.map((family) => family.draws));
    if (draws < leastDraws) return depths;
    const repeats = sum(own.map((family) => family.draws - family.children.length));
    const later = sum(own.map((family) => family.draws - 1));
    const twinRate = later === 0 ? 0 : repeats / later;
    depths.push({ depth, draws, twinRate, soundness: sum(own.map(({ sound }) => sound)) / draws, auc: aucOf(own) });
  }
}

function aucOf(families: readonly Family[]): number | undefined {
  let [pairs, won] = [0, 0];
  for (const { children } of families) {
    const rewards = (isSound: boolean) =>
      children.filter(({ sound }) => sound === isSound).map(({ reward }) => reward ?? 0);
    for (const good of rewards(true)) {
      for (const bad of rewards(false)) {
        pairs += 1;
        won += good > bad ? 1 : good === bad ? 0.5 : 0;
      }
    }
  }
  return pairs < leastPairs ? undefined : won / pairs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function deviation(values: readonly number[]): number {
  const centre = meanOrZero(values);
  return Math.sqrt(meanOrZero(values.map((value) => (value - centre) ** 2)));
}

export function medianOrOne(values: readonly number[]): number {
  return values.length === 0 ? 1 : median(values);
}
