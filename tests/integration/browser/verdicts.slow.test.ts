// What the page says of an answer in a real browser: an attempt below the threshold never looks like an answer, the list
// of ended searches comes from the server and can be filtered, a simulated engine is named, and a dead server is noticed.

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Loose } from '../../support/loose.ts';
import { type Served, startServer } from '../../support/served.ts';
import { hasBrowser, openBrowser } from './chromium.ts';

const model = {
  name: 'simulated',
  engine: { kind: 'sim', speed: 1000 },
  verifier: { kind: 'sim' },
  policy: 'positive',
};

async function ended(url: string, question: string, coppice: object): Promise<string> {
  const messages = [{ role: 'user', content: question }];
  const body = { model: 'simulated', messages, coppice };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

const sizeOf = (page: Page) =>
  page.locator('.outcome .answer').evaluate((line) => Number.parseFloat(getComputedStyle(line).fontSize));

describe.skipIf(!hasBrowser)('verdicts on the page', () => {
  let server: Served;
  let browser: Browser;
  let page: Page;
  let bad: string;
  let good: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ models: [model] }), openBrowser()]);
    bad = await ended(server.url, 'a question that is too hard', { program: 'self-consistency', rollouts: 1 });
    good = await ended(server.url, 'a question that is easy', { threshold: 0, rollouts: 2 });
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('sets an unsure attempt apart from an answer', async () => {
    await page.goto(`${server.url}/#/search/${good}`);
    await page.locator('.outcome .chip', { hasText: '✓ accepted' }).waitFor();
    await page.locator('.outcome .verdict', { hasText: /^Score 0\.\d+, threshold 0\.$/ }).waitFor();
    const answer = await sizeOf(page);
    await page.goto(`${server.url}/#/search/${bad}`);
    await page.locator('.outcome .chip', { hasText: '? unsure' }).waitFor();
    await page
      .locator('.outcome .verdict', { hasText: /^One sample; about \d+ % of such answers are right\.$/ })
      .waitFor();
    expect(await sizeOf(page)).toBeLessThan(answer * 0.7);
  });

  it('says the verdict once', async () => {
    for (const [id, word] of [
      [good, 'accepted'],
      [bad, 'unsure'],
    ] as const) {
      await page.goto(`${server.url}/#/search/${id}`);
      await page.locator('.outcome .chip:not(.live)').waitFor();
      const said = (await page.locator('.outcome').innerText()).match(/accepted|unsure/g);
      expect(said).toEqual([word]);
    }
    await page.goto(`${server.url}/#/`);
    await page.locator('a.row.recent').nth(1).waitFor();
    for (const row of await page.locator('a.row.recent').allInnerTexts())
      expect(row.match(/accepted|unsure/g)).toHaveLength(1);
  });

  it('lists what ended before it was opened, by verdict and by words', async () => {
    await page.goto(`${server.url}/#/`);
    const rows = page.locator('a.row.recent');
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(2);
    await page.getByLabel('Verdict').selectOption('unsure');
    expect(await rows.allTextContents()).toEqual([expect.stringMatching(/\?unsure.*too hard/)]);
    await page.getByLabel('Words to look for').fill('easy');
    expect(await rows.count()).toBe(0);
    await page.getByText('None of the last 2 is like that.').waitFor();
    await page.getByLabel('Verdict').selectOption('every verdict');
    expect(await rows.allTextContents()).toEqual([expect.stringMatching(/✓accepted.*easy/)]);
  });

  it('shows each of several choices with its own verdict', async () => {
    const messages = [{ role: 'user', content: 'a question with several answers' }];
    const body = { model: 'simulated', messages, n: 3, coppice: { threshold: 0.5, rollouts: 16, policy: 'vanilla' } };
    const headers = { 'content-type': 'application/json' };
    const asked = { method: 'POST', headers, body: JSON.stringify(body) };
    const { choices, coppice } = (await (await fetch(`${server.url}/v1/chat/completions`, asked)).json()) as Loose;
    expect(choices.length).toBeGreaterThan(1);
    await page.goto(`${server.url}/#/search/${coppice.search}`);
    await page.locator('.outcome .choice').first().waitFor();
    const shown = await page.locator('.outcome .choice').allTextContents();
    expect(shown.map((each) => /given, ([^:]*):/.exec(each)?.[1])).toEqual(
      coppice.choices.slice(1).map(({ verdict }: Loose) => verdict),
    );
  });

  it('says that the engine is simulated, and that the server is gone', async () => {
    await page.getByText('simulated engine: answers mean nothing').waitFor();
    await page.locator('.connection[data-ok=yes]').waitFor();
    await server.stop();
    await page.getByText('not connected: what is shown is old').waitFor();
    expect(await page.locator('main').getAttribute('data-old')).toBe('yes');
  });
});
