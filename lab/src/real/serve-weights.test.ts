// `lab/gpu-run/serve RUN weights` on stand-ins: every server of the run takes its weights, and one that is gone is said and fails it.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const serve = fileURLToPath(new URL('../../gpu-run/serve', import.meta.url));

async function standIn(): Promise<{ server: Server; port: number; asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    request.resume().on('end', () => response.end('{}'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port, asked };
}

function taken(run: string): Promise<{ code: unknown; said: string }> {
  return new Promise((told) => {
    execFile('bash', [serve, run, 'weights'], (error, said) => told({ code: error === null ? 0 : error.code, said }));
  });
}

it('gives every server of the run its weights, and fails where one does not take them', async () => {
  const run = mkdtempSync(join(tmpdir(), 'serve-'));
  onTestFinished(() => rmSync(run, { recursive: true }));
  const servers = await Promise.all([standIn(), standIn(), standIn()]);
  for (const [at, { port }] of servers.entries()) writeFileSync(join(run, `server${at}.port`), `${port}\n`);
  const first = await taken(run);
  expect(first.code).toBe(0);
  for (const { port, asked } of servers) {
    expect(first.said).toContain(`${port} has its weights`);
    expect(asked).toEqual(['/collective_rpc', '/collective_rpc', '/reset_prefix_cache']);
  }
  const gone = servers[2]!;
  gone.server.close();
  const second = await taken(run);
  expect(second.code).toBe(1);
  expect(second.said).toContain(`${gone.port} kept its made-up weights`);
});
