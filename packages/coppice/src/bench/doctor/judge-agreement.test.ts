// A judge against known labels: one that can judge, and one that has a number and a place that it likes.

import { expect, onTestFinished, test } from 'vitest';
import { PlainServer } from '../../../../../tests/servers/plain-server.ts';
import { agreementFinding, judgeFinding, labelled } from './judge-agreement.ts';

async function ask(reply: PlainServer['reply']) {
  const server = await new PlainServer().listen();
  onTestFinished(() => server.close());
  server.reply = reply;
  return judgeFinding({ url: server.url }, 60_000);
}

const isRight = (text: string) => labelled.some(({ right }) => text.includes(right));

test('a judge that knows is told as one, in pairs whichever comes first', async () => {
  const finding = await ask((messages) => {
    const { content } = messages[0]!;
    const first = /Answer A:\n(.*)\n/.exec(content)?.[1];
    if (first !== undefined) return `Better: ${isRight(first) ? 'A' : 'B'}`;
    return `Value: ${isRight(content) ? 9 : 2}`;
  });
  expect(finding).toMatchObject({ level: 'good' });
  expect(finding.text).toMatch(
    /in 100 % of cases \(0 of 12 tie\).*12 of 12 in both orders, and contradicts itself on 0/,
  );
});

test('one that likes a number and a place is found out', async () => {
  const finding = await ask((messages) => (messages[0]!.content.includes('Answer A:') ? 'Better: A' : 'Value: 7'));
  expect(finding).toMatchObject({ level: 'warning' });
  expect(finding.text).toMatch(
    /in 50 % of cases \(12 of 12 tie\).*0 of 12 in both orders, and contradicts itself on 12.*mean little/,
  );
});

test('its finding says how many', () => {
  expect(agreementFinding({ order: 0.9, ties: 1, pairs: 10, contradictions: 2 }).text).toContain('90 %');
});
