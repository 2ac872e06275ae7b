import { expect, test } from 'vitest';
import type { Step } from '../../tree/step.ts';
import { ConfidenceVerifier } from '../confidence/confidence-verifier.ts';
import type { ScoreRequest, VerifierMessage } from '../verifier.ts';
import { CheckedVerifier } from './checked-verifier.ts';

function request(id: number, text: string): ScoreRequest {
  const step: Step = { text, tokens: 4, meanLogprob: Math.log(0.75), end: 'delimiter' };
  const prompt = { kind: 'text', text: 'a story' } as const;
  return { id, search: 's', prompt, parent: 0, index: id, path: [], step, lane: 'primary', priority: 0 };
}

test('a false equation scores 0, everything else is left to the verifier behind', () => {
  const verifier = new CheckedVerifier(new ConfidenceVerifier());
  const messages: VerifierMessage[] = [];
  verifier.connect((message) => messages.push(message));
  verifier.score([request(0, '12*24=298\n'), request(1, '12*24=288\n'), request(2, 'Answer: 288')]);
  const rewards = new Map(messages.map((each) => [each.request, each.type === 'score' ? each.reward : undefined]));
  expect(rewards.get(0)).toBe(0);
  expect(rewards.get(1)).toBeCloseTo(0.75);
  expect(rewards.get(2)).toBeCloseTo(0.75);
  expect(verifier.capabilities.name).toBe('confidence, arithmetic checked');
});
