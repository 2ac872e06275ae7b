import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { modelDefaults, post, question, runGateway } from '../../../tests/support/running-gateway.ts';
import { until } from '../../../tests/support/until.ts';
import { checkConfig } from '../../config/load.ts';
import { createHttpServer } from './http-server.ts';

async function open(url: string, count: number, say = ''): Promise<Socket[]> {
  const { port, hostname } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (say !== '') socket.write(say);
    }),
  );
  return sockets;
}

const room = { server: { streams: 10, shortConnections: 10 } };

test('300 silent connections lock nobody out', async () => {
  const { url } = await runGateway({ config: room });
  await open(url, 300);
  expect((await post(`${url}/v1/chat/completions`, question)).status).toBe(200);
});

test('nor do those that begin a request and never end it, nor those that were answered once and stay', async () => {
  const { url } = await runGateway({ config: room });
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  await open(url, 100, `${head}content-length: 1000\r\n\r\n{`);
  expect((await post(`${url}/v1/chat/completions`, question)).status).toBe(200);
  await open(url, 100, 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
  expect((await post(`${url}/v1/chat/completions`, question)).status).toBe(200);
});

test('who waits for an answer is never closed to make room', async () => {
  const { url, engine } = await runGateway({ scripted: { held: true }, config: room });
  const answers = Array.from({ length: 5 }, () => post(`${url}/v1/chat/completions`, question));
  await until(() => engine.open >= 5);
  await open(url, 100);
  engine.release();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

test('a silent client is told so, and destroyed though it never closes its side', async () => {
  const { server: settings } = checkConfig({ models: [modelDefaults], server: { headerMs: 100, requestMs: 100 } });
  const { server, connections } = createHttpServer(settings, { serve: () => {}, refuse: () => {} });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const [socket] = (await once(server, 'connection')) as [Socket];
  let said = '';
  client.on('data', (bytes) => {
    said += String(bytes);
  });
  await once(socket, 'close');
  expect(said).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
  expect(connections.open).toBe(0);
});
