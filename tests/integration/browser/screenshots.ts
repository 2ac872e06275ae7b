// Makes the pictures of the docs: `npm run screenshots`. The overview shows a made-up load on the simulated engine; tree and
// comparison show the first question of the held-out countdown set whose difficulty is the highest, at seed 1, to the
// default model. No seed and no question is picked for its looks, and what the searches find is not compared.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Random } from '../../../src/base/random.ts';
import { startServer } from '../../support/served.ts';
import { openBrowser } from './chromium.ts';

const folder = join(process.cwd(), 'docs', 'images');
const question = hardest(join(process.cwd(), 'tasks', 'countdown.test.jsonl'));
const seed = 1;

function hardest(file: string): string {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as { question: string; difficulty: number });
  return all.reduce((most, each) => (each.difficulty > most.difficulty ? each : most)).question;
}

const phrases: readonly ((random: Random) => string)[] = [
  (random) => `How many numbers below ${100 + random.integer(900)} have exactly ${3 + random.integer(6)} divisors?`,
  (random) =>
    `Find the remainder of ${2 + random.integer(8)}^${20 + random.integer(80)} divided by ${11 + random.integer(40)}.`,
  (random) => `A triangle has sides ${5 + random.integer(9)}, ${9 + random.integer(4)} and 13. What is its area?`,
  (random) => `In how many ways can ${4 + random.integer(5)} people sit around a table?`,
  (random) => `Solve x^2 - ${3 + random.integer(9)}x + ${1 + random.integer(9)} = 0.`,
  (random) => `What is the sum of the first ${20 + random.integer(80)} odd numbers?`,
];

async function post(url: string, content: string, over: object): Promise<string> {
  const body = { messages: [{ role: 'user', content }], background: true, ...over };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) });
  return ((await response.json()) as { id: string }).id;
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(url);
  await page.locator('.connection[data-ok=yes]').waitFor();
  return page;
}

/** Questions arrive at random for a while, more of them in the middle. */
async function takeOverview(browser: Browser): Promise<void> {
  const model = { name: 'simulated', engine: { kind: 'sim', speed: 0.7 }, verifier: { kind: 'sim' }, threshold: 0.65 };
  const examples = [
    { title: 'Easy', question: 'What is 17 times 23?' },
    { title: 'Needs search', question: 'How many days are in a leap year?' },
  ];
  const server = await startServer({ models: [{ ...model, budget: 96, policy: 'boost', examples }] });
  const page = await openPage(browser, server.url);
  const random = new Random('screenshots', 7);
  for (let second = 0; second < 60; second += 1) {
    const count = Math.round(random.exponential(second > 12 && second < 24 ? 5 : 2.4));
    for (let at = 0; at < count; at += 1) {
      const phrase = phrases[random.integer(phrases.length)]!;
      await post(server.url, phrase(random), { model: 'simulated', reasoning_effort: 'high' });
    }
    await page.waitForTimeout(1000);
  }
  await page.screenshot({ path: join(folder, 'overview.png') });
  await page.close();
  await server.stop();
}

/** The same question by search, and by greedy decoding. */
async function takeSearches(browser: Browser): Promise<void> {
  const server = await startServer({});
  const { data } = (await (await fetch(`${server.url}/v1/models`)).json()) as { data: [{ id: string }] };
  const common = { model: data[0].id, seed };
  const id = await post(server.url, question, common);
  const page = await openPage(browser, `${server.url}/#/search/${id}`);
  await page.locator('.outcome .chip:not(.live)').waitFor({ timeout: 240_000 });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, 'tree.png') });
  const plain = await post(server.url, question, { ...common, coppice: { program: 'greedy', policy: 'positive' } });
  await page.goto(`${server.url}/#/compare/${plain}/${id}`);
  await page.locator('.contender .steps').nth(1).waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, 'compare.png') });
  await page.close();
  await server.stop();
}

mkdirSync(folder, { recursive: true });
const browser = await openBrowser();
await takeOverview(browser);
await takeSearches(browser);
await browser.close();
