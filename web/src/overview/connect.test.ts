import { expect, test, vi } from 'vitest';
import { curl } from './connect.ts';

test('a question with quotes stays one argument of the shell, and a key is named, never shown', () => {
  vi.stubGlobal('sessionStorage', { getItem: () => 'cpk_secret' });
  const command = curl('http://h/v1', 'm', `what's "this"; $(reboot)`);
  vi.unstubAllGlobals();
  expect(command).toContain(
    `-d '{"model":"m","messages":[{"role":"user","content":"what'\\''s \\"this\\"; $(reboot)"}]}'`,
  );
  expect(command).toContain('Bearer $COPPICE_KEY');
  expect(command).not.toContain('cpk_secret');
});
