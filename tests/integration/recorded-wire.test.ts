// What real servers answered, read back: vLLM 0.32.0, SGLang 0.5.16 and llama.cpp's server b11549, recorded by tests/servers/record.ts.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dialects } from '../../packages/core/src/engine/remote/dialect/dialects.ts';
import { PartialStep } from '../../packages/core/src/engine/remote/flight/partial-step.ts';
import { faultOfStatus } from '../../packages/core/src/remote/failure.ts';
import { SseParser } from '../../packages/core/src/remote/sse.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import type { Exchange, Recording } from '../servers/record.ts';

describe.each(['vllm-0.32.0', 'sglang-0.5.16', 'llama-server-b11549'])('recorded from %s', (name) => {
  const file = new URL(`../fixtures/wire/${name}.json`, import.meta.url);
  const { call, exchanges, facts } = JSON.parse(readFileSync(file, 'utf8')) as Recording;
  const find = (title: string) => exchanges.find((each) => each.name === title)!;

  /** The steps of a recorded stream, one per sibling. */
  const steps = (title: string, stops: readonly string[], siblings = 1): Step[] => {
    const drafts = Array.from({ length: siblings }, () => new PartialStep(stops, false));
    const parser = new SseParser();
    const events = [...parser.push(new TextEncoder().encode(find(title).reply)), ...parser.end()];
    for (const event of events.filter((each) => each !== '[DONE]')) {
      for (const update of dialects[facts.dialect].decode(JSON.parse(event), { ...call, stops })) {
        drafts[update.index]!.fold(update);
      }
    }
    expect(drafts.every((each) => each.ended && each.counted)).toBe(true);
    return drafts.map((each) => each.step());
  };

  it('a step that the limit cut', () => {
    const [step] = steps('length', ['never']);
    expect(step).toMatchObject({ end: 'length', tokens: 5 });
    expect(step!.tokenIds?.length).toBe(5);
    expect(step!.meanLogprob).toBeLessThan(0);
  });

  it('a step that a delimiter ended, which is kept and has its tokens', () => {
    const [step] = steps('delimiter', call.stops);
    expect(step!.end).toBe('delimiter');
    expect(call.stops.some((stop) => step!.text.endsWith(stop))).toBe(true);
    expect(step!.tokenIds?.length).toBe(step!.tokens);
  });

  it('a step that ended the answer', () => {
    expect(steps('eos', ['never'])[0]).toMatchObject({ end: 'eos', text: '', tokens: 1 });
  });

  it.runIf(facts.dialect === 'sglang')('a refusal of what is too long, inside the stream', () => {
    expect(find('too long').status).toBe(200);
    expect(() => steps('too long', [])).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ code: 'too-long', retryable: false }) }),
    );
  });

  it.runIf(facts.dialect === 'sglang')('a pair of probabilities per path', () => {
    const { scores } = JSON.parse(find('scores').reply) as { scores: [number, number][] };
    expect(scores.length).toBe(2);
    for (const [good, bad] of scores) expect(good + bad).toBeCloseTo(1, 5);
  });

  it.skipIf(facts.dialect === 'sglang')('a refusal of what is too long', () => {
    const { path, status, reply } = find('too long');
    expect(faultOfStatus({ url: 'http://x', secrets: [] }, path, status, reply)).toMatchObject({
      code: 'too-long',
      retryable: false,
    });
  });

  it.runIf(facts.dialect === 'llama-server')('siblings in one stream', () => {
    expect(steps('siblings', ['never'], 2).map((each) => each.tokens)).toEqual([4, 4]);
    expect(find('too many siblings').status).toBe(400);
  });

  it.runIf(facts.dialect === 'vllm')('refusals that the test server copies, and scores', () => {
    expect(['five stops', 'greedy siblings', 'wrong model'].map((each) => find(each).status)).toEqual([400, 400, 404]);
    expect(JSON.parse(find('scores').reply).data.map((each: { object: string }) => each.object)).toEqual([
      'score',
      'score',
    ]);
  });
});

it('recorded from vllm-0.32.0: a pair per step tag', () => {
  const file = new URL('../fixtures/wire/vllm-0.32.0-pooling.json', import.meta.url);
  const { reply, status } = JSON.parse(readFileSync(file, 'utf8')) as Exchange;
  const { data } = JSON.parse(reply) as { data: { index: number; data: [number, number][] }[] };
  expect(status).toBe(200);
  expect(data.map((each) => each.data.length)).toEqual([2, 1]);
  for (const [bad, good] of data.flatMap((each) => each.data)) expect(bad + good).toBeCloseTo(1, 5);
});
