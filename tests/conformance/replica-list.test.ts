// Every list of replicas against a real file and name server, on loopback.

import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dnsList } from '../../packages/core/src/engine/remote/list/dns.ts';
import { fileList } from '../../packages/core/src/engine/remote/list/file.ts';
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

describe('a list in a file', () => {
  it('has URLs and hosts with ports, and fails as a whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-list-'));
    const read = async (text: string) => {
      await writeFile(join(folder, 'list'), text);
      return fileList(join(folder, 'list')).read();
    };
    expect(await read('https://a.test/v1\n\n# b is away\n c.test:8000\n')).toEqual([
      'https://a.test/v1',
      'http://c.test:8000',
    ]);
    await expect(read('a.test:1\nftp://a.test')).rejects.toThrow("lists 'ftp://a.test'");
    const many = Array.from({ length: 1025 }, (_, at) => `a-${at}.test`);
    await expect(read(many.join('\n'))).rejects.toThrow('lists 1025 replicas; 1024 is the most');
    await rm(folder, { recursive: true });
  });
});
