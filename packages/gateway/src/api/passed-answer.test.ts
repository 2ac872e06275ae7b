import { expect, test } from 'vitest';
import { PassedReader } from './passed-answer.ts';

const text = 'data: {"choices":[{"delta":{"content":"seven"}}],"usage":{"completion_tokens":3}}\n\n';

function read(...parts: readonly string[]) {
  const reader = new PassedReader('text/event-stream; charset=utf-8');
  for (const part of parts) reader.add(Buffer.from(part));
  return reader.end();
}

test.each(['data: [DONE]\n\n', ': ping\n\n', 'data: {}\n\n'])('%j is skipped without an error', (event) => {
  expect(read(event.repeat(5000), text)).toMatchObject({ text: 'seven', completionTokens: 3 });
});

test.each(['data: x\n\n', 'data: [\n\n', 'no field\n', 'retry: x\n\n'])(
  'some of %j are read past, and a stream of them is read no more',
  (event) => {
    expect(read(event.repeat(50), text)).toMatchObject({ text: 'seven' });
    expect(read(event.repeat(2000), text, text)).toMatchObject({ text: '', completionTokens: 0 });
  },
);
