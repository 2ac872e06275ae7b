// The guides as pages: every block can be tried or says why not, every link leads somewhere, and every page is reached.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../packages/core/src/config/load.ts';
import { guideFolder, guides } from '../support/guide-commands.ts';

/** GitHub's anchors of a page's headings, as far as ours go. */
function anchorsOf(file: string): readonly string[] {
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, words]) => words!);
  return headings.map((words) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(guides)('$page: every link leads somewhere', ({ page, text }) => {
  const links = [...text.matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]*))?\)/g)];
  const broken = links.filter(([, path = '', anchor]) => {
    const file = path === '' ? join(guideFolder, page) : join(guideFolder, path);
    if (!existsSync(file)) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
  expect(broken.map(([link]) => link)).toEqual([]);
  expect(links.length).toBeGreaterThan(0);
});

test('every guide is listed, and nearly every command is tried', () => {
  const list = guides.find(({ page }) => page === 'README.md')!.text;
  expect(guides.filter(({ page }) => page !== 'README.md' && !list.includes(`(${page})`))).toEqual([]);
  const trials = guides.flatMap(({ blocks }) => blocks.map(({ trial }) => trial.kind));
  expect(trials.length).toBeGreaterThan(20);
  expect(trials.filter((kind) => kind === 'not-run').length).toBeLessThanOrEqual(2);
});

test('a command calls coppice as npm does, without the lines of npm in a pipe', () => {
  const scripts = guides.flatMap(({ blocks }) => blocks.map(({ script }) => script));
  expect(scripts.filter((script) => /npm run (?!--silent (?:coppice|lab) -- )/.test(script))).toEqual([]);
});

test('every configuration that a guide has its reader write is one', () => {
  const written = guides.flatMap(({ files }) => [...files].filter(([, text]) => text.includes('"models"')));
  expect(written.map(([name]) => name)).toContain('four-gpus.json');
  for (const [, text] of written)
    expect(loadConfig({ base: JSON.parse(text), environment: {} }).models).toHaveLength(1);
});
