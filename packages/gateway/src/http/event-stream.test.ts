import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { turn } from '../../../../tests/support/until.ts';
import { EventStream } from './event-stream.ts';

/** A server that hands its one response to the test, and a client that reads only when told. */
async function connection(): Promise<{ response: ServerResponse; client: Socket }> {
  let handOver: (response: ServerResponse) => void = () => {};
  const response = new Promise<ServerResponse>((resolve) => {
    handOver = resolve;
  });
  const server = createServer((_, each) => handOver(each));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause();
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { response: await response, client };
}

const line = 'Q'.repeat(10_000);

test('a writer that waits for its reader loses nothing and holds little', async () => {
  const { response, client } = await connection();
  const stream = new EventStream(response, { heartbeatMs: 600_000 });
  let received = 0;
  client.on('data', (chunk) => {
    received += String(chunk).split('Q').length - 1;
  });
  client.pause();
  const writing = (async () => {
    for (let lines = 0; lines < 1000; lines += 1) {
      stream.frame({ data: [line] });
      expect(response.writableLength).toBeLessThan(100_000);
      await stream.ready();
    }
    stream.end();
  })();
  await turn();
  client.resume();
  await writing;
  while (received < 1000 * line.length) await turn();
  expect(received).toBe(1000 * line.length);
});

test('a silent stream sends heart-beats, a busy one none, and a comment cannot break out of its line', async () => {
  const { response, client } = await connection();
  const stream = new EventStream(response, { heartbeatMs: 20 }, (silent) => silent.comment('a\n\ndata: forged'));
  let text = '';
  client.on('data', (chunk) => {
    text += String(chunk);
  });
  client.resume();
  while (!text.includes(': a')) await turn();
  stream.end();
  expect(text).toContain(': a data: forged');
  expect(text).not.toMatch(/^data:/m);
});

test('sends a heart-beat once nothing was sent for heartbeatMs since the last event', async () => {
  const { response } = await connection();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  response.write = (text: string) => written.push(text) > 0;
  const stream = new EventStream(response, { heartbeatMs: 10_000 });
  vi.advanceTimersByTime(9000);
  stream.frame({ data: 'news' });
  vi.advanceTimersByTime(9999);
  expect(written).toHaveLength(1);
  vi.advanceTimersByTime(10_001);
  expect(written.slice(1)).toEqual([': heart-beat\n\n', ': heart-beat\n\n']);
  stream.end();
});
