import { expect, test } from 'vitest';
import { curl } from './curl-command.ts';

test('a question with quotes stays one argument of the shell, and names the key if there is one', () => {
  const asked = { base: 'http://h/v1', model: 'm', question: `what's "this"; $(reboot)` };
  expect(curl({ ...asked, hasKey: true }).split(' \\\n  ')).toEqual([
    'curl http://h/v1/chat/completions',
    "-H 'content-type: application/json'",
    '-H "authorization: Bearer $COPPICE_KEY"',
    `-d '{"model":"m","messages":[{"role":"user","content":"what'\\''s \\"this\\"; $(reboot)"}]}'`,
  ]);
  expect(curl({ ...asked, hasKey: false })).not.toContain('Bearer');
});
