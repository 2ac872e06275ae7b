// What every verifier must do, whatever is behind it: a reward model in process or behind HTTP, a judge, a formula. A
// suite of vitest tests over a harness. Nothing here depends on what the rewards are, only on the contract of
// src/verifier/verifier.ts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAnswer, type PathStep } from '../../src/engine/engine.ts';
import { aggregations } from '../../src/tree/aggregate.ts';
import type { Prompt, Step } from '../../src/tree/step.ts';
import type { ScoreRequest, Verifier, VerifierMessage } from '../../src/verifier/verifier.ts';
import { pathOf, tipKey } from '../support/paths.ts';

export interface VerifierHarness {
  readonly verifier: Verifier;
  /** Lets the verifier go on: moves virtual time, or waits for a moment. */
  work(): Promise<void>;
  close(): Promise<void>;
  readonly prompt: Prompt;
  /** Steps as its generator would write them, at least four, all different. */
  readonly steps: readonly Step[];
}

export function verifierConformance(name: string, open: () => Promise<VerifierHarness>): void {
  describe(`verifier conformance: ${name}`, () => {
    let harness: VerifierHarness;
    let inbox: VerifierMessage[];
    let nextId: number;

    beforeEach(async () => {
      harness = await open();
      inbox = [];
      nextId = 1;
      harness.verifier.connect((message) => inbox.push(message));
    });
    afterEach(() => harness.close());

    const path = (length: number): PathStep[] => pathOf(...harness.steps.slice(0, length));

    const request = (depth: number, overrides: Partial<ScoreRequest> = {}): ScoreRequest => {
      const id = nextId;
      nextId += 1;
      const common = {
        id,
        search: 'search-1',
        prompt: harness.prompt,
        index: id,
        lane: 'primary',
        priority: 0,
      } as const;
      return { ...common, parent: depth, path: path(depth), step: harness.steps[depth]!, ...overrides };
    };

    const answers = (id: number): VerifierMessage[] => inbox.filter((each) => each.request === id && isAnswer(each));

    const finish = async (requests: readonly ScoreRequest[]): Promise<void> => {
      while (requests.some(({ id }) => answers(id).length === 0)) await harness.work();
      for (let idle = 0; idle < 3; idle += 1) await harness.work();
    };

    const run = async (requests: readonly ScoreRequest[]): Promise<void> => {
      harness.verifier.score(requests);
      await finish(requests);
    };

    const scoreOf = (id: number) => {
      const [message] = answers(id);
      if (message?.type !== 'score') throw new Error(`request ${id} was answered by ${JSON.stringify(message)}`);
      return message;
    };

    it('says for which aggregation its rewards were made', () => {
      expect(aggregations).toContain(harness.verifier.capabilities.aggregation);
      expect(harness.verifier.capabilities.name).not.toBe('');
    });

    it('answers every request exactly once, with a reward from 0 to 1', async () => {
      const requests = [0, 1, 2, 3, 0, 2].map((depth, at) =>
        request(depth, { search: `search-${at % 2}`, lane: at % 3 === 0 ? 'speculative' : 'primary', priority: at }),
      );
      await run(requests);
      for (const { id } of requests) {
        expect(answers(id)).toHaveLength(1);
        const { reward, usage } = scoreOf(id);
        expect(reward).toBeGreaterThanOrEqual(0);
        expect(reward).toBeLessThanOrEqual(1);
        expect(usage.computedTokens).toBeGreaterThanOrEqual(0);
        expect(usage.cachedTokens).toBeGreaterThanOrEqual(0);
      }
    });

    it('says why in words, or not at all, and the same of a step that it knows', async () => {
      const [first, again] = [request(1), request(1)];
      await run([first]);
      await run([again]);
      const said = scoreOf(first.id).feedback;
      if (said !== undefined) expect([typeof said, said === '']).toEqual(['string', false]);
      expect(scoreOf(again.id).feedback).toBe(said);
    });

    it('gives the same step in the same place the same reward, alone or among siblings', async () => {
      const alone = request(1);
      await run([alone]);
      const siblings = [request(1, { step: harness.steps[3]! }), request(1), request(1, { step: harness.steps[2]! })];
      await run(siblings);
      expect(scoreOf(siblings[1]!.id).reward).toBeCloseTo(scoreOf(alone.id).reward, 2);
    });

    it('scores two steps of one path together as it would one by one, what comes before them computed once', async () => {
      const below = (depth: number, search: string) => request(depth, { parent: tipKey(path(depth)), search });
      const together = [below(1, 'together'), below(2, 'together')];
      const alone = [below(1, 'first alone'), below(2, 'second alone')];
      await run(together);
      for (const each of alone) await run([each]);
      const [first, second] = together.map(({ id }) => scoreOf(id));
      const [firstAlone, secondAlone] = alone.map(({ id }) => scoreOf(id));
      expect(first!.reward).toBeCloseTo(firstAlone!.reward, 2);
      expect(second!.reward).toBeCloseTo(secondAlone!.reward, 2);
      if (!harness.verifier.capabilities.looksAhead) return;
      const computed = first!.usage.computedTokens + second!.usage.computedTokens;
      const whole = secondAlone!.usage.computedTokens + secondAlone!.usage.cachedTokens;
      // Where a server gives one number for a call, halves of it are rounded.
      expect(computed).toBeLessThanOrEqual(whole + 1);
    });

    it('takes an answer that ends without a word', async () => {
      const { text: _, ...rest } = harness.steps[0]!;
      const end = request(1, { step: { ...rest, text: '', tokens: 1, end: 'eos', tokenIds: [] } });
      await run([end]);
      expect(answers(end.id)).toHaveLength(1);
    });

    it('answers what was cancelled at most once, and what is unknown not at all', async () => {
      const requests = [request(0), request(1), request(2)];
      harness.verifier.score(requests);
      harness.verifier.cancel([...requests.map(({ id }) => id), 999_999]);
      for (let turn = 0; turn < 8; turn += 1) await harness.work();
      harness.verifier.cancel(requests.map(({ id }) => id));
      for (const { id } of requests) {
        expect(answers(id).length).toBeLessThanOrEqual(1);
        const [answer] = answers(id);
        if (answer?.type === 'fault') expect(answer.fault.code).toBe('cancelled');
      }
      expect(answers(999_999)).toEqual([]);
      const next = request(0);
      await run([next]);
      expect(scoreOf(next.id).reward).toBeGreaterThanOrEqual(0);
    });

    it('goes on after a search was released, even if it comes back', async () => {
      const before = request(2);
      await run([before]);
      harness.verifier.release('search-1');
      harness.verifier.release('nobody');
      const after = request(2);
      await run([after]);
      expect(scoreOf(after.id).reward).toBeCloseTo(scoreOf(before.id).reward, 2);
    });

    it('is idle and well when it has nothing to do', async () => {
      await run([request(0), request(1)]);
      const { waiting, running = 0, healthy } = harness.verifier.load();
      expect([waiting, running, healthy]).toEqual([0, 0, true]);
    });
  });
}
