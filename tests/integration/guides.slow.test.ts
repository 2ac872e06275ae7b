// Every command of the guides, run as a reader would type it, in a folder that looks like the repository, so that what a
// command writes stays out of it. A port of the server's own stands in for 8181.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuideBlock, guides } from '../support/guide-commands.ts';
import { ServedProcess } from '../support/served-process.ts';

const root = join(import.meta.dirname, '..', '..');

let folder: string;
let server: ServedProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-guides-'));
  for (const name of readdirSync(root)) {
    if (!name.startsWith('.')) symlinkSync(join(root, name), join(folder, name));
  }
  server = await ServedProcess.start(['--journal', join(folder, '.coppice', 'journal.db')]);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** A script in a process group of its own, so that a server which npm started can be ended with it. */
function start(script: string): ChildProcess {
  const environment = { ...process.env, COPPICE__SERVER__PORT: '0', COPPICE__JOURNAL__PATH: ':memory:' };
  return spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: folder, env: environment, detached: true });
}

function listen(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (text) => {
      said += String(text);
    });
  }
  return () => said;
}

async function runToEnd(script: string, status: number): Promise<void> {
  const child = start(script);
  const said = listen(child);
  const [code] = await once(child, 'close');
  expect(code, `${script}\n${said()}`).toBe(status);
  expect(said().length).toBeGreaterThan(0);
}

async function runUntilReady(script: string): Promise<void> {
  const child = start(script);
  const said = listen(child);
  const ended = once(child, 'close');
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout!.on('data', () => /at http:\/\/\S+\s/.test(said()) && resolve());
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${said()}`)));
  });
  await ready;
  process.kill(-child.pid!, 'SIGTERM');
  await ended;
}

async function attempt({ trial, script }: GuideBlock): Promise<void> {
  switch (trial.kind) {
    case 'ends':
      return runToEnd(script, trial.status);
    case 'until-ready':
      return runUntilReady(script);
    case 'beside-server':
      return runToEnd(script.replaceAll('http://127.0.0.1:8181', server.url), 0);
    case 'not-run':
      return;
  }
}

describe.each(guides.filter(({ blocks }) => blocks.length > 0))('$page', ({ blocks, files }) => {
  beforeAll(() => {
    for (const [file, text] of files) writeFileSync(join(folder, file), text);
  });

  afterAll(() => {
    for (const file of files.keys()) rmSync(join(folder, file));
  });

  it.each(blocks.filter(({ trial }) => trial.kind !== 'not-run'))('$script', attempt);
});
