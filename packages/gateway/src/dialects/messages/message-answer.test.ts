import { expect, test } from 'vitest';
import type { ClientResult } from '../../wire/result-json.ts';
import type { ToldSearch } from '../dialect.ts';
import { MessageEvents, wholeMessage } from './message-answer.ts';

const search = { facts: { id: 'srch_1', plan: { model: 'm' }, escalatedFrom: null } } as unknown as ToldSearch;
const usage = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

function result(outcome: object, refusal: string | null = null): ClientResult {
  const texts = { content: 'so', reasoning_content: null, refusal, answer: null };
  return { texts, outcome: { finish_reason: 'stop', usage, ...outcome } } as unknown as ClientResult;
}

test.each([
  [{}, null, 'end_turn', null],
  [{ matchedStop: '###' }, null, 'stop_sequence', '###'],
  [{ finish_reason: 'length' }, null, 'max_tokens', null],
  [{ matchedStop: '###' }, 'no answer was accepted', 'refusal', null],
] as const)('ends by %j (refusal %j) as %s, whole and in a stream', (outcome, refusal, reason, sequence) => {
  const told = result(outcome, refusal);
  const end = { stop_reason: reason, stop_sequence: sequence };
  expect(wholeMessage(search, told, false)).toMatchObject(end);
  const events = new MessageEvents(false).last(search, told);
  expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({ delta: end });
});
