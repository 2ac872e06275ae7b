// A stochastic question: what a generator would write below any path and how a reward model would like it, without either.
// A question is easy, scaling (search helps) or impossible; a path is sound until a step goes wrong, and a wrong step is
// seen by the verifier or hidden from it (a blind spot). Every draw is keyed by the question and the path, never by
// order or time: two policies that look at the same node see the same node. A step's text carries its own key and state.

import { hash, Random } from '../../base/random.ts';
import type { Prompt, Step } from '../../tree/step.ts';
import type { GenerateRequest, PathStep } from '../engine.ts';
import { mixed, normalCdf, type UnitShape, unitQuantile } from './distributions.ts';
import { type RewardHabits, rewardedAs, type StepState, sharedNoise, squeezed, type Tip } from './reward-habits.ts';
import type { RewardSource, StepSource } from './source.ts';

interface Range {
  readonly low: number;
  readonly high: number;
}

interface KindProfile {
  /** Chance that a step below a sound path is sound too; drawn per question. */
  readonly soundness: Range;
  /** Exponent on the rewards of sound steps: above 1, the verifier likes even right steps less. Drawn per question. */
  readonly strictness: Range;
}

/** The distribution of questions of one data set under one generator and one reward model. */
export interface QuestionProfile {
  readonly name: string;
  readonly easyShare: number;
  readonly scalingShare: number;
  readonly easy: KindProfile;
  readonly scaling: KindProfile;
  readonly impossible: KindProfile;
  /** An impossible question goes well up to a step that no sample gets right; this is the share where it is the first. */
  readonly impossibleAtOnce: number;
  /** Mean steps of a solution. */
  readonly meanSteps: number;
  /** Median tokens of a step, and the deviation of their logarithm. */
  readonly stepTokens: number;
  readonly stepTokensSpread: number;
  /** Deviation of the logarithm of a question's own length, on which all its steps depend; none unless given. */
  readonly lengthSpread?: number;
  /** Share of questions that the verifier misreads, and the chance that it misses a wrong step in these and in others. */
  readonly blindShare: number;
  readonly blindChance: number;
  readonly missChance: number;
  /** Chance that a draw says what an earlier draw of the same node said, token for token. */
  readonly twinRate: number;
  /** What is different at each depth, from the first step on; the last holds for all that are deeper. As fitted to a recording. */
  readonly byDepth?: readonly DepthHabits[];
  /** Chance that an answer which was wrong comes out right when it is written again after a turn; 0.25 unless given. */
  readonly repair?: number;
  /** How the verifier errs beyond the noise of single steps; not at all unless given. */
  readonly rewards?: RewardHabits;
}

export interface DepthHabits {
  /** Exponent on the question's soundness: below 1, steps go wrong less often here. */
  readonly ease: number;
  /** In place of the question's own: what the verifier misses here decides how well it tells siblings apart. */
  readonly missChance: number;
  readonly twinRate: number;
}

/** What is known of a question's lengths before it is drawn: of its prompt, and the mean of its answers. */
export interface QuestionSize {
  readonly promptTokens: number;
  readonly answerTokens: number;
}

/** What one question is like. */
export interface Question {
  readonly key: number;
  readonly kind: 'easy' | 'scaling' | 'impossible';
  readonly soundness: number;
  readonly strictness: number;
  readonly missChance: number;
  readonly steps: number;
  /** Factor on the length of its steps. */
  readonly length: number;
  /** The depth that no step of an impossible question gets right. */
  readonly crux: number;
  readonly promptTokens: number;
  readonly answer: string;
}

// Rewards after Qwen2.5-Math-PRM-7B's habits: most right steps near 1, most wrong ones near 0, both with long tails.
const soundReward: UnitShape = { a: 10, b: 0.7 };
const flawedReward: UnitShape = { a: 0.7, b: 3.2 };
/** Siblings are samples of one distribution: what they share of the noise in soundness and in reward. */
const siblingShare = { soundness: 0.5, reward: 0.6 };
/** First steps restate the question: they fail less often, and the verifier likes them more. Exponent on both. */
const firstStepEase = 0.4;
/** A wrong path comes right again (the answer, not the rewards it has lost), or a hidden error comes to light. */
const recoveryChance = 0.02;
const surfacingChance = 0.08;
/** What a turn does to a whole answer: see `repair`. One that was right seldom comes out wrong. */
const repairChance = 0.25;
const keepsRight = 0.9;
const surest = 1 - 1e-6;

export class QuestionModel implements StepSource, RewardSource {
  readonly #profile: QuestionProfile;
  readonly #questions = new Map<string, Question>();
  readonly #sizeOf: ((prompt: Prompt) => QuestionSize) | undefined;

  /** `sizeOf`: lengths that come from elsewhere, as from a trace of requests, in place of the profile's. */
  constructor(profile: QuestionProfile, sizeOf?: (prompt: Prompt) => QuestionSize) {
    this.#profile = profile;
    this.#sizeOf = sizeOf;
  }

  question(prompt: Prompt): Question {
    const text = prompt.kind === 'text' ? prompt.text : JSON.stringify(prompt.messages);
    let found = this.#questions.get(text);
    if (found === undefined) {
      const drawn = drawQuestion(this.#profile, hash(this.#profile.name, text), mixLuck(this.#profile.name, text));
      found = this.#sizeOf === undefined ? drawn : sizedAs(drawn, this.#profile, this.#sizeOf(prompt));
      this.#questions.set(text, found);
    }
    return found;
  }

  /** As drawn; a text too long for that counts by its length. */
  promptTokens(prompt: Prompt): number {
    const length = prompt.kind === 'text' ? prompt.text.length : 0;
    return Math.max(this.question(prompt).promptTokens, Math.ceil(length / 4));
  }

  draw(request: GenerateRequest): Step {
    const question = this.question(request.prompt);
    const last = request.path.at(-1);
    if (last?.step.turn !== undefined) return this.#repaired(question, request, last);
    if (last !== undefined && !isOwn(last.step)) {
      if (asksForList.test(last.step.text)) return this.#list(request, last.step.text);
      if (asksForStep.test(last.step.text)) return this.draw({ ...request, path: request.path.slice(0, -1) });
      const attempts = attemptsIn(last.step.text);
      return attempts.length > 0 ? aggregated(question, request, attempts) : probeReply(question, request);
    }
    if (request.delimiters.length === 0) return this.#wholeAnswer(request);
    const parent = tipOf(question, request.path);
    const depth = request.path.length + 1;
    const { twinRate } = this.#habits(depth) ?? this.#profile;
    const key = hash(parent.key, originalOf(parent.key, request.index, twinRate));
    const random = new Random('step', key);
    const state = this.#nextState(question, parent, depth, random);
    const wished = Math.ceil(
      question.length * this.#profile.stepTokens * Math.exp(random.normal(0, this.#profile.stepTokensSpread)),
    );
    const tokens = Math.max(1, Math.min(request.maxTokens, wished));
    const meanLogprob = -0.05 - 0.3 * Math.abs(random.normal(state === 'sound' ? 0.6 : 0.9, 0.4));
    const ends = random.chance(endChance(question, depth)) && wished <= request.maxTokens;
    const said = `${state} ${key}`;
    if (ends) return { text: `${said}\nanswer ${answerOf(question, state, random)}`, tokens, meanLogprob, end: 'eos' };
    const end = wished > request.maxTokens ? 'length' : 'delimiter';
    return { text: said + (end === 'length' ? ' ' : (request.delimiters[0] ?? '\n')), tokens, meanLogprob, end };
  }

  /** Asked for a list of next steps: as many as the words name, each as it would be drawn by itself. */
  #list(request: GenerateRequest, words: string): Step {
    const count = Number(/\d+/.exec(words)?.[0] ?? 1);
    const path = request.path.slice(0, -1);
    const draws = Array.from({ length: count }, (_, at) => {
      const index = request.index * count + at;
      return this.draw({ ...request, path, index, delimiters: ['\n'] });
    });
    const items = draws.map(({ text }, at) => `${at === 0 ? '' : `${at + 1}.`} ${text.split('\n', 1)[0]}\n`);
    const wished = draws.reduce((sum, each) => sum + each.tokens, 0);
    const tokens = Math.min(request.maxTokens, wished);
    return { text: items.join(''), tokens, meanLogprob: -0.2, end: wished > tokens ? 'length' : 'eos' };
  }

  /** One draw that nothing ends before the answer does: all its steps in one. */
  #wholeAnswer(request: GenerateRequest): Step {
    const steps: Step[] = [];
    const path = [...request.path];
    let left = request.maxTokens;
    while (left > 0 && steps.at(-1)?.end !== 'eos') {
      const index = steps.length === 0 ? request.index : 0;
      const step = this.draw({ ...request, path, index, maxTokens: left, delimiters: ['\n'] });
      steps.push(step);
      path.push({ key: hash(step.text), step });
      left -= step.tokens;
    }
    const tokens = steps.reduce((sum, step) => sum + step.tokens, 0);
    const meanLogprob = steps.reduce((sum, step) => sum + step.meanLogprob * step.tokens, 0) / tokens;
    const end = steps.at(-1)?.end === 'eos' ? 'eos' : 'length';
    return { text: steps.map(({ text }) => text).join(''), tokens, meanLogprob, end };
  }

  /** A whole answer written again, after a turn that says what was wrong with the one before. */
  #repaired(question: Question, { path, index, maxTokens }: GenerateRequest, turn: PathStep): Step {
    const key = hash(turn.key, index);
    const random = new Random('repair', key);
    const wasRight = extractAnswer(path.at(-2)?.step.text ?? '') === question.answer;
    const { repair = repairChance, stepTokens, missChance } = this.#profile;
    const luck = random.uniform();
    const isRight = wasRight ? luck < keepsRight : question.kind !== 'impossible' && luck < repair;
    const state = isRight ? 'sound' : random.chance(missChance) ? 'hidden' : 'flawed';
    const wished = Math.ceil(question.length * question.steps * stepTokens * Math.exp(random.normal(0, 0.2)));
    const meanLogprob = -0.05 - 0.3 * Math.abs(random.normal(0.7, 0.4));
    if (wished > maxTokens) return { text: `${state} ${key} `, tokens: maxTokens, meanLogprob, end: 'length' };
    const text = `${state} ${key}\nanswer ${answerOf(question, state, random)}`;
    return { text, tokens: Math.max(1, wished), meanLogprob, end: 'eos' };
  }

  reward(prompt: Prompt, before: readonly PathStep[], step: Step): number {
    const question = this.question(prompt);
    const path = step.turn === undefined ? before : [];
    const parent = tipOf(question, path);
    const habits = this.#profile.rewards ?? {};
    const tips = [...path.map((each) => read(each.step)), read(step)];
    const common = new Random('siblings reward', parent.key).normal();
    const own = mixed(common, new Random('reward', tips.at(-1)!.key).normal(), siblingShare.reward);
    const probability = Math.min(surest, normalCdf(sharedNoise(habits, question.key, tips, own)));
    const { isFlawed, exponent } = rewardedAs(habits, tips);
    if (isFlawed) return squeezed(habits, unitQuantile(flawedReward, probability));
    const strictness = path.length === 0 ? question.strictness * firstStepEase : question.strictness;
    return squeezed(habits, unitQuantile(soundReward, probability) ** (strictness * exponent));
  }

  #habits(depth: number): DepthHabits | undefined {
    const { byDepth } = this.#profile;
    return byDepth?.[Math.min(depth, byDepth.length) - 1];
  }

  #nextState(question: Question, parent: Tip, depth: number, random: Random): StepState {
    const common = new Random('siblings', parent.key).normal();
    const luck = normalCdf(mixed(common, random.normal(), siblingShare.soundness));
    const turn = random.uniform();
    switch (parent.state) {
      case 'sound':
        if (luck < soundnessAt(question, depth, this.#habits(depth)?.ease)) return 'sound';
        return turn < (this.#habits(depth) ?? question).missChance ? 'hidden' : 'flawed';
      case 'hidden':
        return turn < surfacingChance ? 'flawed' : 'hidden';
      case 'flawed':
        return question.kind !== 'impossible' && turn < recoveryChance ? 'sound' : 'flawed';
    }
  }
}

/** What the path's answer is, in the form that the model writes; undefined where it has none. */
export function extractAnswer(pathText: string): string | undefined {
  const at = pathText.lastIndexOf('\nanswer ');
  return at < 0 ? undefined : pathText.slice(at + 8);
}

/** Share of a solution after which the model knows what it will answer; drawn per question. */
const knows: Range = { low: 0.3, high: 1 };
/** Entropy of the first token of an answer that it knows, and of a guess, in nats. */
const knownEntropy: Range = { low: 0.02, high: 0.1 };
const guessEntropy: Range = { low: 0.5, high: 3 };
const replyTokens = 6;

/** Asked in the middle of a path, which ends with words that are no step of this model: what it would answer here. */
function probeReply(question: Question, { path, maxTokens }: GenerateRequest): Step {
  const steps = path.slice(0, -1);
  const { key, state } = tipOf(question, steps);
  const random = new Random('probe', key);
  const isKnown = steps.length >= within(knows, new Random('knows', question.key)) * question.steps;
  const entropy = within(isKnown ? knownEntropy : guessEntropy, random);
  if (maxTokens < replyTokens) return { text: ' ', tokens: maxTokens, meanLogprob: -entropy, end: 'length', entropy };
  const answer = isKnown ? answerOf(question, state, random) : String(random.integer(1000));
  return { text: `\nanswer ${answer}`, tokens: replyTokens, meanLogprob: -entropy, end: 'eos', entropy };
}

/** The answers of attempts that the model is shown. */
function attemptsIn(text: string): string[] {
  return [...text.matchAll(/\nanswer (\d+)/g)].map(([, answer]) => answer!);
}

/** It sides with one of the answers that it was shown, by the square of how often each was given. */
function aggregated(
  question: Question,
  { index, path, maxTokens }: GenerateRequest,
  attempts: readonly string[],
): Step {
  const key = hash(question.key, path.at(-1)?.step.text ?? '', index);
  const random = new Random('aggregate', key);
  const weighed = attempts.flatMap((answer) => attempts.filter((each) => each === answer));
  const answer = weighed[random.integer(weighed.length)]!;
  const state = answer === question.answer ? 'sound' : 'hidden';
  const tokens = Math.max(1, Math.min(maxTokens, question.steps * replyTokens * 4));
  return { text: `${state} ${key}\nanswer ${answer}`, tokens, meanLogprob: -0.2, end: 'eos' };
}

/** Words that leave a list to be written end with its first number. */
const asksForList = /\n1\.$/;
/** Words that end with a colon want what would come without them; `Answer:` asks for the answer so far. */
const asksForStep = /(?<!\bAnswer):\s*$/;

function isOwn({ text }: Step): boolean {
  return /^(?:sound|hidden|flawed) \d/.test(text);
}

function tipOf(question: Question, path: readonly PathStep[]): Tip {
  const last = path[path.length - 1];
  return last === undefined ? { key: question.key, state: 'sound' } : read(last.step);
}

/** Which draw a draw repeats, itself where it is new. By place alone: a child is the same, alone or in company. */
function originalOf(parentKey: number, index: number, twinRate: number): number {
  let at = index;
  while (at > 0 && twinRate > 0) {
    const random = new Random('twin', parentKey, at);
    if (!random.chance(twinRate)) break;
    at = random.integer(at);
  }
  return at;
}

const stateMarks = ['\nsound ', '\nhidden ', '\nflawed '];
const states: Readonly<Record<string, StepState>> = { s: 'sound', h: 'hidden', f: 'flawed' };

/** Of a whole answer, its last step. */
function read({ text: whole }: Step): Tip {
  let from = 0;
  for (const mark of stateMarks) from = Math.max(from, whole.lastIndexOf(mark) + 1);
  const text = from === 0 ? whole : whole.slice(from);
  const state = states[text[0] ?? ''] ?? 'flawed';
  return { key: Number.parseInt(text.slice(state.length + 1), 10), state };
}

/**
 * Where a question falls in the mixture of kinds. Questions that are numbered at the end of their text run through the
 * mixture evenly (a Weyl sequence), for a data set is a fixed mixture and not a sample of one.
 */
function mixLuck(name: string, text: string): number {
  const numbered = /^(.*?)(\d+)$/s.exec(text);
  if (numbered === null) return hash(name, text, 'kind') / 4294967296;
  const start = hash(name, numbered[1]!, 'kind') / 4294967296;
  return (start + Number(numbered[2]) * 0.6180339887498949) % 1;
}

function drawQuestion(profile: QuestionProfile, key: number, luck: number): Question {
  const random = new Random('question', key);
  const isEasy = luck < profile.easyShare;
  const kind = isEasy ? 'easy' : luck < profile.easyShare + profile.scalingShare ? 'scaling' : 'impossible';
  const habits = profile[kind];
  const steps = Math.max(3, Math.round(profile.meanSteps * Math.exp(random.normal(-0.045, 0.3))));
  const missChance = random.chance(profile.blindShare) ? profile.blindChance : profile.missChance;
  const atOnce = random.chance(profile.impossibleAtOnce);
  return {
    key,
    kind,
    steps,
    missChance,
    length: Math.exp(new Random('length', key).normal(0, profile.lengthSpread ?? 0)),
    soundness: within(habits.soundness, random),
    strictness: within(habits.strictness, random),
    crux: atOnce ? 1 : 2 + random.integer(Math.max(1, steps - 2)),
    promptTokens: 90 + Math.round(random.exponential(80)),
    answer: String(random.integer(1000)),
  };
}

/** Steps of an answer are neither crumbs nor longer than most requests for one may be. */
const usualStep: Range = { low: 10, high: 256 };

/** The same question with other lengths: its steps stay as many as they were where that leaves them a usual length. */
function sizedAs(question: Question, { stepTokens, stepTokensSpread }: QuestionProfile, size: QuestionSize): Question {
  const { promptTokens, answerTokens } = size;
  const fewest = Math.ceil(answerTokens / usualStep.high);
  const steps = Math.max(fewest, 1, Math.min(question.steps, Math.floor(answerTokens / usualStep.low)));
  // Lengths are rounded up: half a token more in the mean.
  const stepMean = Math.max(0.1, answerTokens / meanDepth({ ...question, steps }) - 0.5);
  const length = stepMean / (stepTokens * Math.exp(stepTokensSpread ** 2 / 2));
  return { ...question, promptTokens, steps, length, crux: Math.min(question.crux, steps) };
}

/** Of a path that nothing cuts off. */
function meanDepth(question: Question): number {
  let [reached, sum] = [1, 0];
  for (let depth = 1; reached > 0; depth += 1) {
    sum += reached;
    reached *= 1 - endChance(question, depth);
  }
  return sum;
}

function within(range: Range, random: Random): number {
  return range.low + (range.high - range.low) * random.uniform();
}

function soundnessAt(question: Question, depth: number, ease = depth === 1 ? firstStepEase : 1): number {
  if (question.kind === 'impossible' && depth >= question.crux) return 0;
  return question.soundness ** ease;
}

/** A solution ends near its usual length, some steps earlier or later. */
function endChance(question: Question, depth: number): number {
  if (depth < question.steps - 1) return 0;
  return depth >= question.steps + 3 ? 1 : 0.4;
}

/** Right paths agree. Wrong ones differ, some mistakes being more common than others. */
function answerOf(question: Question, state: StepState, random: Random): string {
  if (state === 'sound') return question.answer;
  let mistake = 1;
  while (mistake < 9 && random.chance(0.6)) mistake += 1;
  return String((Number(question.answer) + 7 * mistake) % 1000);
}
