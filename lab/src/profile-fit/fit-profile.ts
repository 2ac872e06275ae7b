// `npm run lab -- sim --fit`: finds the question profile whose trees resemble a recording. Every figure of a profile is read off the
// recording; then the fitted model draws as many trees, equally wide, which are measured in the same way. Pure.

import { hash } from '@coppice/core/base';
import type { PathStep } from '@coppice/core/engine';
import { extractAnswer, QuestionModel, type QuestionProfile } from '@coppice/sim/engine';
import type { Prompt } from 'coppice';
import type { RecordedTree } from '../service/index.ts';
import { medianOrOne, type TreeStatistics, treeStatistics } from './tree-statistics.ts';

export interface ProfileFit {
  readonly profile: QuestionProfile;
  readonly recorded: TreeStatistics;
  /** Of trees drawn from the profile. */
  readonly modelled: TreeStatistics;
}

export function fitProfile(name: string, trees: readonly RecordedTree[], samples: number): ProfileFit {
  const recorded = treeStatistics(trees);
  const profile = profileOf(name, recorded);
  const model = new QuestionModel(profile);
  const drawn = trees.map((_, at) => drawTree(model, { kind: 'text', text: `calibration ${at}` }, samples));
  return { profile, recorded, modelled: treeStatistics(drawn) };
}

/** From this share of right samples on a question is easy. */
const easyFrom = 0.8;
/** The median of the rewards that the model gives to sound steps before its strictness (question-model.ts). */
const plainReward = 0.9375;
const strictest = 20;

function profileOf(name: string, recorded: TreeStatistics): QuestionProfile {
  const { shares, steps, depths } = recorded;
  const easy = shares.filter((share) => share >= easyFrom);
  const scaling = shares.filter((share) => share > 0 && share < easyFrom);
  const byDepth = depths.map((each) => habitsOf(each, soundnessMean(recorded)));
  const exponent = 1 / Math.max(1, pathEase(byDepth, steps));
  const strict = Math.min(strictest, Math.log(Math.max(1e-9, recorded.medianSoundReward)) / Math.log(plainReward));
  const strictness = { low: strict, high: strict };
  const kind = (own: readonly number[]) => ({ soundness: rangeOf(own.map((share) => share ** exponent)), strictness });
  return {
    name,
    easyShare: easy.length / shares.length,
    scalingShare: scaling.length / shares.length,
    easy: kind(easy),
    scaling: kind(scaling),
    impossible: kind(scaling),
    impossibleAtOnce: 1,
    meanSteps: steps,
    stepTokens: recorded.medianStepTokens,
    stepTokensSpread: recorded.stepTokensSpread,
    blindShare: 0,
    blindChance: 0,
    missChance: byDepth.at(-1)?.missChance ?? 0,
    twinRate: byDepth.at(-1)?.twinRate ?? 0,
    byDepth,
  };
}

/** Of a whole path: the geometric mean over its depths. */
function soundnessMean({ depths }: TreeStatistics): number {
  const logs = depths.map(({ soundness }) => Math.log(Math.max(1e-6, soundness)));
  return Math.exp(logs.reduce((total, each) => total + each, 0) / Math.max(1, logs.length));
}

/** A wrong step that the verifier misses has the reward of a sound one: half of those pairs are won by chance. */
function habitsOf({ soundness, auc, twinRate }: TreeStatistics['depths'][number], usual: number) {
  const ease = usual >= 1 ? 1 : Math.log(Math.max(1e-6, soundness)) / Math.log(usual);
  return { ease, missChance: auc === undefined ? 0 : Math.min(1, Math.max(0, 2 * (1 - auc))), twinRate };
}

function pathEase(byDepth: readonly ReturnType<typeof habitsOf>[], steps: number): number {
  let ease = 0;
  for (let depth = 0; depth < Math.round(steps); depth += 1) ease += (byDepth[depth] ?? byDepth.at(-1))?.ease ?? 1;
  return ease;
}

/** The middle four fifths; a single value where there are none. */
function rangeOf(values: readonly number[]): { low: number; high: number } {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? medianOrOne(values);
  return { low: at(0.1), high: at(0.9) };
}

const longestStep = 100_000;

/** Independent samples of one question, as `record` draws them. */
export function drawTree(model: QuestionModel, prompt: Prompt, samples: number): RecordedTree {
  const nodes: (RecordedTree['nodes'][number] & { readonly draws: number[] })[] = [{ draws: [] }];
  const known = new Map<string, number>();
  for (let sample = 0; sample < samples; sample += 1) {
    const path: PathStep[] = [];
    for (let at = 0, ended = false; !ended; ) {
      const parent = nodes[at]!;
      const step = model.draw({
        id: 0,
        search: '',
        parent: 0,
        sampling: { temperature: 1 },
        lane: 'primary',
        priority: 0,
        prompt,
        path,
        index: parent.draws.length,
        seed: 0,
        delimiters: ['\n'],
        maxTokens: longestStep,
      });
      ended = step.end === 'eos';
      const place = `${at} ${step.text}`;
      const id = known.get(place) ?? nodes.length;
      if (id === nodes.length) {
        const right = ended ? { right: extractAnswer(step.text) === model.question(prompt).answer } : {};
        nodes.push({ step, reward: model.reward(prompt, path, step), ...right, draws: [] });
        known.set(place, id);
      }
      parent.draws.push(id);
      path.push({ key: hash(place), step });
      at = id;
    }
  }
  return { question: prompt.kind === 'text' ? prompt.text : '', promptTokens: model.promptTokens(prompt), nodes };
}
