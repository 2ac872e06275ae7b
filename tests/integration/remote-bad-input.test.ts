// Wrong settings and wrong servers: each is told in one line that names the server, the setting and the remedy, and no key
// ever appears in one.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FaultError } from '../../packages/core/src/base/fault.ts';
import { openRemoteEngine } from '../../packages/core/src/engine/remote/open-engine.ts';
import type { RemoteEngineOptions } from '../../packages/core/src/engine/remote/options.ts';
import { faultOfError } from '../../packages/core/src/remote/failure.ts';
import { LlamaTestServer } from '../servers/llama-server.ts';
import { SglangServer } from '../servers/sglang-server.ts';
import { VllmServer } from '../servers/vllm-server.ts';
import { openBench } from './remote-bench.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function faultOf(options: RemoteEngineOptions): Promise<string> {
  try {
    const engine = await openRemoteEngine(options);
    await engine.close();
  } catch (error) {
    if (error instanceof FaultError) return error.message;
    throw error;
  }
  throw new Error('it opened');
}

async function serve(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('opening a remote engine', () => {
  it('says what is wrong with the settings', async () => {
    expect(await faultOf({ servers: [] })).toMatch(/bad-setting: servers is empty/);
    expect(await faultOf({ servers: [{ url: 'localhost:8000' }] })).toMatch(/bad-setting: url is 'localhost:.*http/);
    expect(await faultOf({ servers: [{ url: 'nonsense' }] })).toMatch(/bad-setting: url is 'nonsense'/);
    const two = [{ url: 'http://x' }, { url: 'http://y' }];
    expect(await faultOf({ servers: two, router: 'sglang' })).toMatch(/router is sglang, and 2 urls are given/);
  });

  it('says that nothing listens, or that what does is no inference server', async () => {
    const url = await serve(() => {});
    for (const close of closing.splice(0)) await close();
    expect(await faultOf({ servers: [{ url }] })).toMatch(
      /unavailable: .*nothing listens there; start the server or check url/,
    );
    const page = await serve((_, response) => response.end('<html>hello</html>'));
    expect(await faultOf({ servers: [{ url: page }] })).toMatch(
      /protocol: .*not the page of an inference server; check url/,
    );
    const redirecting = await serve((_, response) => response.writeHead(302, { location: '/login' }).end());
    expect(await faultOf({ servers: [{ url: redirecting }] })).toMatch(/refused: .*302.*final address/);
  });

  it('says that the certificate is not trusted, or that the scheme is wrong', async () => {
    const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const untrusted = faultOfError({ url: 'https://gpu', secrets: [] }, '/v1/models', error);
    expect(untrusted).toMatchObject({ code: 'unavailable', retryable: false });
    expect(untrusted.message).toMatch(/https:.*TLS failed.*self-signed.*NODE_EXTRA_CA_CERTS/);
    const plain = await serve((_, response) => response.end('{}'));
    expect(await faultOf({ servers: [{ url: plain.replace('http:', 'https:') }] })).toMatch(
      /TLS failed.*http or https/,
    );
  });

  it('names the models when the name is wrong', async () => {
    const server = await new VllmServer({ model: 'Qwen/Qwen2.5-7B-Instruct' }).listen();
    closing.push(() => server.close());
    const message = await faultOf({ servers: [{ url: server.url }], model: 'qwen' });
    expect(message).toMatch(/refused: .* serves 'Qwen\/Qwen2.5-7B-Instruct', not 'qwen'; change model/);
    const other = await new VllmServer({ model: 'other' }).listen();
    closing.push(() => other.close());
    expect(await faultOf({ servers: [{ url: server.url }, { url: other.url }] })).toMatch(/one model.*set model/);
  });

  it('never tells a key, even when the server repeats it', async () => {
    const server = await new VllmServer({ apiKey: 'right-key-1234' }).listen();
    closing.push(() => server.close());
    const message = await faultOf({ servers: [{ url: server.url, apiKey: 'wrong-key-5678' }] });
    expect(message).toMatch(/refused: .*401.*set apiKey/);
    expect(message).not.toContain('5678');
    const inUrl = server.url.replace('http://', 'http://user:hunter22@');
    const basic = await faultOf({ servers: [{ url: inUrl }] });
    expect(basic).toMatch(/401/);
    expect(basic).not.toContain('hunter22');
    expect(basic).not.toContain(btoa('user:hunter22'));
    const engine = await openRemoteEngine({ servers: [{ url: server.url, apiKey: 'right-key-1234' }] });
    expect(JSON.stringify([engine.load(), engine.servers()])).not.toContain('right-key');
    await engine.close();
  });

  it('takes the root or its /v1, and finds each dialect', async () => {
    for (const [name, server] of [
      ['vllm', new VllmServer()],
      ['sglang', new SglangServer()],
      ['llama-server', new LlamaTestServer()],
    ] as const) {
      await server.listen();
      closing.push(() => server.close());
      const engine = await openRemoteEngine({ servers: [{ url: `${server.url}/v1/` }] });
      expect(engine.capabilities.name).toBe(name);
      await engine.close();
    }
  });
});

describe('a request that the server refuses', () => {
  it('is not tried again, and does not take the server out', async () => {
    const server = await new VllmServer().listen();
    const bench = await openBench([server]);
    closing.push(() => bench.close());
    server.mischief = () => ({ type: 'status', status: 400, message: 'temperature must be in [0, 2]' });
    const one = bench.request({ sampling: { temperature: 3 } });
    bench.engine.generate([one]);
    await bench.finish([one]);
    expect(bench.answer(one.id)).toMatchObject({ fault: { code: 'refused', retryable: false } });
    expect(bench.engine.load().replicas).toMatchObject({ up: 1, out: 0 });
  });
});
