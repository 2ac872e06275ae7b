import type { Engine, EngineMessage, GenerateRequest } from 'coppice';
import { expect, it } from 'vitest';
import { BacklogMeter } from './sustained.ts';

const usage = { computedTokens: 0, cachedTokens: 0, generatedTokens: 50 };
const step = { text: 'x', tokens: 50, meanLogprob: 0, end: 'eos' } as const;

/** Eleven searches of two answers with 50 tokens each, the second of them cancelled: one a second, and the last takes ten. */
function servedInTurn(atOnce: number): BacklogMeter {
  let post: (message: EngineMessage) => void = () => {};
  const meter = new BacklogMeter(11);
  const scripted = { connect: (to: typeof post) => (post = to), generate: () => {} } as unknown as Engine;
  const engine = meter.listenTo(scripted);
  engine.connect(() => {});
  for (let at = 0; at < 11; at += 1) {
    const begun = Array.from({ length: Math.min(11, at + atOnce) }, (_, search) => ({ search: String(search) }));
    engine.generate(begun as unknown as GenerateRequest[]);
    post({ type: 'token', request: at, text: 'x', tokens: 50 });
    post({ type: 'step', request: at, step, usage });
    post({ type: 'fault', request: at, fault: { code: 'cancelled', message: '', retryable: false }, usage });
    meter.end(at === 10 ? 20_000 : 1000 * (at + 1), 100);
  }
  return meter;
}

it('leaves the tail out: what it sustains is what it generates while searches wait', () => {
  // Ten ended while others waited. From the third of them (3 s, 300 tokens) to the tenth (10 s, 1,000): 100 tokens a second.
  expect(servedInTurn(1).rate).toBe(1);
});

it('counts until the last has ended where too few waited', () => {
  expect(servedInTurn(2).rate).toBe(11 / 20);
});
