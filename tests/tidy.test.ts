// Tidiness as a test: imports run one way along the street, the pure folders are pure, every file says what it is, and
// the repository speaks of coppice alone.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Which folders of src/ a folder may import, besides itself and base/. Siblings are strangers. */
const street: Readonly<Record<string, readonly string[]>> = {
  base: [],
  answer: [],
  cost: [],
  tree: ['answer'],
  log: ['tree'],
  program: ['log', 'tree', 'answer'],
  exit: ['log', 'tree', 'answer'],
  scheduler: ['tree', 'cost'],
  policy: ['program', 'exit', 'scheduler', 'log', 'tree', 'answer'],
  task: ['answer'],
  remote: [],
  engine: ['tree', 'cost', 'remote'],
  verifier: ['tree', 'cost', 'engine', 'remote', 'task', 'answer'],
  journal: ['log', 'tree'],
  runtime: ['log', 'tree', 'answer', 'program', 'exit', 'scheduler', 'policy', 'cost', 'engine', 'verifier', 'journal'],
  config: ['tree', 'answer', 'program', 'exit', 'scheduler', 'policy', 'engine', 'verifier', 'cost', 'journal', 'task'],
  answering: ['*'],
  gateway: ['*'],
  bench: ['*'],
  cli: ['*'],
};

/** Folders that nobody but cli/ may import. */
const tops: readonly string[] = ['gateway', 'bench', 'cli'];

const pure: readonly string[] = ['answer', 'cost', 'tree', 'log', 'program', 'exit', 'scheduler', 'policy', 'task'];

const impurities: readonly [RegExp, string][] = [
  [/\basync\b|\bawait\b|\bPromise\b/, 'asynchrony'],
  [/\bDate\b|\bperformance\b|\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b/, 'a clock'],
  [/\bMath\.random\b|\brandomUUID\b/, 'ambient chance'],
  [/\bprocess\b/, 'the environment'],
  [/\bconsole\b/, 'logging'],
  [/from 'node:/, 'IO'],
];

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '');
const sources = tracked.filter((file) => /^src\/.*\.ts$/.test(file));
const isTest = (file: string) => file.endsWith('.test.ts');

function folderOf(file: string): string {
  return file.split('/')[1]!;
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/from '(\.[^']*)'|import\('(\.[^']*)'\)/g)].map(([, a, b]) =>
    normalize(join(dirname(file), (a ?? b)!)),
  );
}

/** Code without comments, strings and the patterns of regular expressions left as they are: good enough for words. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, (string) => (string.startsWith("'node:") ? string : "''"));
}

describe('the street', () => {
  it('is known in every folder', () => {
    expect([...new Set(sources.map(folderOf))].filter((folder) => !(folder in street))).toEqual([]);
  });

  it('runs one way', () => {
    const wrong = sources
      .filter((file) => !isTest(file))
      .flatMap((file) => {
        const from = folderOf(file);
        const allowed = [...street[from]!, from, 'base'];
        return importsOf(file)
          .filter((target) => target.startsWith('src/'))
          .map(folderOf)
          .filter((to) =>
            allowed.includes('*') ? tops.includes(to) && to !== from && from !== 'cli' : !allowed.includes(to),
          )
          .map((to) => `${file} imports ${to}/`);
      });
    expect(wrong).toEqual([]);
  });

  it('never leads from src/ out of src/', () => {
    const out = sources
      .filter((file) => !isTest(file))
      .flatMap((file) =>
        importsOf(file)
          .filter((to) => !to.startsWith('src/'))
          .map((to) => `${file} imports ${to}`),
      );
    expect(out).toEqual([]);
  });
});

describe('the pure folders', () => {
  it('have no clock, chance, environment, IO, logging or asynchrony', () => {
    const found = sources
      .filter((file) => pure.includes(folderOf(file)) && !isTest(file))
      .flatMap((file) => {
        const code = codeOf(file);
        return impurities.filter(([pattern]) => pattern.test(code)).map(([, what]) => `${file} uses ${what}`);
      });
    expect(found).toEqual([]);
  });
});

describe('every source file', () => {
  it('opens by saying what it is', () => {
    const mute = sources.filter((file) => !isTest(file) && !/^(#!.*\n)?\/\/ /.test(readFileSync(file, 'utf8')));
    expect(mute).toEqual([]);
  });

  it('is one idea: no more than 500 lines', () => {
    const long = sources.filter((file) => readFileSync(file, 'utf8').split('\n').length > 500);
    expect(long).toEqual([]);
  });

  it('has a kebab-case name without empty words', () => {
    const named = sources.filter((file) => {
      return (
        !/^[a-z0-9-]+(\.slow)?(\.test)?\.ts$/.test(file.split('/').at(-1)!) ||
        /helper|utils|manager|misc|common/.test(file)
      );
    });
    expect(named).toEqual([]);
  });

  it('suppresses nothing and skips no test silently', () => {
    const marks = /@ts-(ignore|nocheck|expect-error)|as any\b|\.only\(|\.todo\(|FIXME/;
    const marked = [...sources, ...tracked.filter((file) => /^tests\/.*\.ts$/.test(file))]
      .filter((file) => file !== 'tests/tidy.test.ts')
      .filter((file) => marks.test(readFileSync(file, 'utf8')));
    expect(marked).toEqual([]);
  });
});

describe('the repository', () => {
  it('names no registry and holds no secret', () => {
    const texts = tracked.filter(
      (file) => /\.(ts|md|json|py|svelte|html|yaml|toml|css)$/.test(file) && file !== 'tests/tidy.test.ts',
    );
    const wrong = /"resolved": "http|BEGIN [A-Z ]*PRIVATE KEY|sk-[A-Za-z0-9]{20}/;
    expect(texts.filter((file) => wrong.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
