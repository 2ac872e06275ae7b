// The overview and the comparison in a real browser: idle and with searches, by keyboard alone, on a narrow and on a dark
// page, with labels that are whole and can be read, and with numbers that are the server's own.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SampleJson } from '../../../packages/gateway/src/wire/overview-json.ts';
import { type Served, startServer } from '../../support/served.ts';
import { until } from '../../support/until.ts';
import { hasBrowser, openBrowser, watchProblems } from './chromium.ts';
import { tabTo } from './keyboard.ts';
import { clippedLabels, faintTexts } from './reading.ts';

const model = { name: 'simulated', engine: { kind: 'sim', speed: 1000 }, verifier: { kind: 'sim' }, threshold: 0.65 };

interface Found {
  readonly id: string;
  readonly answer: string | null;
  readonly summary: { readonly nodes: number; readonly tokens: number };
}

async function ended(url: string, question: string, over: object = {}): Promise<Found> {
  const body = { model: 'simulated', messages: [{ role: 'user', content: question }], coppice: over };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return (await response.json()) as Found;
}

/** What a page is sent as it connects. */
async function firstEvents(url: string): Promise<{ samples: readonly SampleJson[] }> {
  const response = await fetch(`${url}/v1/overview/events`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: overview')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  return { samples: JSON.parse(/event: history\ndata: (.*)/.exec(text)?.[1] ?? '[]') };
}

describe.skipIf(!hasBrowser)('the overview in a browser', () => {
  let server: Served;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  const searches: Found[] = [];

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ models: [model] }), openBrowser()]);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    problems = watchProblems(page);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('says at rest that all is well and nothing runs', async () => {
    await page.goto(server.url);
    await page.getByText('Nothing is running. Ask something.').waitFor();
    await page.getByText('Nothing has ended yet.').waitFor();
    const health = page.getByLabel('Health').locator('li');
    expect(await health.allTextContents()).toEqual([
      expect.stringMatching(/^✓simulated: engine sim0 running, 0 waiting/),
      expect.stringMatching(/^✓verifier sim0 waiting/),
      expect.stringMatching(/^✓journal sqlite/),
    ]);
  });

  it('lists what ended with answer and numbers as the API has them, in the order that is wanted', async () => {
    for (const [at, rollouts] of [2, 24, 8].entries())
      searches.push(await ended(server.url, `question ${at}`, { rollouts, threshold: 1, policy: 'vanilla' }));
    await page.goto(`${server.url}/#/`);
    const rows = page.locator('a.row.recent');
    await rows.nth(2).waitFor();
    for (const { id, answer, summary } of searches) {
      const cells = await page.locator(`a.row.recent[href="#/search/${id}"] > span`).allTextContents();
      expect(cells[2]).toBe(answer ?? '–');
      expect(cells[4]).toBe(summary.nodes.toLocaleString('en'));
    }
    await page.getByLabel('Order').selectOption('most nodes');
    const byNodes = searches.toSorted((a, b) => b.summary.nodes - a.summary.nodes).map(({ id }) => `#/search/${id}`);
    expect(await rows.evaluateAll((all) => all.map((each) => each.getAttribute('href')))).toEqual(byNodes);
    await page.goto(`${server.url}/#/search/${searches[1]!.id}`);
    await page.locator('.outcome .chip:not(.live)').waitFor();
    const nodes = page.locator('.figures div', { hasText: 'nodes' }).locator('dd');
    expect(await nodes.textContent()).toBe(searches[1]!.summary.nodes.toLocaleString('en'));
  });

  it('compares two searches, by keyboard alone', async () => {
    await page.goto(`${server.url}/#/`);
    await page.locator('a.row.recent').nth(2).waitFor();
    await tabTo(page, '.recent-line input');
    await page.keyboard.press('Space');
    await tabTo(page, '.recent-line input:not(:checked)');
    await page.keyboard.press('Space');
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Shift+Tab');
      if (await page.evaluate(() => document.activeElement?.textContent === 'Compare')) break;
    }
    await page.keyboard.press('Enter');
    await page.locator('.contender').nth(1).waitFor();
    const row = page.locator('tr', { hasText: 'nodes' }).locator('td');
    const [first, second] = [searches[2]!, searches[1]!].map(({ summary }) => summary.nodes);
    const shown = [first, second].map((nodes) => nodes!.toLocaleString('en'));
    // Each log comes page by page.
    await expect.poll(() => row.allTextContents()).toEqual([...shown, expect.stringMatching(/^× [\d.]+$/)]);
  });

  it('shows the best path through the node under the pointer', async () => {
    await page.goto(`${server.url}/#/search/${searches[1]!.id}`);
    await page.locator('.outcome .chip:not(.live)').waitFor();
    const box = (await page.locator('.tree canvas').boundingBox())!;
    const tip = page.locator('.tip', { hasText: 'best path through it: score' });
    for (let share = 0.05; share < 0.95 && !(await tip.isVisible()); share += 0.01)
      await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.75);
    expect(await tip.locator('li.here').count()).toBeLessThanOrEqual(1);
    expect(await tip.locator('li').count()).toBeGreaterThan(1);
  });

  it('draws what happened before it was opened', async () => {
    // The server notes how it stands every five seconds.
    await until(async () => (await firstEvents(server.url)).samples.length > 0);
    const openedMs = Date.now();
    const { samples } = await firstEvents(server.url);
    expect(samples[0]).toMatchObject({ total: 32, used: expect.any(Number) });
    expect(samples[0]!.at_ms).toBeLessThanOrEqual(openedMs);
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
    ['dark', 400],
  ] as const)('has whole labels that can be read, %s and %d pixels wide', async (colorScheme, width) => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const visit = await context.newPage();
    const places = ['', `search/${searches[1]!.id}`, `compare/${searches[0]!.id}/${searches[1]!.id}`];
    for (const place of places) {
      await visit.goto(`${server.url}/#/${place}`);
      await visit
        .locator(place === '' ? 'a.row.recent' : '.tree canvas')
        .first()
        .waitFor();
      await visit.locator('.connection[data-ok=yes]').waitFor();
      expect(await visit.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await clippedLabels(visit)).toEqual([]);
      expect(await faintTexts(visit)).toEqual([]);
    }
    await context.close();
  });

  it('refuses to compare what is not there, in one line', async () => {
    expect(problems).toEqual([]);
    await page.goto(`${server.url}/#/compare/srch_nothing/${searches[0]!.id}`);
    await page.getByText('These searches cannot be compared: ').waitFor();
  });
});
