import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const forbidden =
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|javascript:|DOMParser|srcdoc/;

describe('model text', () => {
  it('never becomes markup or code anywhere in the page', () => {
    const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
    const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    expect(sources.length).toBeGreaterThan(20);
    for (const name of sources)
      expect(readFileSync(join(import.meta.dirname, name), 'utf8'), name).not.toMatch(forbidden);
  });
});
