// Every list of replicas against a real file, name server and API server, all of them on loopback.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dnsList } from '../../packages/core/src/engine/remote/list/dns.ts';
import { fileList } from '../../packages/core/src/engine/remote/list/file.ts';
import { kubernetesList, podApiServer } from '../../packages/core/src/engine/remote/list/kubernetes.ts';
import { listedUrls } from '../../packages/core/src/engine/remote/list/listed-urls.ts';
import type { ReplicaListHarness } from '../../packages/core/src/testing/index.ts';
import { replicaListConformance } from '../support/conformance.ts';
import { DnsServer } from '../support/dns-server.ts';

const at8000 = (addresses: readonly string[]) => addresses.map((address) => `${address}:8000`);

replicaListConformance('file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-list-'));
  const path = join(folder, 'replicas.txt');
  const write = async (text: string) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  return {
    list: fileList(path),
    put: (addresses) => write(['# replicas', ...at8000(addresses), ''].join('\n')),
    spoil: (how) => (how === 'gone' ? rm(path) : write('10.0.0.1:8000\n<html>\n')),
    close: () => rm(folder, { recursive: true }),
  };
});

/** What a server answers to every request, and which it was asked. */
async function answering() {
  const answer = { status: 200, body: '' };
  const asked: { readonly url: string; readonly authorization: string | undefined }[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ url, authorization: headers.authorization });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { answer, asked, url, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

const dnsHarness = async (port: number | undefined): Promise<ReplicaListHarness> => {
  const server = new DnsServer();
  const resolver = await server.listen();
  const name = port === undefined ? '_http._tcp.vllm.test' : 'vllm.test';
  const asked = { addresses: (of: string) => resolver.resolve4(of), services: (of: string) => resolver.resolveSrv(of) };
  return {
    list: dnsList({ name, port, protocol: 'http' }, asked),
    async put(addresses) {
      server.addresses = addresses;
    },
    async spoil() {
      server.isBroken = true;
    },
    close: () => server.close(),
  };
};
replicaListConformance('dns, addresses', () => dnsHarness(8000));
replicaListConformance('dns, SRV records', () => dnsHarness(undefined));

/** As the API server answers; an endpoint that is not ready, and another port, beside what is listed. */
function endpointSlices(addresses: readonly string[]) {
  const endpoints = addresses.map((address) => ({ addresses: [address], conditions: { ready: true, serving: true } }));
  const ending = { addresses: ['10.9.9.9'], conditions: { ready: false, serving: true, terminating: true } };
  const ports = [
    { name: 'metrics', port: 9090, protocol: 'TCP' },
    { name: 'http', port: 8000, protocol: 'TCP' },
  ];
  const slice = (part: readonly object[]) => ({ addressType: 'IPv4', endpoints: part, ports });
  return { kind: 'EndpointSliceList', items: [slice([...endpoints.slice(0, 1), ending]), slice(endpoints.slice(1))] };
}

async function kubernetesHarness() {
  const { answer, asked, url, close } = await answering();
  const account = await mkdtemp(join(tmpdir(), 'coppice-account-'));
  await writeFile(join(account, 'token'), 'sesame\n');
  await writeFile(join(account, 'namespace'), 'models');
  const list = kubernetesList({ service: 'vllm', port: 'http', protocol: 'http' }, { url, account });
  const harness: ReplicaListHarness = {
    list,
    async put(addresses) {
      answer.body = JSON.stringify(endpointSlices(addresses));
    },
    async spoil(how) {
      if (how === 'gone') answer.status = 403;
      else answer.body = '<html>';
    },
    close: async () => {
      await rm(account, { recursive: true });
      await close();
    },
  };
  return { harness, asked };
}
replicaListConformance('kubernetes', async () => (await kubernetesHarness()).harness);

describe('a list of replicas', () => {
  it("asks for the service's EndpointSlices with the pod's own token, and says what the account lacks", async () => {
    const { harness, asked } = await kubernetesHarness();
    await harness.put(['10.0.0.1']);
    await harness.list.read();
    const selector = 'labelSelector=kubernetes.io%2Fservice-name%3Dvllm';
    const path = '/apis/discovery.k8s.io/v1/namespaces/models/endpointslices';
    expect(asked).toEqual([{ url: `${path}?${selector}`, authorization: 'Bearer sesame' }]);
    await harness.spoil('gone');
    await expect(harness.list.read()).rejects.toThrow('needs the verb list on endpointslices');
    await harness.close();
    expect(() => podApiServer({})).toThrow('this is no pod');
    expect(podApiServer({ KUBERNETES_SERVICE_HOST: 'fd00::1' }).url).toBe('https://[fd00::1]:443');
  });

  it('reads URLs, hosts with ports and JSON lines, and the scheme of a target group', () => {
    const text =
      'https://a.test/v1\n\n# b is away\nc.test:8000\n{"url": "http://d.test"}\n{"targets": ["e.test:1"], "labels": {"__scheme__": "https"}}';
    expect(listedUrls(text, 'it')).toEqual([
      'https://a.test/v1',
      'http://c.test:8000',
      'http://d.test',
      'https://e.test:1',
    ]);
    expect(() => listedUrls('a.test:1\n{"port": 1}', 'it')).toThrow('it, line 2 has {"port":1}');
    expect(() => listedUrls('ftp://a.test', 'it')).toThrow("it lists 'ftp://a.test'");
    const many = Array.from({ length: 1025 }, (_, at) => `a-${at}.test`);
    expect(() => listedUrls(JSON.stringify(many), 'it')).toThrow('it lists 1025 replicas; 1024 is the most');
  });
});
