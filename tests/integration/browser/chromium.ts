// A real browser for the tests of the page: Debian's Chromium, or the one that COPPICE_CHROMIUM names. Where there is
// none, tests are skipped and say so.

import { existsSync } from 'node:fs';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';

const path = process.env.COPPICE_CHROMIUM ?? '/usr/bin/chromium';

export const hasBrowser = existsSync(path);
if (!hasBrowser)
  console.log(`browser tests are skipped: there is no ${path} (apt-get install chromium, or COPPICE_CHROMIUM)`);

/** How long a page is waited for; Playwright's own half minute is too short where many others use the machine. */
const mostMs = 300_000;

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'], timeout: mostMs });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(mostMs);
    return context;
  };
  return browser;
}

/** What went wrong in a page: errors, and everything that its policy refused, arrive in the list as they happen. */
export function watchProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return problems;
}

export interface FrameTimes {
  readonly frames: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly mostMs: number;
  /** Share of the frames that came within two refreshes of a 60 Hz screen. */
  readonly smooth: number;
  /** Processor time of the page's main thread per frame, which does not depend on who else is using the machine. */
  readonly cpuMs: number;
}

/** Times between animation frames of the page, for a while. */
export async function frameTimes(page: Page, durationMs: number): Promise<FrameTimes> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const startMs = await busyMs(session);
  const gaps = await page.evaluate(
    (lengthMs) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        const begin = performance.now();
        const next = () => {
          times.push(performance.now());
          if (performance.now() - begin < lengthMs) requestAnimationFrame(next);
          else resolve(times.slice(1).map((each, at) => each - times[at]!));
        };
        requestAnimationFrame(next);
      }),
    durationMs,
  );
  const cpuMs = Math.round((((await busyMs(session)) - startMs) / gaps.length) * 10) / 10;
  await session.detach();
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10;
  const smooth = Math.round((gaps.filter((gap) => gap <= 34).length / gaps.length) * 1000) / 1000;
  return { frames: gaps.length, p50Ms: at(0.5), p95Ms: at(0.95), mostMs: at(1), smooth, cpuMs };
}

async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}
