import { expect, test } from 'vitest';
import { serverName } from './server-name.ts';

test('the same server has one name, however its address is written', () => {
  const name = serverName('http://gpu-1:8000', 'a');
  for (const url of ['http://gpu-1:8000/', 'http://gpu-1:8000/v1', 'http://GPU-1:8000/v1/'])
    expect(serverName(url, 'b')).toBe(name);
  expect(serverName('http://gpu-1:8001', 'a')).not.toBe(name);
  expect(serverName('http://gpu-1:8000/other', 'a')).not.toBe(name);
});

test('an address of the machine itself is another server on every machine', () => {
  for (const url of ['http://localhost:8000', 'http://127.0.0.1:8000', 'http://[::1]:8000']) {
    expect(serverName(url, 'a')).toBe(serverName(url, 'a'));
    expect(serverName(url, 'a')).not.toBe(serverName(url, 'b'));
  }
});
