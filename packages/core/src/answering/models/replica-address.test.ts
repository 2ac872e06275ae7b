import { expect, test } from 'vitest';
import { replicaAddress } from './replica-address.ts';

test('an address of a list says where it is from, and how it is followed', () => {
  const plain = { protocol: 'http', everyMs: 5000 };
  expect(replicaAddress('dns:vllm.models:8000')).toEqual({ from: 'dns', name: 'vllm.models', port: 8000, ...plain });
  expect(() => replicaAddress('dns:models/vllm:http')).toThrow('it must be file:PATH or dns:NAME:PORT');
  const file = { from: 'file', path: '/etc/list.json', protocol: 'https', everyMs: 100 };
  expect(replicaAddress('file:/etc/list.json?protocol=https&everyMs=100')).toEqual(file);
});
