// The packed tarball as a stranger gets it: installed into an empty folder, without the source, and run. It is built in a copy of the
// checkout: others use the checkout's own page meanwhile.

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer } from '../support/served.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-pack-'));
const environment = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

function run(command: string, args: readonly string[], cwd = folder): string {
  return execFileSync(command, [...args], {
    cwd,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** All that is not built, installed or hidden. */
function copyCheckout(): string {
  const copy = join(folder, 'checkout');
  const made = ['dist', join('web', 'dist'), 'node_modules', join('lab', 'node_modules')];
  mkdirSync(copy);
  for (const name of readdirSync(process.cwd()).filter((each) => !each.startsWith('.') && !made.includes(each)))
    cpSync(name, join(copy, name), { recursive: true, filter: (path) => !made.includes(path) });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

beforeAll(() => {
  run('npm', ['pack', '--silent', '--pack-destination', folder], copyCheckout());
  const [tarball] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "stranger", "private": true }');
  run('npm', ['install', '--no-fund', '--no-audit', '--silent', join(folder, tarball!)]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('runs the command from an empty folder', () => {
  const coppice = join(folder, 'node_modules', '.bin', 'coppice');
  expect(run(coppice, ['--help'])).toContain('usage: coppice COMMAND');
  expect(run(coppice, ['completion', 'bash'])).toContain('complete -o default -F _coppice coppice');
  const installed = readdirSync(join(folder, 'node_modules', 'coppice'));
  expect(installed).toContain('dist');
  expect(installed).not.toContain('src');
  expect(readdirSync(join(folder, 'node_modules', 'coppice', 'lab'))).toEqual(['docs']);
});

it('brings the pages that its README and its guides link to', () => {
  const packed = join(folder, 'node_modules', 'coppice');
  const pages = [
    'README.md',
    ...readdirSync(join(packed, 'docs', 'guides')).map((name) => join('docs', 'guides', name)),
  ];
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(packed, page), 'utf8').matchAll(/\]\((?!https:)([^)#]+)/g)]
      .filter(([, link]) => !existsSync(join(packed, dirname(page), link!)))
      .map(([, link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it('is a library, typed and with nothing but what its index names', () => {
  const call = `import { openModel, search } from 'coppice';
    const model = await openModel({ engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.65 });
    const { exit } = await search('a question', { model });
    await model.close();
    const inner = await import('coppice/dist/runtime/runtime.js').catch(({ code }) => code);
    const { QuestionModel } = await import('coppice/internals');
    console.log(exit.kind, inner, typeof QuestionModel);`;
  writeFileSync(join(folder, 'call.mjs'), call);
  expect(run('node', ['call.mjs'])).toMatch(/^(accepted|exhausted|futile) ERR_PACKAGE_PATH_NOT_EXPORTED function$/m);
  expect(readdirSync(join(folder, 'node_modules', 'coppice', 'dist', 'library'))).toContain('index.d.ts');
});

it('has types that hold under the strictest settings of others, their own checked too', () => {
  const code = `import { type FoundAnswer, type Manner, openModel, search } from 'coppice';
    const model = await openModel({ engine: { kind: 'sim' } });
    export const found: FoundAnswer = await search('a question', { model, rollouts: 2 });
    export const manner: Manner = { suffix: 'so far', sources: [] };`;
  writeFileSync(join(folder, 'strict.mts'), code);
  const flags = [
    'strict',
    'noUncheckedIndexedAccess',
    'exactOptionalPropertyTypes',
    'noPropertyAccessFromIndexSignature',
  ];
  const more = ['verbatimModuleSyntax', 'isolatedModules', 'noEmit'];
  const tsc = join(process.cwd(), 'node_modules', 'typescript', 'bin', 'tsc');
  const plain = ['--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false', '--types', ''];
  expect(run('node', [tsc, ...plain, ...[...flags, ...more].map((name) => `--${name}`), 'strict.mts'])).toBe('');
});

it('serves the page that the package brings', async () => {
  const main = join(folder, 'node_modules', 'coppice', 'dist', 'cli', 'main.js');
  const server = await startServer({ models: [{ name: 'simulated', engine: { kind: 'sim' } }] }, [], main);
  try {
    const html = await (await fetch(server.url)).text();
    const script = /src="\.\/(assets\/[\w-]+\.js)"/.exec(html)?.[1];
    const response = await fetch(`${server.url}/${script}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  } finally {
    await server.stop();
  }
});
