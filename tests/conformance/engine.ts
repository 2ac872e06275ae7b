// What every engine must do, whatever is behind it: embedded, simulated or remote. A suite of vitest tests over a harness;
// an engine that cannot pass one names it with the reason. Nothing here depends on what the model writes, only on the
// contract of src/engine/engine.ts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Engine,
  type EngineMessage,
  type GenerateRequest,
  type GenerationUsage,
  isAnswer,
  type PathStep,
} from '../../src/engine/engine.ts';
import type { Prompt, Step } from '../../src/tree/step.ts';
import { behind, below, tipKey } from '../support/paths.ts';

export interface EngineHarness {
  readonly engine: Engine;
  /** Lets the engine go on: moves virtual time, or waits for a moment. */
  work(): Promise<void>;
  close(): Promise<void>;
  readonly prompt: Prompt;
  readonly delimiters: readonly string[];
  /** Enough for any step of this model. */
  readonly maxTokens: number;
}

export interface Skip {
  readonly test: string;
  readonly reason: string;
}

export function engineConformance(name: string, open: () => Promise<EngineHarness>, skips: readonly Skip[] = []): void {
  describe(`engine conformance: ${name}`, () => {
    let harness: EngineHarness;
    let inbox: EngineMessage[];
    let nextId: number;

    beforeEach(async () => {
      harness = await open();
      inbox = [];
      nextId = 1;
      harness.engine.connect((message) => inbox.push(message));
    });
    afterEach(() => harness.close());

    const test = (title: string, body: () => Promise<void>): void => {
      const skipped = skips.find((each) => each.test === title);
      if (skipped === undefined) it(title, body);
      else it.skip(`${title} (${skipped.reason})`, body);
    };

    const request = (overrides: Partial<GenerateRequest> = {}): GenerateRequest => {
      const id = nextId;
      nextId += 1;
      return {
        id,
        search: 'search-1',
        prompt: harness.prompt,
        parent: tipKey(overrides.path ?? []),
        path: [],
        index: id,
        sampling: { temperature: 1 },
        seed: id * 7919,
        delimiters: harness.delimiters,
        maxTokens: harness.maxTokens,
        lane: 'primary',
        priority: 0,
        ...overrides,
      };
    };

    const answers = (id: number): EngineMessage[] => inbox.filter((each) => each.request === id && isAnswer(each));

    const finish = async (requests: readonly GenerateRequest[]): Promise<void> => {
      while (requests.some(({ id }) => answers(id).length === 0)) await harness.work();
      for (let idle = 0; idle < 3; idle += 1) await harness.work();
    };

    const run = async (requests: readonly GenerateRequest[]): Promise<void> => {
      harness.engine.generate(requests);
      await finish(requests);
    };

    const stepOf = (id: number): { step: Step; usage: GenerationUsage } => {
      const message = answers(id)[0];
      if (message?.type !== 'step') throw new Error(`request ${id} was answered by ${JSON.stringify(message)}`);
      return message;
    };

    test('answers every request exactly once', async () => {
      const requests = Array.from({ length: 24 }, (_, at) =>
        request({ search: `search-${at % 3}`, lane: at % 4 === 0 ? 'speculative' : 'primary', priority: at % 5 }),
      );
      await run(requests);
      expect(requests.map(({ id }) => answers(id).length)).toEqual(requests.map(() => 1));
      for (const { id } of requests) stepOf(id);
    });

    test('answers once what is moved in its queue, runs already, is answered or was never asked for', async () => {
      const requests = Array.from({ length: 24 }, (_, at) =>
        request({ search: `search-${at % 3}`, lane: 'speculative' }),
      );
      harness.engine.generate(requests);
      for (const { id } of requests) harness.engine.update?.(id, { lane: 'primary', priority: id % 3 });
      await harness.work();
      for (const { id } of requests) harness.engine.update?.(id, { lane: 'speculative', priority: 0 });
      await finish(requests);
      harness.engine.update?.(requests[0]!.id, { lane: 'primary', priority: 0 });
      harness.engine.update?.(nextId + 1000, { lane: 'primary', priority: 0 });
      await harness.work();
      for (const { id } of requests) stepOf(id);
      expect(requests.map(({ id }) => answers(id).length)).toEqual(requests.map(() => 1));
    });

    test('ends a step at a delimiter, which it keeps, or at the end of the answer', async () => {
      const path = await grow(12);
      expect(path.length).toBeGreaterThan(0);
      for (const { step } of path) {
        const closed = harness.delimiters.some((each) => step.text.endsWith(each));
        if (step.end === 'delimiter') expect(closed).toBe(true);
        expect(step.tokens).toBeGreaterThan(0);
        expect(step.tokens).toBeLessThanOrEqual(harness.maxTokens);
      }
    });

    /** Grows one greedy path to its end. */
    const grow = async (longest: number): Promise<readonly PathStep[]> => {
      let path: readonly PathStep[] = [];
      for (let depth = 1; depth <= longest; depth += 1) {
        const next = request({ path: [...path], sampling: { temperature: 0 }, index: 0 });
        await run([next]);
        const { step } = stepOf(next.id);
        path = below(path, step);
        if (step.end === 'eos') break;
      }
      return path;
    };

    test('cuts a step at the token limit', async () => {
      const short = request({ maxTokens: 1, delimiters: ['\u0000never\u0000'] });
      await run([short]);
      const { step, usage } = stepOf(short.id);
      expect(step.tokens).toBe(1);
      expect(usage.generatedTokens).toBe(1);
      if (step.end !== 'eos') expect(step.end).toBe('length');
    });

    test('is deterministic when greedy', async () => {
      const twins = [0, 1].map(() => request({ sampling: { temperature: 0 }, index: 0, seed: 5 }));
      await run([twins[0]!]);
      await run([twins[1]!]);
      expect(stepOf(twins[1]!.id).step.text).toBe(stepOf(twins[0]!.id).step.text);
    });

    test('gives the same step for the same seed, alone or in company', async () => {
      if (!harness.engine.capabilities.seeded) return;
      const alone = request({ index: 0, seed: 4242 });
      await run([alone]);
      const again = request({ index: 0, seed: 4242 });
      await run([request(), request(), again, request()]);
      expect(stepOf(again.id).step.text).toBe(stepOf(alone.id).step.text);
    });

    test('gives different steps for different seeds', async () => {
      const requests = Array.from({ length: 16 }, () => request());
      await run(requests);
      expect(new Set(requests.map(({ id }) => stepOf(id).step.text)).size).toBeGreaterThan(1);
    });

    test('streams exactly the text of the step before it', async () => {
      if (!harness.engine.capabilities.streams) return;
      const requests = [request(), request(), request({ search: 'search-2' })];
      await run(requests);
      for (const { id } of requests) {
        const mine = inbox.filter((each) => each.request === id);
        const streamed = mine.map((each) => (each.type === 'token' ? each.text : '')).join('');
        expect(streamed).toBe(stepOf(id).step.text);
        expect(mine.at(-1)?.type).toBe('step');
        const counts = mine.flatMap((each) => (each.type === 'token' ? [each.tokens] : []));
        expect(counts).toEqual(counts.toSorted((a, b) => a - b));
        expect(counts.at(-1) ?? 0).toBeLessThanOrEqual(stepOf(id).step.tokens);
      }
    });

    test('counts what it computed, found and generated', async () => {
      const first = request({ index: 0 });
      await run([first]);
      const { step, usage } = stepOf(first.id);
      expect(usage.generatedTokens).toBe(step.tokens);
      expect(usage.computedTokens).toBeGreaterThanOrEqual(0);
      expect(usage.cachedTokens).toBeGreaterThanOrEqual(0);
      if (harness.engine.capabilities.countsCache) expect(usage.computedTokens + usage.cachedTokens).toBeGreaterThan(0);
    });

    test('tells log probabilities where it says so, and none otherwise', async () => {
      const one = request();
      await run([one]);
      const { step } = stepOf(one.id);
      if (harness.engine.capabilities.logprobs) expect(step.meanLogprob).toBeLessThan(0);
      else expect(step.meanLogprob).toBe(0);
      expect(Number.isFinite(step.meanLogprob)).toBe(true);
    });

    test('tells each token with its log probability where it says so and is asked, and not unasked', async () => {
      const needs = { logprobs: true, tokens: false, seed: true };
      const [asked, unasked] = [request({ needs: { ...needs, pieces: true } }), request({ needs })];
      await run([asked, unasked]);
      expect(stepOf(unasked.id).step.pieces).toBeUndefined();
      const { pieces, logprobs = [], text } = stepOf(asked.id).step;
      if (!harness.engine.capabilities.pieces) return expect(pieces).toBeUndefined();
      expect(pieces?.join('')).toBe(text);
      expect(logprobs.length).toBe(pieces?.length);
      expect(logprobs.every((each) => each <= 0)).toBe(true);
    });

    test('holds a step to a schema where it says so', async () => {
      const { engine } = harness;
      const shape = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };
      if (engine.shapeTrouble === undefined || engine.shapeTrouble(shape) !== undefined) return;
      const requests = [0, 1, 2].map((index) =>
        request({ index, seed: 7 + index, shape, delimiters: [], maxTokens: 100 }),
      );
      await run(requests);
      for (const { id } of requests) {
        const { step } = stepOf(id);
        expect(step.end).toBe('eos');
        expect(JSON.parse(step.text)).toEqual({ sum: expect.any(Number) });
      }
    });

    test('is asked something in the middle of a path: one more piece of text, without tokens', async () => {
      const [first] = await grow(1);
      const suffix: Step = { text: 'Answer: ', tokens: 2, meanLogprob: 0, end: 'length' };
      const path = below(first === undefined || first.step.end === 'eos' ? [] : [first], suffix);
      const needs = { logprobs: false, tokens: false, seed: true, entropy: true };
      const probe = request({ path, sampling: { temperature: 0 }, maxTokens: 1, delimiters: [], needs });
      await run([probe]);
      const { step } = stepOf(probe.id);
      expect(step.tokens).toBe(1);
      if (harness.engine.capabilities.entropy) expect(step.entropy).toBeGreaterThanOrEqual(0);
      else expect(step.entropy).toBeUndefined();
    });

    test("replies to turns of the user's side behind a whole answer, and computes what was said before them once", async () => {
      const greedy = { sampling: { temperature: 0 }, index: 0, seed: 3, delimiters: [], maxTokens: 24 } as const;
      let path: readonly PathStep[] = [];
      const said: string[] = [];
      for (const turn of [undefined, 'This failed: try again.', 'Better. Once more?']) {
        if (turn !== undefined) path = behind(path, turn);
        const [next, twin] = [request({ ...greedy, path }), request({ ...greedy, path })];
        await run([next]);
        await run([twin]);
        const { step, usage } = stepOf(next.id);
        expect(stepOf(twin.id).step.text).toBe(step.text);
        if (harness.engine.capabilities.countsCache && turn !== undefined)
          expect(stepOf(twin.id).usage.cachedTokens).toBeGreaterThanOrEqual(Math.min(16, usage.computedTokens));
        said.push(step.text);
        path = below(path, step);
      }
      expect(said).toHaveLength(3);
    });

    test('answers cancelled requests once, and nothing after', async () => {
      const requests = Array.from({ length: 12 }, () => request());
      harness.engine.generate(requests);
      await harness.work();
      harness.engine.cancel(requests.map(({ id }) => id));
      await finish(requests);
      for (const { id } of requests) {
        const [answer, ...more] = answers(id);
        expect(more).toEqual([]);
        if (answer?.type === 'fault') expect(answer.fault.code).toBe('cancelled');
        expect(inbox.findLast((each) => each.request === id)).toBe(answer);
      }
      expect(harness.engine.load().runningSequences).toBe(0);
    });

    test('ignores the cancellation of what it does not know or has answered', async () => {
      const one = request();
      await run([one]);
      harness.engine.cancel([one.id, 999_999]);
      harness.engine.cancel([one.id]);
      await harness.work();
      expect(answers(one.id).length).toBe(1);
      expect(answers(999_999)).toEqual([]);
    });

    test('leaves the siblings of a cancelled child alone', async () => {
      const requests = Array.from({ length: 4 }, () => request());
      harness.engine.generate(requests);
      harness.engine.cancel([requests[1]!.id]);
      await finish(requests);
      for (const at of [0, 2, 3]) stepOf(requests[at]!.id);
    });

    test('is idle when everything is answered', async () => {
      await run(Array.from({ length: 10 }, () => request()));
      const load = harness.engine.load();
      expect([load.runningSequences, load.waitingSequences, load.healthy]).toEqual([0, 0, true]);
    });

    test('goes on with a search after it was released', async () => {
      const before = request({ sampling: { temperature: 0 }, index: 0 });
      await run([before]);
      harness.engine.release('search-1');
      const after = request({ sampling: { temperature: 0 }, index: 0 });
      await run([after]);
      expect(stepOf(after.id).step.text).toBe(stepOf(before.id).step.text);
    });

    test('refuses a prompt that does not fit, and says so', async () => {
      const { contextTokens } = harness.engine.capabilities;
      if (contextTokens === undefined) return;
      const text = 'one two three four '.repeat(contextTokens);
      const long = request({ search: 'too-long', prompt: { kind: 'text', text } });
      await run([long]);
      const answer = answers(long.id)[0];
      expect(answer).toMatchObject({ type: 'fault', fault: { code: 'too-long', retryable: false } });
    });
  });
}
