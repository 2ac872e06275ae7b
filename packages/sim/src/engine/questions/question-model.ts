// A stochastic generator and reward model. A question is easy, scaling (search helps) or impossible. A path is sound until a step goes
// wrong; the verifier sees that step or misses it (a blind spot). Each draw depends on question and path alone, never on order or time,
// so two policies see the same node. The text of a step carries its key and state.

import { hash, Random } from '@coppice/core/base';
import type { GenerateRequest, PathStep } from '@coppice/core/engine';
import type { Prompt, Step } from '@coppice/core/tree';
import type { RewardSource, StepSource } from '../source.ts';
import { mixed, normalCdf, type UnitShape, unitQuantile } from './distributions.ts';
import { endChance, firstStepEase, type Question, questionOf, sizedAs, soundnessAt } from './question.ts';
import type { DepthHabits, QuestionProfile, QuestionSize, StepState, Tip } from './question-profile.ts';
import { aggregated, attemptsIn, probeReply } from './question-replies.ts';
import { answerOf, extractAnswer, isOwn, read, tipOf } from './question-text.ts';

// After the habits of Qwen2.5-Math-PRM-7B: most right steps score near 1, most wrong ones near 0, both with long tails.
const soundReward: UnitShape = { a: 10, b: 0.7 };
const flawedReward: UnitShape = { a: 0.7, b: 3.2 };
/** Share of the noise that siblings have in common. */
const siblingShare = { soundness: 0.5, reward: 0.6 };
/** Chance that a wrong path recovers its answer (the rewards of its wrong steps stay), and that a hidden error becomes visible. */
const recoveryChance = 0.02;
const surfacingChance = 0.08;
/** Chance that a turn repairs a wrong answer, and that it keeps a right one. */
const repairChance = 0.25;
const keepsRight = 0.9;
const surest = 1 - 1e-6;

/** A prompt that asks for a list ends with the list's first number. */
const asksForList = /\n1\.$/;
/** A prompt that ends with a colon asks for the next step; one that ends with `Answer:` asks for the answer so far. */
const asksForStep = /(?<!\bAnswer):\s*$/;

export class QuestionModel implements StepSource, RewardSource {
  readonly #profile: QuestionProfile;
  readonly #questions = new Map<string, Question>();
  readonly #sizeOf: ((prompt: Prompt) => QuestionSize) | undefined;

  /** `sizeOf` replaces the profile's lengths by those of a trace. */
  constructor(profile: QuestionProfile, sizeOf?: (prompt: Prompt) => QuestionSize) {
    this.#profile = profile;
    this.#sizeOf = sizeOf;
  }

  question(prompt: Prompt): Question {
    const text = prompt.kind === 'text' ? prompt.text : JSON.stringify(prompt.messages);
    let found = this.#questions.get(text);
    if (found === undefined) {
      const drawn = questionOf(this.#profile, text);
      found = this.#sizeOf === undefined ? drawn : sizedAs(drawn, this.#profile, this.#sizeOf(prompt));
      this.#questions.set(text, found);
    }
    return found;
  }

  /** At least a quarter of the text's characters. */
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

  /** Writes a list of next steps, as many as the prompt names. Each is the step that a single draw would give. */
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

  /** Draws all steps of an answer as one. */
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

  /** Writes a whole answer again, after a turn that names the error of the last one. */
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
    const { rewards: errors } = this.#profile;
    const last = read(step);
    const tips = [...path.map((each) => read(each.step)), last];
    const common = new Random('siblings reward', parent.key).normal();
    const own = mixed(common, new Random('reward', last.key).normal(), siblingShare.reward);
    const probability = Math.min(surest, normalCdf(errors?.noise(question.key, tips, own) ?? own));
    const { isFlawed, exponent } = errors?.rewardedAs(tips) ?? { isFlawed: last.state === 'flawed', exponent: 1 };
    const strictness = path.length === 0 ? question.strictness * firstStepEase : question.strictness;
    const reward = isFlawed
      ? unitQuantile(flawedReward, probability)
      : unitQuantile(soundReward, probability) ** (strictness * exponent);
    return errors?.within(reward) ?? reward;
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

/** Index of the draw that this one repeats, or its own. It depends on the place alone, not on the draws that are made with it. */
function originalOf(parentKey: number, index: number, twinRate: number): number {
  let at = index;
  while (at > 0 && twinRate > 0) {
    const random = new Random('twin', parentKey, at);
    if (!random.chance(twinRate)) break;
    at = random.integer(at);
  }
  return at;
}
