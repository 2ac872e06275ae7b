import { expect, it } from 'vitest';
import { Inbox } from '../../../../../tests/support/inbox.ts';
import { makeVerifier } from '../definition.ts';
import type { VerifierMessage } from '../verifier.ts';
import { confidence } from './confidence-verifier.ts';

it('rewards a step with the geometric mean of its probabilities', () => {
  const verifier = makeVerifier(confidence);
  const inbox = new Inbox<VerifierMessage>();
  verifier.connect(inbox.post);
  const step = { text: 'so', tokens: 2, meanLogprob: Math.log(0.25), end: 'eos' } as const;
  const common = { search: 's', prompt: { kind: 'text', text: 'q' }, parent: 0, index: 0, path: [] } as const;
  verifier.score([{ ...common, id: 7, step, lane: 'primary', priority: 0 }]);
  const [message] = inbox.messages;
  expect(message?.type === 'score' && message.reward).toBeCloseTo(0.25, 12);
});
