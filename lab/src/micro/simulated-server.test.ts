// The benchmarks over HTTP find their server by what it prints.

import { expect, test } from 'vitest';
import { startServer, stopServer } from './simulated-server.ts';

test('a server says where it listens, and answers there until it is stopped', async () => {
  const server = await startServer(['log.level=error'], ['--journal', ':memory:']);
  try {
    expect((await fetch(`${server.url}/ready`)).status).toBe(200);
  } finally {
    await stopServer(server);
  }
});
