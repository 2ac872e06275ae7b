// What a stranger looks at in the first minutes, in a real browser: the server over time, the answers that lost, reasons in
// sentences, how to use it from elsewhere, and what the words mean; light and dark, at 1280, 900 and 390 pixels, and by keyboard
// alone. One server and one browser for all of it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../packages/gateway/src/http/keys.ts';
import { type Served, startServer } from '../../support/served.ts';
import { hasBrowser, openBrowser, watchProblems } from './chromium.ts';
import { focused, tabTo } from './keyboard.ts';
import { clippedLabels, faintTexts } from './reading.ts';

const model = { name: 'simulated', engine: { kind: 'sim', speed: 1000 }, verifier: { kind: 'sim' }, threshold: 0.65 };
const plain = { ...model, name: 'unverified', verifier: { kind: 'none' } };
const views = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 900],
  ['light', 390],
  ['dark', 390],
] as const;

async function ask(url: string, question: string, over: object = {}, headers: object = {}): Promise<string> {
  const body = { model: 'simulated', messages: [{ role: 'user', content: question }], ...over };
  const response = await fetch(`${url}/v1/searches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  expect([question, response.status < 300]).toEqual([question, true]);
  return ((await response.json()) as { id: string }).id;
}

describe.skipIf(!hasBrowser)('the first minutes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-first-'));
  const journal = join(folder, 'journal.db');
  let server: Served;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let problems: string[];
  let losing: string;

  const serve = () => startServer({ models: [model, plain], journal: { path: journal } });
  const toOverview = async (visit = page) => {
    await visit.goto(`${server.url}/#/`);
    await visit.locator('.connection[data-ok=yes]').waitFor();
    await visit.locator('.bars rect').first().waitFor();
  };
  const toSearch = async (visit = page, id = losing) => {
    await visit.goto(`${server.url}/#/search/${id}`);
    await visit.locator('.outcome .chip:not(.live)').waitFor();
  };

  beforeAll(async () => {
    [server, browser] = await Promise.all([serve(), openBrowser()]);
    for (const at of [1, 2, 3]) await ask(server.url, `question ${at}`, { coppice: { rollouts: 4, threshold: 0 } });
    losing = await ask(server.url, 'one with many answers', {
      seed: 2,
      coppice: { rollouts: 24, threshold: 1, policy: 'vanilla' },
    });
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    problems = watchProblems(page);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows p50, p99, throughput and exits over a range, and goes on after a restart', async () => {
    const total = async () => (await (await fetch(`${server.url}/v1/history?range=24h`)).json()).total;
    await toOverview();
    expect((await total()).searches).toBe(4);
    // Away from the server that goes, so that no request of the page's is under way to it.
    await page.goto('about:blank');
    await server.stop();
    server = await serve();
    await ask(server.url, 'after the restart', { coppice: { rollouts: 4, threshold: 0 } });
    await toOverview();
    await page.getByRole('radio', { name: '24 h' }).check();
    const panel = page.getByRole('region', { name: 'Over time' });
    await panel.getByText('24 h ago').first().waitFor();
    await panel.getByText(/^5 searches, [\d,.k]+ tokens generated$/).waitFor();
    const { p50_ms, exits } = await total();
    expect(await panel.locator('.value b').first().innerText()).toMatch(p50_ms < 1000 ? `${p50_ms} ms` : / s$/);
    const item = panel.locator('.mix-list li', { hasText: 'accepted' });
    expect(await item.locator('b').innerText()).toBe(String(exits.accepted));
    for (const look of ['bar-p50', 'bar-p99', 'bar-count', 'bar-accepted'])
      expect([look, await panel.locator(`.${look}`).count()]).not.toEqual([look, 0]);
    await page.getByRole('radio', { name: '15 min' }).check();
    await panel.getByText('15 min ago').first().waitFor();
    await page.reload();
    await panel.getByText('15 min ago').first().waitFor();
    expect(await page.getByRole('radio', { name: '15 min' }).isChecked()).toBe(true);
  });

  it('reads a bar out under the pointer, and all of them as a table', async () => {
    await toOverview();
    const bar = page.locator('.bar-count').last();
    await bar.hover();
    await page.locator('.readout', { hasText: /^\d\d:\d\d: \d+ search(es)?, / }).waitFor();
    await page.getByText('Numbers as a table').click();
    const rows = page.getByRole('region', { name: 'History' }).locator('tbody tr');
    const counts = await rows.locator('td:first-of-type').allInnerTexts();
    expect(counts.reduce((sum, each) => sum + Number(each), 0)).toBe(5);
    await page.getByText('What each model has shown').click();
    const models = page.getByRole('region', { name: 'Models' }).locator('tbody tr');
    expect(await models.first().innerText()).toMatch(/\t5\t\d+\.\d\t/);
  });

  it('lists the answers that lost with their scores and why, and shows their paths', async () => {
    await toSearch();
    const rivals = page.getByRole('region', { name: 'Other answers' }).locator('.rival');
    expect(await rivals.count()).toBeGreaterThan(1);
    for (const text of (await rivals.allInnerTexts()).slice(0, 4))
      expect(text).toMatch(/\d\.\d\d[\s\S]*(It scored|paths end in it|was cut at a limit).*\.$/);
    const chosen = await page.locator('.outcome .answer').innerText();
    expect(await rivals.locator('b').allInnerTexts()).not.toContain(chosen);
    await rivals.first().click();
    await page.locator('.details h2', { hasText: /^Node \d+$/ }).waitFor();
    const steps = await page.locator('.details .step-text').allInnerTexts();
    expect(steps.at(-1)).toContain(await rivals.first().locator('b').innerText());
  });

  it('gives reasons as sentences, and numbers only behind a disclosure', async () => {
    await toSearch();
    const why = page.locator('.outcome .why').first();
    expect(await why.innerText()).toMatch(/Stopped( as futile)?: .*\.$/);
    const evidence = page.locator('.outcome .numbers .why');
    expect(await evidence.isVisible()).toBe(false);
    await page.locator('.outcome .numbers summary').click();
    expect(await evidence.innerText()).toMatch(/^exit \w+, rule /);
    await page.locator('.widths > summary', { hasText: 'Strands given and taken' }).click();
    const line = page.locator('.widths li').first();
    expect(await line.locator('> span').innerText()).toMatch(/^(It has|The scheduler|Other searches).*\.$/);
    expect(await line.innerText()).not.toContain('rule');
    await line.locator('summary').click();
    expect(await line.innerText()).toContain('rule');
    await page.getByText('Numbers of this node').click();
    await page.locator('.facts').getByText('mean value Q').waitFor();
  });

  it('caps the list of live searches, and shows all on demand', async () => {
    const listed = Array.from({ length: 30 }, (_, at) => ({
      id: `srch_${at}`,
      title: `live ${at}`,
      model: 'simulated',
      state: 'running',
      primary: 1,
      speculative: 0,
      why: null,
      open_strands: 6,
      nodes: 3,
      rollouts: 1,
      rollout_limit: 8,
      best_score: 0.5,
      threshold: 0.65,
      age_ms: 1000,
    }));
    const frame = await (await fetch(`${server.url}/v1/overview`)).json();
    const body = `event: history\ndata: []\n\nevent: overview\ndata: ${JSON.stringify({ ...frame, searches: { running: 30, listed } })}\n\n`;
    const visit = await context.newPage();
    await visit.route('**/v1/overview/events', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await visit.goto(server.url);
    const rows = visit.locator('.rows a.row:not(.recent)');
    await visit.getByText('30 running, the first 8 shown').waitFor();
    expect(await rows.count()).toBe(8);
    // More strands are open than the search may have now: the number stands beside its bar all the same.
    const [bar, number] = [rows.first().locator('.pips'), rows.first().locator('.row-strands')];
    expect(await rows.first().locator('.row-cell').first().getAttribute('title')).toBe('strands open: 6, 1 allowed');
    expect((await number.boundingBox())!.x).toBeGreaterThanOrEqual((await bar.boundingBox())!.x + 6 * 7);
    await visit.getByRole('button', { name: 'Show 22 more' }).click();
    expect(await rows.count()).toBe(30);
    await visit.close();
  });

  it('asks with the model, program and policy of the box', async () => {
    await toOverview();
    expect(await page.getByLabel('Model', { exact: true }).locator('option').allInnerTexts()).toEqual([
      'simulated',
      'unverified',
    ]);
    expect(await page.getByLabel('Program', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('Model', { exact: true }).selectOption('unverified');
    expect(await page.getByLabel('Program', { exact: true }).locator('option').allInnerTexts()).not.toContain('beam');
    await page.getByLabel('Model', { exact: true }).selectOption('simulated');
    await page.getByLabel('Program', { exact: true }).selectOption('beam');
    await page.getByLabel('Policy', { exact: true }).selectOption('vanilla');
    await page.getByLabel('Question', { exact: true }).fill('by beam search');
    await page.keyboard.press('Enter');
    await page.locator('.about', { hasText: 'simulated · beam · policy vanilla' }).waitFor();
  });

  it('has base URL, model, a command that runs, and the documentation at hand', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await toOverview();
    await page.getByText('Use it from your code').click();
    await page
      .locator('.connect code', { hasText: `${server.url}/v1` })
      .first()
      .waitFor();
    await page.getByLabel('Question', { exact: true }).fill("what's 2 + 2?");
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(`curl ${server.url}/v1/chat/completions`);
    const [, body] = /-d '(.*)'$/s.exec(command) ?? [];
    const sent = JSON.parse(body!.replaceAll("'\\''", "'"));
    expect(sent).toEqual({ model: 'simulated', messages: [{ role: 'user', content: "what's 2 + 2?" }] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(sent),
    });
    expect(answer.status).toBe(200);
    await page.getByRole('link', { name: 'Documentation of this server' }).click();
    await page.getByRole('heading', { name: 'Documentation of this server' }).waitFor();
    await page.getByText('POST /v1/chat/completions').waitFor();
    await page.getByText('a completed path is accepted from this score on').waitFor();
  });

  it('explains strand, futile, goodput and Q to pointer and keyboard, inside of the window', async () => {
    await toSearch();
    await page.getByText('Numbers of this node').click();
    const meaning = page.locator('.meaning');
    for (const [name, words] of [
      ['strand', 'One line of work'],
      ['futile', 'below the threshold'],
      ['goodput', 'speed that led to an answer'],
      ['mean value Q', 'The mean score'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).first().hover();
      await meaning.filter({ hasText: words }).waitFor();
      const box = (await meaning.boundingBox())!;
      expect([name, box.x >= 0 && box.x + box.width <= 1280 && box.y >= 0]).toEqual([name, true]);
      await page.mouse.move(5, 5);
      await meaning.waitFor({ state: 'hidden' });
    }
    await page.reload();
    await page.locator('.outcome .chip').waitFor();
    await tabTo(page, '.legend .term');
    await meaning.waitFor();
    await page.keyboard.press('Escape');
    await meaning.waitFor({ state: 'hidden' });
  });

  it('is used by keyboard alone, with the focus always in sight', async () => {
    const own = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const visit = await own.newPage();
    await toOverview(visit);
    await tabTo(visit, 'textarea');
    await visit.keyboard.type('typed without a pointer');
    await tabTo(visit, '.choice select');
    await visit.keyboard.press('ArrowDown');
    expect(await visit.getByLabel('Model', { exact: true }).inputValue()).toBe('unverified');
    await visit.keyboard.press('ArrowUp');
    await tabTo(visit, '.connect summary');
    await visit.keyboard.press('Enter');
    await visit.locator('.connect pre').waitFor();
    await tabTo(visit, 'input[name=range]');
    expect((await focused(visit)).seen).toBe(true);
    await visit.keyboard.press('ArrowRight');
    await visit.getByText('6 h ago').first().waitFor();
    await tabTo(visit, 'a.row.recent');
    expect((await focused(visit)).seen).toBe(true);
    await visit.keyboard.press('Enter');
    await visit.locator('.outcome .chip').waitFor();
    await visit.goto(`${server.url}/#/search/${losing}`);
    await visit.locator('h1', { hasText: 'one with many answers' }).waitFor();
    await visit.locator('.outcome .chip').waitFor();
    await tabTo(visit, '.rival');
    await visit.keyboard.press('Enter');
    await visit.locator('.details h2', { hasText: /^Node/ }).waitFor();
    await tabTo(visit, '.widths > summary');
    await visit.keyboard.press('Space');
    await visit.locator('.widths li').first().waitFor();
    await own.close();
  });

  it.each(views)('has whole labels and paths that can be read, %s and %d pixels wide', async (colorScheme, width) => {
    const own = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const visit = await own.newPage();
    const check = async (place: string) => {
      expect([place, await visit.evaluate(() => document.documentElement.scrollWidth)]).toEqual([place, width]);
      expect([place, await clippedLabels(visit)]).toEqual([place, []]);
      expect([place, await faintTexts(visit)]).toEqual([place, []]);
    };
    await toOverview(visit);
    await visit.getByText('Use it from your code').click();
    await visit.getByText('Numbers as a table').click();
    await check('overview');
    await toSearch(visit);
    for (const name of ['Numbers', 'Numbers of this node'])
      await visit.getByText(name, { exact: true }).first().click();
    await check('search');
    // The chosen path is as tall as it is: nothing around it cuts it off, and no box of its own scrolls.
    const cut = await visit.locator('.details').evaluate((details) => {
      const last = details.getBoundingClientRect();
      for (let at = details.parentElement; at !== null && at !== document.body; at = at.parentElement) {
        const { overflowY } = getComputedStyle(at);
        if (overflowY !== 'visible' && at.getBoundingClientRect().bottom < last.bottom - 1) return at.className;
      }
      return undefined;
    });
    expect(cut).toBeUndefined();
    await visit.goto(`${server.url}/#/reference`);
    await visit.locator('.reference').waitFor();
    await check('reference');
    await own.close();
  });

  it('shows nothing of the page behind the question for a key, and the page after it', async () => {
    const { key, hash } = newKey();
    const locked = await startServer({ models: [model], keys: [{ name: 'me', hash }] });
    try {
      const own = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
      const visit = await own.newPage();
      await visit.goto(locked.url);
      await visit.getByRole('dialog').waitFor();
      expect(await visit.locator('main').innerText()).toMatch(/^This server asks for an API key/);
      expect(await visit.locator('main .overview, main .list, main [data-old]').count()).toBe(0);
      expect(await faintTexts(visit)).toEqual([]);
      await visit.keyboard.press('Escape');
      await visit.getByRole('dialog').waitFor({ state: 'hidden' });
      await tabTo(visit, 'main button');
      await visit.keyboard.press('Enter');
      // What is typed before the field has the focus is lost.
      await visit.getByRole('dialog').locator('input:focus').waitFor();
      await visit.keyboard.type(key);
      await visit.keyboard.press('Enter');
      await visit.locator('.connection[data-ok=yes]').waitFor();
      await visit.getByRole('region', { name: 'Over time' }).waitFor();
      await own.close();
    } finally {
      await locked.stop();
    }
  });

  it('had no error and no refusal of its policy in all of this', () => {
    expect(problems).toEqual([]);
  });
});
