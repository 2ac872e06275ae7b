// Makes the pictures of the docs: `npm run screenshots -- URL`, of a server with a model for word problems and countdown puzzles. Tree
// and comparison show the first held-out countdown question of the highest difficulty, the overview the first word problems too, at
// seed 1: none is picked for its looks. A second run finds the searches of the first by their idempotency keys.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './chromium.ts';

const folder = join(process.cwd(), 'docs', 'images');
const seed = 1;
const count = 6;
const patienceMs = 3_600_000;
const [, , url] = process.argv;
if (url === undefined) throw new Error('of which server? npm run screenshots -- http://127.0.0.1:8181');

interface Held {
  readonly question: string;
  readonly difficulty: number;
}

function heldOut(task: string): Held[] {
  const lines = readFileSync(join(process.cwd(), 'tasks', `${task}.test.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Held);
}

const first = heldOut('countdown').reduce((most, each) => (each.difficulty > most.difficulty ? each : most)).question;
const others = heldOut('word-problem')
  .slice(0, count)
  .map(({ question }) => question);

async function post(key: string, content: string, over: object): Promise<string> {
  const body = { messages: [{ role: 'user', content }], background: true, seed, ...over };
  const headers = { 'content-type': 'application/json', 'idempotency-key': `screenshots-${key}` };
  const response = await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { id: string }).id;
}

async function openPage(browser: Browser, place: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(`${url}/${place}`);
  await page.locator('.connection[data-ok=yes]').waitFor();
  return page;
}

/** A search that has ended, with its log drawn. */
async function openEnded(browser: Browser, id: string): Promise<Page> {
  const page = await openPage(browser, `#/search/${id}`);
  await page.locator('.outcome .chip:not(.live)').waitFor({ timeout: patienceMs });
  await page.waitForTimeout(1500);
  return page;
}

const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: [{ id: string }] };
const model = data[0].id;
const searched = await post('search', first, { model });
console.log(`asked ${model}; waiting for ${searched}`);

mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
const tree = await openEnded(browser, searched);
await tree.screenshot({ path: join(folder, 'tree.png'), fullPage: true });
const plain = await post('greedy', first, { model, coppice: { program: 'greedy' } });
await (await openEnded(browser, plain)).close();
await tree.goto(`${url}/#/compare/${plain}/${searched}`);
await tree.locator('.contender .steps').nth(1).waitFor();
await tree.waitForTimeout(1500);
await tree.screenshot({ path: join(folder, 'compare.png'), fullPage: true });
for (const [at, question] of others.entries()) await post(`other-${at}`, question, { model, coppice: { rollouts: 3 } });
const overview = await openPage(browser, '');
await overview.locator('a.row.recent').nth(3).waitFor({ timeout: patienceMs });
await overview.getByLabel('15 min', { exact: true }).check();
await overview.waitForTimeout(3000);
await overview.screenshot({ path: join(folder, 'overview.png'), fullPage: true });
await browser.close();
