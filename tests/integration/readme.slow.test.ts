// Every command of the README, tried as a reader would: with something real for each placeholder, and in a smaller size
// where the whole would take minutes. A command that cannot be tried that way fails here until this page knows how.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VllmServer } from '../servers/vllm-server.ts';
import { ServedProcess } from '../support/served-process.ts';

const root = join(import.meta.dirname, '..', '..');
const text = readFileSync(join(root, 'README.md'), 'utf8');
const fences = [...text.matchAll(/```(\w*)\n([\s\S]*?)```/g)].flatMap(([, language, body]) =>
  language === 'json' ? [] : [body!],
);
const inline = [...text.matchAll(/`(npm run [^`]+)`/g)].map(([, command]) => command!);

/** Done before any test runs. */
const installed = 'npm install';
/** One per command: lines of a block, where a `curl` goes on to the end of its block. */
const commands = [...new Set([...fences.flatMap(commandsOf), ...inline])].filter((each) => each !== installed);

function commandsOf(block: string): string[] {
  const curl = block.indexOf('curl ');
  const lines = (curl < 0 ? block : block.slice(0, curl)).split('\n');
  const plain = lines.map((line) => line.replace(/\s+#.*$/, '').trim()).filter((line) => /^(npm|npx|node) /.test(line));
  return curl < 0 ? plain : [...plain, block.slice(curl).trim()];
}

/** What makes a command small enough; none where it is. */
const sizes: readonly (readonly [RegExp, string])[] = [
  [/ bench /, ' --range 1-2 --programs greedy,best-of-n --rollouts 2'],
  [/ sim\b/, ' --budget 8 --requests 16 --seeds 1 --setting math500/8b --policy vanilla,positive --load 1p'],
  [/ doctor /, ' --seconds 1'],
  [/ --model /, ' --rollouts 2'],
];

const folder = mkdtempSync(join(tmpdir(), 'coppice-readme-'));
const engine = new VllmServer();
let server: ServedProcess;

beforeAll(async () => {
  await engine.listen();
  server = await ServedProcess.start(['--journal', ':memory:']);
  writeFileSync(join(folder, 'coppice.json'), JSON.stringify({ journal: { path: ':memory:' }, server: { port: 0 } }));
});

afterAll(async () => {
  await server.stop();
  await engine.close();
  rmSync(folder, { recursive: true });
});

function fitted(command: string): string {
  const filled = command
    .replace('"..."', '"make 24 from 4 7 8 8"')
    .replace('FILE.gguf', 'packages/llama/models/sapling.gguf')
    .replace(/ URL\b/, ` ${engine.url}`)
    .replace('coppice.json', join(folder, 'coppice.json'))
    .replaceAll('http://127.0.0.1:8181', server.url)
    .replace(' --full', '');
  const size = sizes.filter(([pattern]) => pattern.test(filled)).map(([, flags]) => flags);
  return filled + size.join('');
}

/** In a process group of its own, so that a server which npm started can be ended when it is ready. */
function run(command: string): Promise<{ status: number | null; said: string }> {
  const environment = { ...process.env, COPPICE__SERVER__PORT: '0', COPPICE__JOURNAL__PATH: ':memory:' };
  const child = spawn('bash', ['-c', command], { cwd: root, env: environment, detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      const wasReady = isReady(said);
      said += piece;
      if (!wasReady && isReady(said)) process.kill(-child.pid!, 'SIGTERM');
    });
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, said })));
}

function isReady(said: string): boolean {
  return / at http:\/\/\S+\s/.test(said);
}

it('are found', () => {
  expect(commands.length).toBeGreaterThan(6);
});

it.each(commands.filter((command) => !/npm test$/.test(command)))('works: %s', async (command) => {
  const { status, said } = await run(fitted(command));
  expect(said).not.toBe('');
  // 3: the small model that stands in for the reader's is unsure.
  if (!isReady(said)) expect([0, 3], said).toContain(status);
});
