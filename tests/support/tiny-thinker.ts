// A tiny model for the embedded engine that opens a tag after a question and thinks "aaa…" until it is stopped; after the tag it writes 42.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { byteToken, END_OF_SEQUENCE, PAIRS, writeTinyModel } from './tiny-gguf.ts';

const blank = 256 + PAIRS.indexOf('\n\n');
const chains = ['?<t>aa', 's42', '42'];
const next = new Map<number, number>([
  [blank, byteToken('4')],
  [byteToken('2'), END_OF_SEQUENCE],
  ...chains.flatMap((text) => [...text].slice(1).map((to, at) => [byteToken(text[at]!), byteToken(to)] as const)),
]);

/** A question that ends with a question mark. */
export const embeddedQuestion = { messages: [{ role: 'user', content: 'How many?' }] };

/** A model for the configuration; its file lasts until the end of the test. */
export function tinyThinker(contextTokens: number) {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-thinking-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'thinker.gguf');
  const chatTemplate = "{% for m in messages %}{{ m['content'] }}{% endfor %}";
  const logit = (token: number, to: number) => (next.get(token) === to ? 30 : 0);
  writeTinyModel(path, { kind: 'bigram', logit, chatTemplate, contextTokens: 32_768 });
  return {
    engine: { kind: 'llama', model: path, contextTokens, threads: 1 },
    verifier: { kind: 'none' },
    thinkingTags: ['<t>', '</t>'],
    stepPrompt: '',
  };
}
