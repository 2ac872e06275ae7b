import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isStale } from './page.ts';

test('a page is rebuilt when a source is newer, and never if there are no sources', () => {
  const web = mkdtempSync(join(tmpdir(), 'coppice-page-'));
  onTestFinished(() => rmSync(web, { recursive: true }));
  const [source, built] = [join(web, 'src', 'deep', 'a.ts'), join(web, 'dist', 'index.html')];
  for (const file of [source, built]) {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '');
  }
  for (const at of [join(web, 'src'), join(web, 'src', 'deep')]) utimesSync(at, 5, 5);
  utimesSync(source, 5, 5);
  utimesSync(built, 10, 10);
  expect(isStale(web, built)).toBe(false);
  utimesSync(source, 20, 20);
  expect(isStale(web, built)).toBe(true);
  expect(isStale(join(web, 'dist', 'none'), built)).toBe(false);
});
