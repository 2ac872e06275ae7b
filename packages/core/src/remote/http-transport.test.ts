import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { BoundedBody } from './bounded-body.ts';
import { Connection } from './connection.ts';

/** Answers every request with the same bytes, and says no more. */
async function serverOf(answer: string): Promise<Connection> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(answer));
    onTestFinished(() => {
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new Connection({ url: `http://127.0.0.1:${port}` });
  onTestFinished(() => {
    server.close();
    connection.close();
  });
  return connection;
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

test('an answer in pieces of one byte lets others have their turn, and is read whole', async () => {
  const pieces = 4000;
  const connection = await serverOf(`${chunked}${'1\r\nx\r\n'.repeat(pieces)}0\r\n\r\n`);
  let [turn, most, all] = [0, 0, 0];
  const next = () => {
    turn = 0;
    if (all < pieces) setImmediate(next);
  };
  next();
  await new Promise<void>((resolve, reject) => {
    connection.stream(
      '/',
      {},
      {},
      {
        head() {},
        data(chunk) {
          all += chunk.length;
          turn += 1;
          most = Math.max(most, turn);
        },
        end: resolve,
        fail: ({ message }) => reject(new Error(message)),
      },
    );
  });
  expect(all).toBe(pieces);
  expect(most).toBeLessThanOrEqual(256);
  expect((await connection.call('GET', '/')).body).toBe('x'.repeat(pieces));
});

test('a server that goes on byte by byte is given up', async () => {
  const connection = await serverOf(`${chunked}${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`);
  await expect(connection.call('GET', '/')).rejects.toThrow(/the connection broke \(\d+ pieces for \d+ bytes\)/);
});

test('a server that says again and again that it will answer is given up', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n';
  const answer = `${chunked}1\r\nx\r\n0\r\n\r\n`;
  const patient = await serverOf(interim.repeat(3) + answer);
  expect((await patient.call('GET', '/')).body).toBe('x');
  const endless = await serverOf(interim.repeat(1000) + answer);
  await expect(endless.call('GET', '/')).rejects.toThrow('more than 100 interim answers');
});

test('a body is kept up to its limit, in pieces of any size, and nothing behind that', () => {
  const body = new BoundedBody(10);
  for (const part of ['a', 'bc', '', 'défg']) expect(body.add(Buffer.from(part))).toBe(true);
  expect(body.text()).toBe('abcdéfg');
  expect(body.add(Buffer.from('hij'))).toBe(false);
  expect(body.add(Buffer.from('k'))).toBe(false);
  expect(body.text()).toBe('abcdéfg');
});
