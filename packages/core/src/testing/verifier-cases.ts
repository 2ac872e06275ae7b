// The suite that every verifier passes, whatever is behind it: a reward model in process or behind HTTP, a judge, a formula.
// Nothing here depends on what the rewards are, only on the contract of verifier/verifier.ts.

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { isAnswer, type PathStep } from '../engine/engine.ts';
import { aggregations } from '../tree/aggregate.ts';
import type { Prompt, Step } from '../tree/step.ts';
import { makeVerifier, type VerifierPart } from '../verifier/definition.ts';
import type { ScoreRequest, Verifier, VerifierMessage } from '../verifier/verifier.ts';
import { type Checks, type ConformanceCase, casesOf, closeAfter, type Skips } from './case/conformance-case.ts';
import { Mailbox } from './case/mailbox.ts';
import { pathOf, tipKey } from './case/paths.ts';
import { near, same } from './case/same.ts';

export interface VerifierHarness {
  readonly verifier: Verifier | VerifierPart;
  /** Lets the verifier go on: moves virtual time, or waits for a moment; a turn of the event loop by default. */
  readonly work?: () => Promise<void>;
  /** Closes what was opened; the verifier by default. */
  readonly close?: () => Promise<void>;
  readonly prompt?: Prompt;
  /** Steps as its generator would write them, at least four, all different; lines of prose by default. */
  readonly steps?: readonly Step[];
}

const usual: Required<Pick<VerifierHarness, 'work' | 'prompt' | 'steps'>> = {
  work: turn,
  prompt: { kind: 'text', text: 'What is 2 + 2?' },
  steps: ['Add them.\n', 'It is even.\n', 'Count up.\n', 'Answer: 4\n'].map((text) => ({
    text,
    tokens: 4,
    meanLogprob: -0.5,
    end: 'delimiter',
  })),
};

/** `open` gives a fresh verifier for each case. */
export function verifierCases(open: () => Promise<VerifierHarness>, skips: Skips = {}): readonly ConformanceCase[] {
  const attempt = async (check: (trial: VerifierTrial) => void | Promise<void>) => {
    const harness = { ...usual, ...(await open()) };
    const trial = new VerifierTrial(harness);
    await closeAfter(
      () => check(trial),
      () => harness.close?.() ?? trial.verifier.close(),
    );
  };
  return casesOf(checks, attempt, skips);
}

/** A verifier under test, and what it has posted. */
class VerifierTrial {
  readonly harness: VerifierHarness & typeof usual;
  readonly mail = new Mailbox<VerifierMessage>(isAnswer);
  readonly verifier: Verifier;
  #nextId = 1;

  constructor(harness: VerifierHarness & typeof usual) {
    this.harness = harness;
    this.verifier = makeVerifier(harness.verifier);
    this.verifier.connect(this.mail.post);
  }

  path(length: number): PathStep[] {
    return pathOf(...this.harness.steps.slice(0, length));
  }

  request(depth: number, overrides: Partial<ScoreRequest> = {}): ScoreRequest {
    const { prompt, steps } = this.harness;
    const id = this.#nextId;
    this.#nextId += 1;
    const common = { id, search: 'search-1', prompt, index: id, lane: 'primary', priority: 0 } as const;
    return { ...common, parent: depth, path: this.path(depth), step: steps[depth]!, ...overrides };
  }

  async run(requests: readonly ScoreRequest[]): Promise<void> {
    this.verifier.score(requests);
    await this.mail.answered(requests, () => this.harness.work());
    for (let idle = 0; idle < 3; idle += 1) await this.harness.work();
  }

  scoreOf({ id }: ScoreRequest) {
    const [message] = this.mail.answers(id);
    if (message?.type !== 'score') assert.fail(`request ${id} has no score but ${JSON.stringify(message)}`);
    const { reward } = message;
    assert.ok(reward >= 0 && reward <= 1, `the reward of request ${id} is ${reward}, not from 0 to 1`);
    return message;
  }
}

const checks: Checks<VerifierTrial> = {
  'says for which aggregation its rewards were made': ({ verifier }) => {
    const { aggregation, name } = verifier.capabilities;
    assert.ok(aggregations.includes(aggregation), `'${aggregation}' is none of ${aggregations.join(', ')}`);
    assert.notEqual(name, '', 'capabilities.name is empty');
  },

  'answers every request exactly once, with a reward from 0 to 1': async (trial) => {
    const requests = [0, 1, 2, 3, 0, 2].map((depth, at) =>
      trial.request(depth, {
        search: `search-${at % 2}`,
        lane: at % 3 === 0 ? 'speculative' : 'primary',
        priority: at,
      }),
    );
    await trial.run(requests);
    trial.mail.answeredOnce(requests);
    for (const each of requests) {
      const { usage } = trial.scoreOf(each);
      const isCounted = usage.computedTokens >= 0 && usage.cachedTokens >= 0;
      assert.ok(isCounted, `no count is negative: ${JSON.stringify(usage)}`);
    }
  },

  'says why in words, or not at all, and the same of a step that it knows': async (trial) => {
    const [first, again] = [trial.request(1), trial.request(1)];
    await trial.run([first]);
    await trial.run([again]);
    const { feedback } = trial.scoreOf(first);
    const isSaid = feedback === undefined || (typeof feedback === 'string' && feedback !== '');
    assert.ok(isSaid, `feedback is missing or words, not ${JSON.stringify(feedback)}`);
    same(trial.scoreOf(again).feedback, feedback, 'the feedback on the same step');
  },

  'gives the same step in the same place the same reward, alone or among siblings': async (trial) => {
    const { steps } = trial.harness;
    const [alone, among] = [trial.request(1), trial.request(1)];
    await trial.run([alone]);
    await trial.run([trial.request(1, { step: steps[3]! }), among, trial.request(1, { step: steps[2]! })]);
    near(trial.scoreOf(among).reward, trial.scoreOf(alone).reward, 'the reward among siblings');
  },

  'scores two steps of one path together as it would one by one, what comes before them computed once': async (
    trial,
  ) => {
    const below = (depth: number, search: string) =>
      trial.request(depth, { parent: tipKey(trial.path(depth)), search });
    const together = [below(1, 'together'), below(2, 'together')];
    const alone = [below(1, 'first alone'), below(2, 'second alone')];
    await trial.run(together);
    for (const each of alone) await trial.run([each]);
    const [first, second] = together.map((each) => trial.scoreOf(each));
    const [firstAlone, secondAlone] = alone.map((each) => trial.scoreOf(each));
    near(first!.reward, firstAlone!.reward, 'the reward of the first step, together');
    near(second!.reward, secondAlone!.reward, 'the reward of the second step, together');
    if (!trial.verifier.capabilities.looksAhead) return;
    const computed = first!.usage.computedTokens + second!.usage.computedTokens;
    const whole = secondAlone!.usage.computedTokens + secondAlone!.usage.cachedTokens;
    // A server that gives one number for a call has its halves rounded.
    assert.ok(computed <= whole + 1, `${computed} tokens were computed for both, ${whole} are in the path`);
  },

  'takes an answer that ends without a word': async (trial) => {
    const { text: _, ...rest } = trial.harness.steps[0]!;
    const end = trial.request(1, { step: { ...rest, text: '', tokens: 1, end: 'eos', tokenIds: [] } });
    await trial.run([end]);
    trial.mail.answeredOnce([end]);
  },

  'answers what was cancelled at most once, and what is unknown not at all': async (trial) => {
    const { verifier, mail, harness } = trial;
    const requests = [trial.request(0), trial.request(1), trial.request(2)];
    verifier.score(requests);
    verifier.cancel([...requests.map(({ id }) => id), 999_999]);
    for (let turn = 0; turn < 8; turn += 1) await harness.work();
    verifier.cancel(requests.map(({ id }) => id));
    for (const { id } of requests) {
      const [answer, ...more] = mail.answers(id);
      same(more, [], `answers to request ${id} after the first`);
      if (answer?.type === 'fault') same(answer.fault.code, 'cancelled', 'the fault of a cancelled request');
    }
    same(mail.answers(999_999), [], 'answers to a request that was never made');
    const next = trial.request(0);
    await trial.run([next]);
    trial.scoreOf(next);
  },

  'goes on after a search was released, even if it comes back': async (trial) => {
    const before = trial.request(2);
    await trial.run([before]);
    trial.verifier.release('search-1');
    trial.verifier.release('nobody');
    const after = trial.request(2);
    await trial.run([after]);
    near(trial.scoreOf(after).reward, trial.scoreOf(before).reward, 'the reward after the release');
  },

  'is idle and well when it has nothing to do': async (trial) => {
    await trial.run([trial.request(0), trial.request(1)]);
    const { waiting, running = 0, healthy } = trial.verifier.load();
    same([waiting, running, healthy], [0, 0, true], 'waiting, running and healthy when idle');
  },
};
