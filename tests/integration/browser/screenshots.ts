// Makes the pictures of the docs: `npm run screenshots -- URL`, of a server whose first model answers word problems (docs/dashboard.md has
// its configuration). Tree and comparison show the first question below, the overview all of them, at seed 1. A second run finds the
// searches of the first by their idempotency keys.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './chromium.ts';

const folder = join(process.cwd(), 'docs', 'images');
const seed = 1;
const patienceMs = 3_600_000;
const [, , url] = process.argv;
if (url === undefined) throw new Error('of which server? npm run screenshots -- http://127.0.0.1:8181');

/** Ours, in the manner of GSM8K. The first, which the guide asks too, is drawn and compared with a greedy answer. */
const [first, ...others] = [
  'Lena reads 15 pages on each of 6 days and 20 pages on the seventh day. How many pages does she read in the week?',
  'A baker makes 4 trays of 12 rolls each morning. She sells 35 rolls and shares the rest among 13 neighbours. How many rolls does each neighbour get?',
  'A bus has 45 seats. At the first stop 28 people get on, at the second 9 get off and 14 get on. How many seats are free now?',
  'Tom buys 3 notebooks for $4 each and a pen for half the price of a notebook. He pays with a $20 note. How many dollars does he get back?',
] as const;

async function post(key: string, content: string, over: object): Promise<string> {
  const body = { messages: [{ role: 'user', content }], background: true, seed, ...over };
  const headers = { 'content-type': 'application/json', 'idempotency-key': `screenshots-${key}` };
  const response = await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { id: string }).id;
}

async function ended(id: string): Promise<string> {
  for (;;) {
    const search = (await (await fetch(`${url}/v1/searches/${id}`)).json()) as {
      ended_ms: number | null;
      verdict: string;
    };
    if (search.ended_ms !== null) {
      console.log(`${id} ${search.verdict}`);
      return id;
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
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
// Nothing is set, and nobody waits: both would change what the first search is worth.
const searched = await ended(await post('search', first, { model }));
const plain = await ended(await post('greedy', first, { model, coppice: { program: 'greedy' } }));
const more = await Promise.all(others.map((each, at) => post(`other-${at}`, each, { model })));
// The last may still run: what is live is in the picture too.
for (const id of more.slice(0, -1)) await ended(id);

mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
const tree = await openEnded(browser, searched);
await tree.screenshot({ path: join(folder, 'tree.png'), fullPage: true });
await tree.goto(`${url}/#/compare/${plain}/${searched}`);
await tree.locator('.contender .steps').nth(1).waitFor();
await tree.waitForTimeout(1500);
await tree.screenshot({ path: join(folder, 'compare.png'), fullPage: true });
const overview = await openPage(browser, '');
await overview.locator('a.row.recent').nth(3).waitFor({ timeout: patienceMs });
await overview.getByLabel('1 h', { exact: true }).check();
await overview.waitForTimeout(3000);
await overview.screenshot({ path: join(folder, 'overview.png'), fullPage: true });
await browser.close();
