import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { post, question, runGateway } from '../../../../tests/support/running-gateway.ts';
import { until } from '../../../../tests/support/until.ts';
import type { ToldCuts } from './connections.ts';
import { Connections } from './connections.ts';
import { fixedLimits } from './fixed-limits.ts';
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

const room = { limits: { streams: 10, shortConnections: 10 } };

test('300 silent connections lock no client out', async () => {
  const { url } = await runGateway(room);
  await open(url, 300);
  expect((await post(`${url}/v1/chat/completions`, question)).status).toBe(200);
});

test('connections with an unfinished request, or that were answered once and stay, lock no client out', async () => {
  const { url } = await runGateway(room);
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  await open(url, 100, `${head}content-length: 1000\r\n\r\n{`);
  expect((await post(`${url}/v1/chat/completions`, question)).status).toBe(200);
  await open(url, 100, 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n');
  expect((await post(`${url}/v1/chat/completions`, question)).status).toBe(200);
});

test('a client that waits for an answer is never closed to make room', async () => {
  const { url, engine } = await runGateway({ scripted: { held: true }, ...room });
  const answers = Array.from({ length: 5 }, () => post(`${url}/v1/chat/completions`, question));
  await until(() => engine.open >= 5);
  await open(url, 100);
  engine.release();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

test('a silent client is told so, and destroyed though it never closes its side', async () => {
  const limits = { ...fixedLimits, streams: 10, headerMs: 100, requestMs: 100 };
  const { server, connections } = createHttpServer(limits, { serve: () => {}, refuse: () => {}, warn: () => {} });
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

/** A client with its own socket, which reads only when told. */
async function say(url: string, text: string, options: { readonly allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...options });
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function heard(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += String(bytes);
  return text;
}

/** Statuses of the answers, in order, without interim ones. */
function statusesIn(text: string): string[] {
  const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => status!);
  return statuses.filter((status) => status !== '100');
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

function chatText(body: object, version = '1.1', padding = ''): string {
  const text = padding + JSON.stringify({ ...question, ...body });
  const head = `POST /v1/chat/completions HTTP/${version}\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  return `${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

describe('requests on one connection', () => {
  test('are answered one at a time and in order', async () => {
    const { url, engine, gateway } = await runGateway({ scripted: { held: true } });
    const socket = await say(url, chatText({}) + chatText({}) + chatText({ n: 0 }) + get('/health'));
    await until(() => engine.open > 0);
    expect([...gateway.searches.live].length).toBe(1);
    engine.release();
    socket.end();
    expect(statusesIn(await heard(socket))).toEqual(['200', '200', '400', '200']);
  });

  test('are limited: a connection on which more wait is closed, and the log says so once', async () => {
    const { url, engine, logged } = await runGateway({
      scripted: { held: true },
      limits: { pipelined: 2 },
    });
    const within = await say(url, chatText({}) + get('/health').repeat(2));
    await until(() => engine.open > 0);
    const beyond = await Promise.all([1, 2, 3].map(() => say(url, chatText({}) + get('/health').repeat(40))));
    await Promise.all(beyond.map(heard));
    await until(() => logged.some((line) => line.includes('more than 2 requests waited')));
    expect(logged.filter((line) => line.includes('more than 2 requests waited'))).toHaveLength(1);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/connections_closed_total\{limit="pipelined"\} 3/);
    engine.release();
    within.end();
    expect(statusesIn(await heard(within))).toEqual(['200', '200', '200']);
  });
});

test('incomplete bodies hold bounded memory: the longest silent one is cut, a client that sends is answered', async () => {
  const { url, logged } = await runGateway({ limits: { bodiesBytes: 200_000 } });
  const text = chatText({}, '1.1', ' '.repeat(64_000));
  const silent: Socket[] = [];
  for (let at = 0; at < 6; at += 1) silent.push(await say(url, text.slice(0, -1)));
  const closed = silent.map((socket) => once(socket.resume(), 'close'));
  await Promise.race(closed);
  const sender = await say(url, text);
  sender.end();
  expect(statusesIn(await heard(sender))).toEqual(['200']);
  await until(() => logged.some((line) => line.includes('"limit":"bodies"')));
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/connections_closed_total\{limit="bodies"\} [34]/);
});

describe('a client that closes its sending side', () => {
  test.each([{ stream: false }, { stream: true }])('gets its answer all the same: %j', async (body) => {
    const { url, engine } = await runGateway({ scripted: { held: true } });
    const socket = await say(url, chatText(body), { allowHalfOpen: true });
    socket.end();
    await until(() => engine.open > 0);
    engine.release();
    const text = await heard(socket);
    expect(text).toMatch(/^HTTP\/1\.1 200/m);
    expect(text).toContain(body.stream ? 'data: [DONE]' : '"verdict":"accepted"');
  });

  test.each([
    { stream: false, version: '1.1' },
    { stream: true, version: '1.1' },
    { stream: false, version: '1.0' },
  ])('and is gone takes its search along: %j', async ({ stream, version }) => {
    const { url, engine, gateway } = await runGateway({ scripted: { held: true } });
    const socket = await say(url, chatText({ stream }, version));
    await until(() => engine.open > 0);
    socket.destroy();
    await until(() => [...gateway.searches.live].length === 0);
  });
});

test('memory is given back when a crowd has left, and while it stays each time it has grown', async () => {
  const server = createServer();
  const times = { given: 0, heldBytes: 0 };
  const giveBack = () => {
    times.given += 1;
  };
  const connections = new Connections(server, {
    limits: { ...fixedLimits, streams: 2000 },
    warn: () => {},
    giveBack,
    heldBytes: () => times.heldBytes,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const sockets = await open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 500);
  await until(() => connections.open === 500);
  connections.look();
  expect(times.given).toBe(0);
  times.heldBytes = 200e6;
  connections.look();
  connections.look();
  expect(times.given).toBe(1);
  for (const socket of sockets.slice(100)) socket.destroy();
  await until(() => connections.open === 100);
  connections.look();
  expect(times.given).toBe(1);
  for (const socket of sockets) socket.destroy();
  await until(() => connections.open === 0);
  connections.look();
  connections.look();
  expect(times.given).toBe(2);
});

describe('answers that are not read', () => {
  const body = Buffer.alloc(64_000_000);
  /** Answers `/big` at once, and anything else with one byte and no end. */
  async function serving(settings: object) {
    const limits = { ...fixedLimits, streams: 2000, ...settings };
    const now = { ms: 0 };
    const told: ToldCuts[] = [];
    const server = createServer();
    const connections = new Connections(server, { limits, warn: (cuts) => told.push(cuts), nowMs: () => now.ms });
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    server.on('request', (request, response) =>
      connections.take(request, response, () => {
        if (request.url === '/big') response.end(body);
        else response.write('x');
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    /** A client that asks and does not read; resolves once its answer is stuck. */
    const stuck = async () => {
      const client = await say(url, get('/big'));
      client.pause();
      const at = sockets.length;
      await until(() => sockets.length >= at && (sockets.at(-1)?.writableLength ?? 0) > 0);
      return { client, socket: sockets.at(-1)! };
    };
    return { connections, now, told, url, sockets, stuck };
  }

  test('close their connection after unreadMs; a stream that is silent stays', async () => {
    const { connections, now, told, url, sockets, stuck } = await serving({ unreadMs: 1000 });
    const { socket } = await stuck();
    const quiet = await say(url, get('/stream'));
    await once(quiet, 'data');
    connections.look();
    now.ms = 999;
    connections.look();
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    now.ms = 1000;
    connections.look();
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    now.ms = 3_600_000;
    connections.look();
    expect([socket.destroyed, connections.open, connections.closed.unread]).toEqual([true, 1, 1]);
    expect(told).toEqual([{ limit: 'unread', closed: 1, message: expect.stringContaining('for 1000 ms') }]);
  });

  test('do not count as unread while anything is read, however slowly', async () => {
    const { connections, now, stuck } = await serving({ unreadMs: 1000 });
    const { client, socket } = await stuck();
    const left = () => (socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;
    connections.look();
    for (let round = 0; round < 4; round += 1) {
      const before = left();
      client.resume();
      await until(() => left() < before);
      client.pause();
      now.ms += 999;
      connections.look();
    }
    expect([socket.destroyed, connections.closed.unread]).toEqual([false, 0]);
  });

  test('make room for a new connection, the longest unread first', async () => {
    const { connections, now, told, url, sockets, stuck } = await serving({ streams: 1, shortConnections: 1 });
    await stuck();
    connections.look();
    now.ms = 1;
    await stuck();
    connections.look();
    now.ms = 300;
    await once(await say(url, get('/stream')), 'data');
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    connections.look();
    expect(told).toEqual([{ limit: 'room', closed: 1, message: '2 are open, the limit' }]);
  });
});
