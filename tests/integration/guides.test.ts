// The guides as pages: every block can be tried or says why not, and every page is reached; and every link of any page leads somewhere.

import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../packages/core/src/config/load.ts';
import { guides } from '../support/guide-commands.ts';
import { textOf, trackedFiles } from '../support/source-files.ts';

const pages = trackedFiles.filter((file) => file.endsWith('.md'));

/** Blocks of code hold no links, and comments of a shell are no headings. */
function proseOf(page: string): string {
  return textOf(page).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** GitHub's anchors of a page's headings, as far as ours go. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, words]) => words!);
  return headings.map((words) =>
    words
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinksOf(page: string): readonly string[] {
  const links = [
    ...proseOf(page)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)]*))?\)/g),
  ];
  const broken = links.filter(([, path = '', anchor]) => {
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    return !existsSync(file) || (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor));
  });
  return broken.map(([link]) => `${page} ${link}`);
}

test('every link of every page leads somewhere', () => {
  expect(pages.length).toBeGreaterThan(200);
  expect(pages.flatMap(brokenLinksOf)).toEqual([]);
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
