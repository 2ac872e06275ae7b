// The dashboard in a real browser against a real `coppice serve` with the simulated engine: ask, watch, replay, export,
// by pointer and by keyboard, with texts that try to be markup. Frame times are printed, never asserted.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../packages/gateway/src/http/keys.ts';
import { recordSearch } from '../../support/recorded.ts';
import { type Served, startServer } from '../../support/served.ts';
import { frameTimes, hasBrowser, openBrowser, watchProblems } from './chromium.ts';

const evil = '</script><script>alert(1)</script><img src=x onerror="alert(2)">';

function simulated(speed: number, over: object = {}): object {
  const examples = ['What is the least number with 24 divisors?'];
  const engine = { kind: 'sim', speed };
  return {
    models: [
      { name: 'simulated', engine, verifier: { kind: 'sim' }, threshold: 0.65, budget: 256, policy: 'boost', examples },
    ],
    ...over,
  };
}

async function post(url: string, question: string, coppice: object = {}): Promise<string> {
  const body = { model: 'simulated', messages: [{ role: 'user', content: question }], background: true, coppice };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/searches`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
}

/** Presses the button and gives the address of the saved file. */
async function exported(page: Page, folder: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as HTML' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^coppice-srch_\w+\.html$/);
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return pathToFileURL(file).href;
}

/** How many pixels of a canvas are painted. */
function painted(page: Page, selector: string): Promise<number> {
  return page.locator(selector).evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const { data } = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at]! > 0) count += 1;
    return count;
  });
}

/** Ended after the last test, whether the one that started it passed or not. */
const servers: Served[] = [];

async function serve(config: object): Promise<Served> {
  const server = await startServer(config);
  servers.push(server);
  return server;
}

const slider = (page: Page) => page.getByRole('slider');
const eventOf = async (page: Page) => Number(await slider(page).getAttribute('aria-valuenow'));
const lastEventOf = async (page: Page) => Number(await slider(page).getAttribute('aria-valuemax'));

describe.skipIf(!hasBrowser)('the dashboard in a browser', () => {
  let server: Served;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let problems: string[];
  const folder = mkdtempSync(join(tmpdir(), 'coppice-browser-'));

  beforeAll(async () => {
    [server, browser] = await Promise.all([serve(simulated(4)), openBrowser()]);
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    problems = watchProblems(page);
  });

  afterAll(async () => {
    await browser?.close();
    for (const each of servers) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers an example and shows its tree', async () => {
    await page.goto(server.url);
    await page.getByRole('button', { name: /24 divisors/ }).click();
    await page.locator('.outcome .chip:not(.live)').waitFor();
    expect(await page.locator('h1').textContent()).toBe('What is the least number with 24 divisors?');
    expect(await page.locator('.outcome .answer').textContent()).toMatch(/\d/);
    expect(await painted(page, '.tree canvas')).toBeGreaterThan(2000);
    expect(problems).toEqual([]);
  });

  it('replays from the first event, by keys and by itself', async () => {
    await slider(page).focus();
    const end = await lastEventOf(page);
    expect(await eventOf(page)).toBe(end);
    const whole = await painted(page, '.tree canvas');
    await page.keyboard.press('Home');
    expect(await eventOf(page)).toBe(0);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await eventOf(page)).toBe(2);
    await page.keyboard.press('PageUp');
    expect(await eventOf(page)).toBe(22);
    await page.waitForFunction((most) => {
      const canvas = document.querySelector<HTMLCanvasElement>('.tree canvas')!;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((each, at) => at % 4 === 3 && each > 0).length < most;
    }, whole);
    await page.getByLabel('Speed of the replay').selectOption('64');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Replay', exact: true }).waitFor();
    expect(await eventOf(page)).toBe(end);
  });

  it('moves with the pointer over the timeline', async () => {
    const box = (await slider(page).boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 40);
    const middle = await eventOf(page);
    expect(middle).toBeGreaterThan(0);
    expect(middle).toBeLessThan(await lastEventOf(page));
    await page.getByRole('button', { name: 'End', exact: true }).click();
    expect(await eventOf(page)).toBe(await lastEventOf(page));
  });

  it('walks the tree by keys and gives the text of each path', async () => {
    const tree = page.getByRole('application');
    await tree.focus();
    await page.keyboard.press('Home');
    expect(await page.locator('.details h2').textContent()).toBe('Node 0');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('.details .step').count()).toBe(1);
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('.details .step').count()).toBe(2);
    expect(await page.locator('.details .step-text').first().textContent()).not.toBe('');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('.details .step').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('.details h2').textContent()).toBe('Chosen path');
  });

  it('exports one file that opens offline and shows the same', async () => {
    const address = await exported(page, folder);
    const offline = await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 } });
    const copy = await offline.newPage();
    const copyProblems = watchProblems(copy);
    const asked: string[] = [];
    copy.on('request', (request) => asked.push(request.url()));
    await copy.goto(address);
    await copy.locator('.outcome .chip').waitFor();
    for (const selector of ['h1', '.outcome', '.figures', '.where', '.details']) {
      expect(await copy.locator(selector).textContent()).toBe(await page.locator(selector).textContent());
    }
    expect(await lastEventOf(copy)).toBe(await lastEventOf(page));
    expect(await painted(copy, '.tree canvas')).toBeGreaterThan(2000);
    expect(copyProblems).toEqual([]);
    expect(asked).toEqual([address]);
    await offline.close();
  });

  it('shows texts that try to be markup as text, in the page and in the export', async () => {
    const id = await post(server.url, evil, { rollouts: 2 });
    await page.goto(`${server.url}/#/search/${id}`);
    await page.locator('.outcome .chip:not(.live)').waitFor();
    expect(await page.locator('h1').textContent()).toBe(evil);
    const address = await exported(page, folder);
    const copy = await context.newPage();
    const copyProblems = watchProblems(copy);
    await copy.goto(address);
    await copy.locator('.outcome .chip').waitFor();
    expect(await copy.locator('h1').textContent()).toBe(evil);
    expect(await copy.locator('img').count()).toBe(0);
    await page.goto(server.url);
    await page.locator('.row-title', { hasText: 'onerror' }).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect([...problems, ...copyProblems]).toEqual([]);
    await copy.close();
  });

  it('draws formulas and code of a text, and nothing that they could do to the page', async () => {
    const nested = `$${'{'.repeat(900)}x^{${'y^{'.repeat(80)}z${'}'.repeat(80)}}${'}'.repeat(900)}$`;
    const hostile = `$\\href{javascript:alert(1)}{x}$ $\\def\\a{\\a\\a}\\a$ ${nested}`;
    const question = `What is $\\frac{1}{2}$ of \\boxed{8}? ${hostile}\n\`\`\`js\nlet a = "<b>";\n\`\`\``;
    const id = await post(server.url, question, { rollouts: 2 });
    await page.goto(`${server.url}/#/search/${id}`);
    await page.locator('h1 mfrac').waitFor();
    const address = await exported(page, folder);
    const copy = await context.newPage();
    const copyProblems = watchProblems(copy);
    await copy.goto(address);
    await copy.locator('h1 mfrac').waitFor();
    for (const each of [page, copy]) {
      expect(await each.locator('h1 code.block').textContent()).toBe('let a = "<b>";');
      expect(await each.locator('h1 math').count()).toBe(2);
      expect(await each.locator('h1 a, h1 [href], h1 b').count()).toBe(0);
      expect(await each.locator('h1').textContent()).toContain('$\\href{javascript:alert(1)}{x}$');
    }
    expect([...problems, ...copyProblems]).toEqual([]);
    await copy.close();
  });

  it('says what is wrong: a search that is not there, a question that is refused', async () => {
    await page.goto(`${server.url}/#/search/srch_nothing`);
    expect(await page.getByRole('alert').first().textContent()).toMatch(/cannot be shown/);
    await page.goto(`${server.url}/#/`);
    await page.route('**/v1/searches', (route) =>
      route.fulfill({ status: 429, json: { error: { message: 'the queue is full', type: 'rate_limit_error' } } }),
    );
    await page.getByLabel('Question').fill('anything');
    await page.keyboard.press('Enter');
    await page.getByText('the queue is full').waitFor();
    await page.unroute('**/v1/searches');
    problems.length = 0;
  });

  it('goes on with a log from where its connection broke, within an entry', async () => {
    const log = recordSearch({ id: 'srch_cut', seed: 5, rollouts: 6, threshold: 1 });
    const isLast = (at: number) => log[at]!.sequence !== log[at + 1]?.sequence;
    // The last event of an entry alone has an id.
    const lines = log.map(
      (entry, at) => `${isLast(at) ? `id: ${entry.sequence}\n` : ''}event: entry\ndata: ${JSON.stringify(entry)}\n\n`,
    );
    const cut = log.findIndex((_, at) => at >= 20 && !isLast(at)) + 1;
    expect(cut).toBeGreaterThan(20);
    const asked: (string | undefined)[] = [];
    const search = { id: 'srch_cut', state: 'running', model: 'toy', created_ms: 0, ended_ms: null };
    await page.route('**/v1/searches/srch_cut', (route) => route.fulfill({ json: search }));
    await page.route('**/v1/searches/srch_cut/events', async (route) => {
      const last = (await route.request().allHeaders())['last-event-id'];
      asked.push(last);
      const rest = lines.filter((_, at) => log[at]!.sequence > Number(last ?? -1));
      const body = last === undefined ? rest.slice(0, cut).join('') : `${rest.join('')}event: end\ndata: {}\n\n`;
      await route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.goto(`${server.url}/#/search/srch_cut`);
    await page.locator('.outcome .chip:not(.live)').waitFor();
    expect(asked).toEqual([undefined, String(log[cut]!.sequence - 1)]);
    expect(await lastEventOf(page)).toBe(log.length);
    expect(await page.locator('.problem').isVisible()).toBe(false);
  });

  it('says that a search grows which still waited when the page was opened', async () => {
    const log = recordSearch({ id: 'srch_turn', seed: 5, rollouts: 6, threshold: 1 });
    const begun = log.slice(0, log.findIndex(({ event }) => event.type === 'grown') + 1);
    const body = begun
      .map((entry) => `id: ${entry.sequence}\nevent: entry\ndata: ${JSON.stringify(entry)}\n\n`)
      .join('');
    const search = { id: 'srch_turn', state: 'queued', model: 'toy', created_ms: 0, ended_ms: null };
    await page.route('**/v1/searches/srch_turn', (route) => route.fulfill({ json: search }));
    await page.route('**/v1/searches/srch_turn/events', async (route) => {
      const isFirst = (await route.request().allHeaders())['last-event-id'] === undefined;
      // Asked to go on, it has nothing more to say.
      if (isFirst) await route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.goto(`${server.url}/#/search/srch_turn`);
    await page.getByText('growing').waitFor();
  });

  it('replays for readers who want no motion', async () => {
    const own = await browser.newContext({ reducedMotion: 'reduce' });
    const visit = await own.newPage();
    await visit.goto(server.url);
    await visit.locator('a.row').first().click();
    await visit.locator('.outcome .chip').waitFor();
    await visit.getByLabel('Speed of the replay').selectOption('0.25');
    await visit.getByRole('button', { name: 'Replay', exact: true }).click();
    await visit.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await visit.getByRole('button', { name: 'Replay', exact: true }).waitFor();
    expect(await eventOf(visit)).toBe(await lastEventOf(visit));
    await own.close();
  });

  it('cancels a search that grows', async () => {
    const slow = await serve(simulated(0.05));
    const id = await post(slow.url, 'a slow one', { rollouts: 64 });
    await page.goto(`${slow.url}/#/search/${id}`);
    await page.getByText('growing').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.outcome .why', { hasText: 'Stopped: cancelled by the one who asked.' }).waitFor();
  });

  it('says what was grown ahead, within the width of the page', async () => {
    const engine = { kind: 'sim', speed: 4 };
    const { url } = await serve({ models: [{ name: 'simulated', engine, verifier: { kind: 'sim' }, speculate: 4 }] });
    const id = await post(url, 'What is grown ahead?', { policy: 'vanilla', rollouts: 8 });
    await page.goto(`${url}/#/search/${id}`);
    const summary = page.locator('.ahead summary');
    await summary.click();
    expect(await summary.innerText()).toMatch(/^Grown ahead: \d+ of \d+ steps right, [\d,]+ tokens wasted$/);
    expect(await page.locator('.ahead li').allInnerTexts()).toEqual([
      expect.stringMatching(/^tokens\s+[\d,]+ used, [\d,]+ wasted$/),
      expect.stringMatching(/^right, by steps ahead of the tree\s+1:\s\d+\sof\s\d+/),
      expect.stringMatching(/^right, by depth\s+\d:\s\d+\sof\s\d+/),
    ]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });

  it('opens a search by its path', async () => {
    const id = await post(server.url, 'opened by its path');
    await page.goto(`${server.url}/searches/${id}`);
    await page.locator('.outcome .chip').waitFor();
    expect(page.url()).toBe(`${server.url}/#/search/${id}`);
  });

  it('asks for a key where the server wants one', async () => {
    const { key, hash } = newKey();
    const locked = await serve(simulated(0.05, { keys: [{ name: 'me', hash }] }));
    const own = await browser.newContext();
    const visit = await own.newPage();
    await visit.goto(locked.url);
    await visit.getByLabel('API key', { exact: true }).fill(key);
    await visit.getByRole('button', { name: 'Continue' }).click();
    await visit.locator('.connection[data-ok=yes]').waitFor();
    // The key is no admin's: it sees what it asked for itself.
    await visit.getByLabel('Question').fill('asked with a key');
    await visit.keyboard.press('Enter');
    await visit.getByText('growing').waitFor();
    await visit.goto(locked.url);
    await visit.locator('a.row', { hasText: 'asked with a key' }).waitFor();
    await own.close();
  });

  it.each([
    ['phone', 390, 844],
    ['laptop', 1280, 800],
  ])('fits a %s in light and dark', async (_, width, height) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const own = await browser.newContext({ viewport: { width, height }, colorScheme });
      const visit = await own.newPage();
      await visit.goto(server.url);
      await visit.locator('a.row').first().waitFor();
      expect(await visit.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await visit.locator('a.row').first().click();
      await visit.locator('.outcome .chip').waitFor();
      expect(await visit.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await own.close();
    }
  });

  it('answers an example of the default configuration (time printed)', async () => {
    const plain = await serve({});
    const own = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const visit = await own.newPage();
    const startedMs = performance.now();
    await visit.goto(plain.url);
    await visit.locator('.example').first().click();
    await visit.locator('.outcome .chip:not(.live)').waitFor();
    const tookMs = Math.round(performance.now() - startedMs);
    const about = await visit.locator('.about').textContent();
    const outcome = await visit.locator('.outcome').textContent();
    console.log(`first use: ${tookMs} ms from opening the page to the answer (${about}): ${outcome}`);
    expect(await painted(visit, '.tree canvas')).toBeGreaterThan(2000);
    await own.close();
  });

  it('stays smooth with a tree of 2,000 nodes (printed)', async () => {
    const log = recordSearch({ id: 'srch_big', seed: 3, rollouts: 110, threshold: 1, ends: 0.2 });
    const nodes = log.filter(({ event }) => event.type === 'grown' || event.type === 'adopted').length;
    expect(nodes).toBeGreaterThan(1900);
    const search = {
      id: 'srch_big',
      state: 'done',
      title: 'a large tree',
      model: 'toy',
      limits: { threshold: 0.5, rollouts: 110 },
    };
    const lines = log.map((entry) => `id: ${entry.sequence}\nevent: entry\ndata: ${JSON.stringify(entry)}\n\n`);
    await page.route('**/v1/searches/srch_big', (route) =>
      route.fulfill({ json: { ...search, created_ms: 0, ended_ms: 1 } }),
    );
    await page.route('**/v1/searches/srch_big/events', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `${lines.join('')}event: end\ndata: {}\n\n` }),
    );
    await page.goto(`${server.url}/#/search/srch_big`);
    await page.locator('.outcome .chip:not(.live)').waitFor();
    await page.getByLabel('Speed of the replay').selectOption('4');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const growing = await frameTimes(page, 2000);
    await slider(page).focus();
    await page.keyboard.press('End');
    await page.evaluate(() => {
      const line = document.querySelector<HTMLElement>('[role=slider]')!;
      let left = 200;
      const back = () => {
        line.dispatchEvent(
          new KeyboardEvent('keydown', { key: left % 2 === 0 ? 'PageDown' : 'ArrowLeft', bubbles: true }),
        );
        left -= 1;
        if (left > 0) requestAnimationFrame(back);
      };
      requestAnimationFrame(back);
    });
    const scrubbing = await frameTimes(page, 1500);
    console.log(`frames, tree of ${nodes} nodes, ${log.length} events, replayed: ${JSON.stringify(growing)}`);
    console.log(`frames, the same, dragged backwards: ${JSON.stringify(scrubbing)}`);
    expect(growing.frames).toBeGreaterThan(0);
  });

  it('stays smooth with 200 live searches (printed)', async () => {
    const slow = await serve(simulated(0.05));
    await Promise.all(Array.from({ length: 200 }, (_, at) => post(slow.url, `question ${at}`, { rollouts: 64 })));
    await page.goto(slow.url);
    await page.getByRole('button', { name: 'Show 192 more' }).waitFor();
    expect(await page.locator('.rows a.row').count()).toBe(8);
    await page.getByRole('button', { name: 'Show 192 more' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.rows a.row').length >= 200);
    const overview = await frameTimes(page, 2000);
    console.log(`frames, overview of 200 live searches: ${JSON.stringify(overview)}`);
    expect(await page.locator('.rows a.row').count()).toBeGreaterThanOrEqual(200);
  });
});
