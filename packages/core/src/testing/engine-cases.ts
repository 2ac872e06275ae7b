// The suite that every engine passes, whatever is behind it: embedded, simulated or remote. Nothing here depends on what the
// model writes, only on the contract of engine/engine.ts.

import assert from 'node:assert/strict';
import {
  type Engine,
  type EngineMessage,
  type GenerateRequest,
  type GenerationUsage,
  isAnswer,
  type PathStep,
} from '../engine/engine.ts';
import type { Prompt, Step } from '../tree/step.ts';
import { type Checks, type ConformanceCase, casesOf, closeAfter, type Skips } from './case/conformance-case.ts';
import { Mailbox } from './case/mailbox.ts';
import { behind, below, tipKey } from './case/paths.ts';
import { same } from './case/same.ts';

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

/** `open` gives a fresh engine for each case. */
export function engineCases(open: () => Promise<EngineHarness>, skips: Skips = {}): readonly ConformanceCase[] {
  const attempt = async (check: (trial: EngineTrial) => void | Promise<void>) => {
    const harness = await open();
    await closeAfter(
      () => check(new EngineTrial(harness)),
      () => harness.close(),
    );
  };
  return casesOf(checks, attempt, skips);
}

/** An engine under test, and what it has posted. */
class EngineTrial {
  readonly harness: EngineHarness;
  readonly mail = new Mailbox<EngineMessage>(isAnswer);
  #nextId = 1;

  constructor(harness: EngineHarness) {
    this.harness = harness;
    this.engine.connect(this.mail.post);
  }

  get engine(): Engine {
    return this.harness.engine;
  }

  get capabilities() {
    return this.engine.capabilities;
  }

  request(overrides: Partial<GenerateRequest> = {}): GenerateRequest {
    const { prompt, delimiters, maxTokens } = this.harness;
    const id = this.#nextId;
    this.#nextId += 1;
    return {
      id,
      search: 'search-1',
      prompt,
      parent: tipKey(overrides.path ?? []),
      path: [],
      index: id,
      sampling: { temperature: 1 },
      seed: id * 7919,
      delimiters,
      maxTokens,
      lane: 'primary',
      priority: 0,
      ...overrides,
    };
  }

  requests(count: number, overrides: (at: number) => Partial<GenerateRequest> = () => ({})): GenerateRequest[] {
    return Array.from({ length: count }, (_, at) => this.request(overrides(at)));
  }

  async finish(requests: readonly GenerateRequest[]): Promise<void> {
    await this.mail.answered(requests, () => this.harness.work());
    for (let idle = 0; idle < 3; idle += 1) await this.harness.work();
  }

  async run(requests: readonly GenerateRequest[]): Promise<void> {
    this.engine.generate(requests);
    await this.finish(requests);
  }

  stepOf({ id }: GenerateRequest): { step: Step; usage: GenerationUsage } {
    const [message] = this.mail.answers(id);
    if (message?.type !== 'step') assert.fail(`request ${id} has no step but ${JSON.stringify(message)}`);
    return message;
  }

  /** One greedy path, to its end. */
  async grow(longest: number): Promise<readonly PathStep[]> {
    let path: readonly PathStep[] = [];
    for (let depth = 1; depth <= longest; depth += 1) {
      const next = this.request({ path: [...path], sampling: { temperature: 0 }, index: 0 });
      await this.run([next]);
      const { step } = this.stepOf(next);
      path = below(path, step);
      if (step.end === 'eos') break;
    }
    return path;
  }
}

const checks: Checks<EngineTrial> = {
  'answers every request exactly once': async (trial) => {
    const requests = trial.requests(24, (at) => ({
      search: `search-${at % 3}`,
      lane: at % 4 === 0 ? 'speculative' : 'primary',
      priority: at % 5,
    }));
    await trial.run(requests);
    trial.mail.answeredOnce(requests);
    for (const each of requests) trial.stepOf(each);
  },

  'draws a whole answer past its delimiters, in one step, where it says so': async (trial) => {
    if (!trial.capabilities.wholes) return;
    const whole = trial.request({ whole: true, maxTokens: 40 * trial.harness.maxTokens });
    await trial.run([whole]);
    const { step, usage } = trial.stepOf(whole);
    assert.notEqual(step.end, 'delimiter');
    assert.equal(usage.generatedTokens, step.tokens);
  },

  'answers once what is moved in its queue, runs already, is answered or was never asked for': async (trial) => {
    const { engine, harness } = trial;
    const requests = trial.requests(24, (at) => ({ search: `search-${at % 3}`, lane: 'speculative' }));
    engine.generate(requests);
    for (const { id } of requests) engine.update?.(id, { lane: 'primary', priority: id % 3 });
    await harness.work();
    for (const { id } of requests) engine.update?.(id, { lane: 'speculative', priority: 0 });
    await trial.finish(requests);
    engine.update?.(requests[0]!.id, { lane: 'primary', priority: 0 });
    engine.update?.(999_999, { lane: 'primary', priority: 0 });
    await harness.work();
    for (const each of requests) trial.stepOf(each);
    trial.mail.answeredOnce(requests);
  },

  'ends a step at a delimiter, which it keeps, or at the end of the answer': async (trial) => {
    const { delimiters, maxTokens } = trial.harness;
    const path = await trial.grow(12);
    assert.ok(path.length > 0, 'no step was written');
    for (const { step } of path) {
      const isClosed = delimiters.some((each) => step.text.endsWith(each));
      const told = JSON.stringify(step);
      assert.ok(step.end !== 'delimiter' || isClosed, `a step that ends at a delimiter lacks it: ${told}`);
      assert.ok(step.tokens > 0 && step.tokens <= maxTokens, `a step has 1 to ${maxTokens} tokens: ${told}`);
    }
  },

  'cuts a step at the token limit': async (trial) => {
    const short = trial.request({ maxTokens: 1, delimiters: ['\u0000never\u0000'] });
    await trial.run([short]);
    const { step, usage } = trial.stepOf(short);
    same([step.tokens, usage.generatedTokens], [1, 1], 'tokens of a step with maxTokens 1, and its usage');
    assert.notEqual(step.end, 'delimiter', 'a step that the limit cuts ends by length or with the answer');
  },

  'is deterministic when greedy': async (trial) => {
    const [one, other] = [0, 1].map(() => trial.request({ sampling: { temperature: 0 }, index: 0, seed: 5 }));
    await trial.run([one!]);
    await trial.run([other!]);
    same(trial.stepOf(other!).step.text, trial.stepOf(one!).step.text, 'a second step at temperature 0');
  },

  'gives the same step for the same seed, alone or in company': async (trial) => {
    if (!trial.capabilities.seeded) return;
    const alone = trial.request({ index: 0, seed: 4242 });
    await trial.run([alone]);
    const again = trial.request({ index: 0, seed: 4242 });
    await trial.run([trial.request(), trial.request(), again, trial.request()]);
    same(trial.stepOf(again).step.text, trial.stepOf(alone).step.text, 'the step of the same seed, in company');
  },

  'gives different steps for different seeds': async (trial) => {
    const requests = trial.requests(16);
    await trial.run(requests);
    const texts = new Set(requests.map((each) => trial.stepOf(each).step.text));
    assert.ok(texts.size > 1, `16 seeds gave one text: ${JSON.stringify([...texts][0])}`);
  },

  'streams exactly the text of the step before it': async (trial) => {
    if (!trial.capabilities.streams) return;
    const requests = [trial.request(), trial.request(), trial.request({ search: 'search-2' })];
    await trial.run(requests);
    for (const each of requests) {
      const { step } = trial.stepOf(each);
      const mine = trial.mail.messages.filter(({ request }) => request === each.id);
      const streamed = mine.flatMap((message) => (message.type === 'token' ? [message] : []));
      same(streamed.map(({ text }) => text).join(''), step.text, 'the streamed text');
      same(mine.at(-1)?.type, 'step', 'the last message');
      const counts = streamed.map(({ tokens }) => tokens);
      same(
        counts,
        counts.toSorted((a, b) => a - b),
        'counts of tokens, which only grow',
      );
      assert.ok((counts.at(-1) ?? 0) <= step.tokens, `${counts.at(-1)} tokens were streamed of ${step.tokens}`);
    }
  },

  'counts what it computed, found and generated': async (trial) => {
    const first = trial.request({ index: 0 });
    await trial.run([first]);
    const { step, usage } = trial.stepOf(first);
    const { computedTokens, cachedTokens } = usage;
    same(usage.generatedTokens, step.tokens, 'generated tokens of the usage');
    assert.ok(computedTokens >= 0 && cachedTokens >= 0, `no count is negative: ${JSON.stringify(usage)}`);
    if (trial.capabilities.countsCache)
      assert.ok(computedTokens + cachedTokens > 0, 'countsCache is said, and no token of the prompt was counted');
  },

  'tells log probabilities where it says so, and none otherwise': async (trial) => {
    const one = trial.request();
    await trial.run([one]);
    const { meanLogprob } = trial.stepOf(one).step;
    const told = trial.capabilities.logprobs ? meanLogprob < 0 && Number.isFinite(meanLogprob) : meanLogprob === 0;
    assert.ok(told, `meanLogprob is ${meanLogprob} while capabilities.logprobs is ${trial.capabilities.logprobs}`);
  },

  'tells each token with its log probability where it says so and is asked, and not unasked': async (trial) => {
    const needs = { logprobs: true, tokens: false, seed: true };
    const [asked, unasked] = [trial.request({ needs: { ...needs, pieces: true } }), trial.request({ needs })];
    await trial.run([asked, unasked]);
    same(trial.stepOf(unasked).step.pieces, undefined, 'pieces of a step that needs none');
    const { pieces, logprobs = [], text } = trial.stepOf(asked).step;
    if (!trial.capabilities.pieces) return same(pieces, undefined, 'pieces of an engine that tells none');
    same(pieces?.join(''), text, 'the pieces, joined');
    same(logprobs.length, pieces?.length, 'log probabilities, one for each piece');
    assert.ok(
      logprobs.every((each) => each <= 0),
      `a log probability is above 0: ${logprobs.join(', ')}`,
    );
  },

  'gives siblings the steps that each has alone, if it keeps seeds': async (trial) => {
    const needs = { logprobs: false, tokens: false, seed: true };
    const family = (search: string) =>
      trial.requests(4, (index) => ({ search, index, seed: 100 + index, expansion: 1, needs }));
    const [shared, alone] = [family('search-1'), family('search-2')];
    await trial.run(shared);
    for (const each of alone) await trial.run([each]);
    const texts = (requests: readonly GenerateRequest[]) => requests.map((each) => trial.stepOf(each).step.text);
    trial.mail.answeredOnce(shared);
    if (trial.capabilities.seeded) same(texts(shared), texts(alone), 'the steps of siblings');
  },

  'holds a step to a schema where it says so': async (trial) => {
    const { engine } = trial;
    const shape = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };
    if (engine.shapeTrouble === undefined || engine.shapeTrouble(shape) !== undefined) return;
    const requests = trial.requests(3, (index) => ({ index, seed: 7 + index, shape, delimiters: [], maxTokens: 100 }));
    await trial.run(requests);
    for (const each of requests) {
      const { step } = trial.stepOf(each);
      same(step.end, 'eos', 'the end of a step with a schema');
      const said = Object.entries(JSON.parse(step.text)).map(([key, value]) => [key, typeof value]);
      same(said, [['sum', 'number']], `what ${step.text} holds`);
    }
  },

  'is asked something in the middle of a path: one more piece of text, without tokens': async (trial) => {
    const [first] = await trial.grow(1);
    const suffix: Step = { text: 'Answer: ', tokens: 2, meanLogprob: 0, end: 'length' };
    const path = below(first === undefined || first.step.end === 'eos' ? [] : [first], suffix);
    const needs = { logprobs: false, tokens: false, seed: true, entropy: true };
    const probe = trial.request({ path, sampling: { temperature: 0 }, maxTokens: 1, delimiters: [], needs });
    await trial.run([probe]);
    const { tokens, entropy } = trial.stepOf(probe).step;
    same(tokens, 1, 'tokens of the reply');
    const told = trial.capabilities.entropy ? entropy !== undefined && entropy >= 0 : entropy === undefined;
    assert.ok(told, `entropy is ${entropy} while capabilities.entropy is ${trial.capabilities.entropy}`);
  },

  "replies to turns of the user's side behind a whole answer, and computes what was said before them once": async (
    trial,
  ) => {
    const greedy = { sampling: { temperature: 0 }, index: 0, seed: 3, delimiters: [], maxTokens: 24 } as const;
    let path: readonly PathStep[] = [];
    for (const turn of [undefined, 'This failed: try again.', 'Better. Once more?']) {
      if (turn !== undefined) path = behind(path, turn);
      const [next, twin] = [trial.request({ ...greedy, path }), trial.request({ ...greedy, path })];
      await trial.run([next]);
      await trial.run([twin]);
      const { step, usage } = trial.stepOf(next);
      const again = trial.stepOf(twin);
      same(again.step.text, step.text, `the second reply to ${JSON.stringify(turn)}`);
      if (trial.capabilities.countsCache && turn !== undefined) {
        const { cachedTokens } = again.usage;
        const least = Math.min(16, usage.computedTokens);
        assert.ok(cachedTokens >= least, `a twin found ${cachedTokens} tokens in the cache, fewer than ${least}`);
      }
      path = below(path, step);
    }
  },

  'answers cancelled requests once, and nothing after': async (trial) => {
    const requests = trial.requests(12);
    trial.engine.generate(requests);
    await trial.harness.work();
    trial.engine.cancel(requests.map(({ id }) => id));
    await trial.finish(requests);
    trial.mail.answeredOnce(requests);
    for (const { id } of requests) {
      const [answer] = trial.mail.answers(id);
      if (answer?.type === 'fault') same(answer.fault.code, 'cancelled', 'the fault of a cancelled request');
      const last = trial.mail.messages.findLast(({ request }) => request === id);
      assert.equal(last, answer, `request ${id} got a message after its answer`);
    }
    same(trial.engine.load().runningSequences, 0, 'running sequences after the cancellation');
  },

  'ignores the cancellation of what it does not know or has answered': async (trial) => {
    const one = trial.request();
    await trial.run([one]);
    trial.engine.cancel([one.id, 999_999]);
    trial.engine.cancel([one.id]);
    await trial.harness.work();
    trial.mail.answeredOnce([one]);
    same(trial.mail.answers(999_999), [], 'answers to a request that was never made');
  },

  'leaves the siblings of a cancelled child alone': async (trial) => {
    const requests = trial.requests(4);
    trial.engine.generate(requests);
    trial.engine.cancel([requests[1]!.id]);
    await trial.finish(requests);
    for (const at of [0, 2, 3]) trial.stepOf(requests[at]!);
  },

  'is idle when everything is answered': async (trial) => {
    await trial.run(trial.requests(10));
    const { runningSequences, waitingSequences, healthy } = trial.engine.load();
    same([runningSequences, waitingSequences, healthy], [0, 0, true], 'running, waiting and healthy when idle');
  },

  'goes on with a search after it was released': async (trial) => {
    const before = trial.request({ sampling: { temperature: 0 }, index: 0 });
    await trial.run([before]);
    trial.engine.release('search-1');
    const after = trial.request({ sampling: { temperature: 0 }, index: 0 });
    await trial.run([after]);
    same(trial.stepOf(after).step.text, trial.stepOf(before).step.text, 'the same greedy step after the release');
  },

  'refuses a prompt that does not fit, and says so': async (trial) => {
    const { contextTokens } = trial.capabilities;
    if (contextTokens === undefined) return;
    const text = 'one two three four '.repeat(contextTokens);
    const long = trial.request({ search: 'too-long', prompt: { kind: 'text', text } });
    await trial.run([long]);
    const [answer] = trial.mail.answers(long.id);
    const said = answer?.type === 'fault' && [answer.fault.code, answer.fault.retryable];
    same(said, ['too-long', false], 'code and retryable of the fault');
  },
};
