// The packed tarballs as a stranger gets them: installed into an empty folder, without the source, and run; all of them together, and core with
// the simulator alone. They are built in a copy of the checkout: others use the checkout's own page meanwhile.

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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../support/served.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-pack-'));
const whole = join(folder, 'whole');
const small = join(folder, 'small');
const { NODE_OPTIONS: _, ...inherited } = process.env;
const environment = { ...inherited, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
const names = ['core', 'sim', 'papers', 'postgres', 'llama', 'gateway', 'coppice'];

function run(command: string, args: readonly string[], cwd = whole): string {
  return execFileSync(command, [...args], {
    cwd,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** All that is not built, installed or hidden; packages find each other in the copy, and others where they are installed. */
function copyCheckout(): string {
  const copy = join(folder, 'checkout');
  const isMade = (path: string) => /(^|\/)(dist|node_modules|\.cache)$/.test(path);
  mkdirSync(copy);
  for (const name of readdirSync(process.cwd()).filter((each) => !each.startsWith('.') && !isMade(each)))
    cpSync(name, join(copy, name), { recursive: true, filter: (path) => !isMade(path) });
  const installed = join(process.cwd(), 'node_modules');
  mkdirSync(join(copy, 'node_modules', '@coppice'), { recursive: true });
  for (const name of readdirSync(installed).filter((each) => each !== '@coppice' && each !== 'coppice'))
    symlinkSync(join(installed, name), join(copy, 'node_modules', name));
  for (const name of names)
    symlinkSync(
      join(copy, 'packages', name),
      join(copy, 'node_modules', name === 'coppice' ? name : `@coppice/${name}`),
    );
  return copy;
}

/** An empty project with these packages of ours. */
function install(project: string, packed: readonly string[]): void {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "stranger", "private": true }');
  const tarballs = readdirSync(folder).filter((file) =>
    packed.some((name) => new RegExp(`^(coppice-)?${name}-\\d`).test(file)),
  );
  expect(tarballs.length).toBe(packed.length);
  run(
    'npm',
    ['install', '--no-fund', '--no-audit', '--silent', ...tarballs.map((file) => join(folder, file))],
    project,
  );
}

beforeAll(() => {
  const copy = copyCheckout();
  run('npm', ['run', '--silent', 'build'], copy);
  const workspaces = names.map((name) => `--workspace=packages/${name}`);
  run('npm', ['pack', '--silent', '--pack-destination', folder, ...workspaces], copy);
  install(whole, names);
  install(small, ['core', 'sim']);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('all packages', () => {
  it('run the command from an empty folder', () => {
    const coppice = join(whole, 'node_modules', '.bin', 'coppice');
    expect(run(coppice, ['--help'])).toContain('usage: coppice COMMAND');
    for (const name of ['coppice', '@coppice/core', '@coppice/llama']) {
      const installed = readdirSync(join(whole, 'node_modules', name));
      expect(installed).toContain('dist');
      expect(installed).not.toContain('src');
    }
  });

  it('bring a README each, whose links lead somewhere in the repository', () => {
    const broken = names.flatMap((name) => {
      const place = join(whole, 'node_modules', name === 'coppice' ? name : `@coppice/${name}`);
      const links = readFileSync(join(place, 'README.md'), 'utf8').matchAll(/\]\((?!https:)([^)#]+)/g);
      return [...links].map(([, link]) => join('packages', name, link!)).filter((path) => !existsSync(path));
    });
    expect(broken).toEqual([]);
  });

  it('bring the pages, whose links lead somewhere among them', () => {
    const pages = join(whole, 'node_modules', 'coppice', 'dist', 'pages');
    const files = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
    expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/guides/costs.md', 'lab/docs/README.md']));
    const broken = files.flatMap((file) => {
      const links = readFileSync(join(pages, file), 'utf8').matchAll(/\[[^\]]*\]\((?!\w+:|#)([^)#]+)/g);
      return [...links].map(([, link]) => join(pages, file, '..', link!)).filter((path) => !existsSync(path));
    });
    expect(broken).toEqual([]);
  });

  it('are a library, typed and with nothing but what its index names', () => {
    const call = `import { openModel, search } from 'coppice';
    const model = await openModel({ engine: { kind: 'sim', speed: 100 }, verifier: { kind: 'sim' }, threshold: 0.65 });
    const { exit } = await search('a question', { model });
    await model.close();
    const inner = await import('coppice/dist/cli/main.js').catch(({ code }) => code);
    console.log(exit.kind, inner);`;
    writeFileSync(join(whole, 'call.mjs'), call);
    expect(run('node', ['call.mjs'])).toMatch(/^(accepted|exhausted|futile) ERR_MODULE_NOT_FOUND$/m);
  });

  it('have types that hold under the strictest settings of others, their own checked too', () => {
    const code = `import { type FoundAnswer, type Manner, openModel, search } from 'coppice';
    const model = await openModel({ engine: { kind: 'sim' } });
    export const found: FoundAnswer = await search('a question', { model, rollouts: 2 });
    export const manner: Manner = { suffix: 'so far', sources: [] };`;
    writeFileSync(join(whole, 'strict.mts'), code);
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

  it('serve the page that the gateway brings', async () => {
    const main = join(whole, 'node_modules', 'coppice', 'dist', 'cli', 'main.js');
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
});

describe('core and the simulator alone', () => {
  it('bring no native code, no model, no database', () => {
    const installed = readdirSync(join(small, 'node_modules'), { recursive: true, encoding: 'utf8' });
    expect(installed.filter((path) => /\.(node|gguf|so|dylib|dll)$/.test(path))).toEqual([]);
    expect(
      readdirSync(join(small, 'node_modules')).filter((name) => /^(pg|koffi|@node-llama-cpp|coppice)$/.test(name)),
    ).toEqual([]);
  });

  it('say in one line which package an engine needs', () => {
    const call = `import { openModel } from '@coppice/core';
    await openModel({ engine: { kind: 'llama' } }).catch(({ message }) => console.log(message));`;
    writeFileSync(join(small, 'llama.mjs'), call);
    expect(run('node', ['llama.mjs'], small)).toMatch(/^.*'llama'.*npm install @coppice\/llama\n$/);
  });
});
