import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../../../../../tests/support/loose.ts';
import { ManualTimers } from '../../../../../tests/support/manual-timers.ts';
import { turn } from '../../../../../tests/support/until.ts';
import { createLog } from '../log.ts';
import type { Span } from './otlp.ts';
import { SpanSender } from './span-sender.ts';

/** A collector that answers with these statuses, one after the other, the last for ever. */
async function bench(...statuses: number[]) {
  const bodies: Loose[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const status = statuses[Math.min(bodies.length, statuses.length - 1)] ?? 200;
      bodies.push(JSON.parse(text));
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const timers = new ManualTimers();
  const lines: Loose[] = [];
  const log = createLog({ level: 'warn', format: 'json', write: (line) => lines.push(JSON.parse(line)) });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sender = new SpanSender({ url, headers: {}, log, timers });
  const until = async (holds: () => boolean, stepMs: number) => {
    while (!holds()) {
      timers.advance(stepMs);
      await turn();
    }
  };
  return { bodies, timers, lines, sender, until };
}

function span(at: number): Span {
  return {
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    parentSpanId: undefined,
    name: `span ${at}`,
    kind: 1,
    startMs: at,
    endMs: at,
    attributes: {},
    error: undefined,
  };
}

function namesIn(body: Loose): string[] {
  return body.resourceSpans[0].scopeSpans[0].spans.map(({ name }: Loose) => name);
}

test('a batch that fails is sent again, whole and in order, and what came meanwhile follows', async () => {
  const { bodies, sender, until, lines } = await bench(503, 429, 200);
  for (const at of [1, 2, 3]) sender.add(span(at));
  await until(() => bodies.length === 1, 100);
  sender.add(span(4));
  await until(() => sender.counts.sent === 4, 100);
  expect(namesIn(bodies[0])).toEqual(['span 1', 'span 2', 'span 3']);
  expect(bodies.slice(1).flatMap(namesIn).slice(-4)).toEqual(['span 1', 'span 2', 'span 3', 'span 4']);
  expect([sender.counts.dropped, lines]).toEqual([0, []]);
});

test('it is given up after a few tries, or at once where the collector refuses it; drops are counted and told', async () => {
  const down = await bench(503);
  down.sender.add(span(1));
  await down.until(() => down.sender.counts.dropped === 1, 1000);
  expect(down.bodies).toHaveLength(6);
  expect(down.lines).toMatchObject([{ event: 'telemetry', spans: 1, dropped: 1 }]);
  const refused = await bench(400);
  refused.sender.add(span(1));
  await refused.until(() => refused.sender.counts.dropped === 1, 1000);
  expect(refused.bodies).toHaveLength(1);
});

test('what waits is bounded, and the end tries once more', async () => {
  const { sender, bodies } = await bench(200);
  for (let at = 0; at < 5000; at += 1) sender.add(span(at));
  expect(sender.counts).toEqual({ sent: 0, dropped: 5000 - 4096 });
  await sender.close();
  expect(sender.counts.sent).toBe(4096);
  expect(bodies).toHaveLength(8);
});
