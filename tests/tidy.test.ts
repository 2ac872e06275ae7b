// Tidiness as a test: imports run one way along the street and in no circle, a word is one thing, the pure folders are pure, every
// file says what it is, and the repository speaks of coppice alone. Lengths are told, never judged.

import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  circles,
  codeOf,
  functionLengths,
  importsOf,
  packagesOf,
  textOf,
  trackedFiles,
  typesOf,
} from './support/source-files.ts';

const core: readonly string[] = ['answer', 'cost', 'tree', 'log', 'program', 'exit', 'scheduler', 'policy', 'task'];

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
  papers: ['program', 'exit', 'log', 'tree', 'answer', 'config'],
  task: ['answer'],
  remote: [],
  engine: ['tree', 'cost', 'remote'],
  verifier: ['tree', 'cost', 'engine', 'remote', 'task', 'answer'],
  embedder: ['answer', 'remote'],
  journal: ['log', 'tree'],
  cluster: ['journal', 'log', 'tree', 'config'],
  export: ['log', 'tree'],
  runtime: [...core, 'engine', 'verifier', 'embedder', 'journal'],
  testing: ['log', 'tree', 'program', 'engine', 'verifier', 'embedder', 'journal'],
  config: [...core, 'engine', 'verifier', 'journal'],
  answering: [...core, 'remote', 'engine', 'verifier', 'embedder', 'runtime', 'config'],
  gateway: [...core, 'remote', 'engine', 'verifier', 'embedder', 'runtime', 'config', 'journal', 'answering'],
  library: [...core, 'engine', 'verifier', 'embedder', 'runtime', 'config', 'answering', 'export'],
  bench: [...core, 'remote', 'engine', 'verifier', 'embedder', 'journal', 'runtime', 'config', 'answering'],
  cli: [
    ...core,
    'papers',
    'remote',
    'engine',
    'verifier',
    'embedder',
    'runtime',
    'config',
    'journal',
    'cluster',
    'answering',
    'gateway',
    'bench',
    'export',
    'library',
  ],
};

/** `coppice/internals` is a list of what the lab needs, from anywhere; no folder may import it. */
const internals = 'internals';
const labEntryPoints: readonly string[] = ['coppice', 'coppice/internals'];

/** What the page may import of src/: what folds a log, and the shapes that the server writes. */
const openToPage = /^src\/(base|answer|tree|log|gateway\/wire)\//;

const impurities: readonly [RegExp, string][] = [
  [/\basync\b|\bawait\b|\bPromise\b/, 'asynchrony'],
  [/\bDate\b|\bperformance\b|\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b/, 'a clock'],
  [/\bMath\.random\b|\brandomUUID\b/, 'ambient chance'],
  [/\bprocess\b/, 'the environment'],
  [/\bconsole\b/, 'logging'],
  [/from 'node:/, 'IO'],
];

const isTest = (file: string) => file.endsWith('.test.ts');
const sources = trackedFiles.filter((file) => /^src\/.*\.ts$/.test(file));
const code = sources.filter((file) => !isTest(file));
const labFiles = trackedFiles.filter((file) => /^lab\/src\/.*\.ts$/.test(file));
const labCode = labFiles.filter((file) => !isTest(file));
const page = trackedFiles.filter((file) => /^web\/src\/.*\.ts$/.test(file) && !isTest(file));

function folderOf(file: string): string {
  return file.split('/')[1]!;
}

/** What each of them imports of the others, by file or by folder. */
function graph(files: readonly string[], place: (file: string) => string): Map<string, Set<string>> {
  const known = new Set(files);
  const edges = new Map(files.map((file) => [place(file), new Set<string>()]));
  for (const file of files) {
    for (const to of importsOf(file)) {
      if (known.has(to) && place(to) !== place(file)) edges.get(place(file))!.add(place(to));
    }
  }
  return edges;
}

function groups<Value>(values: readonly Value[], key: (value: Value) => string): [string, Value[]][] {
  return [...Map.groupBy(values, key)];
}

describe('the street', () => {
  it('is known in every folder', () => {
    expect([...new Set(sources.map(folderOf))].filter((folder) => !(folder in street) && folder !== internals)).toEqual(
      [],
    );
  });

  it('runs one way: `street` above says which folders a folder of src/ may import', () => {
    const held = code.filter((file) => folderOf(file) !== internals);
    const wrong = held.flatMap((file) => {
      const from = folderOf(file);
      const allowed = [...street[from]!, from, 'base'];
      return importsOf(file)
        .filter((target) => target.startsWith('src/') && !allowed.includes(folderOf(target)))
        .map((to) => `${file} imports ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  it('never leads from src/ out of src/', () => {
    const out = code.flatMap((file) =>
      importsOf(file)
        .filter((to) => !to.startsWith('src/'))
        .map((to) => `${file} imports ${to}`),
    );
    expect(out).toEqual([]);
  });

  it('never leads from src/ or the page to the lab, not in a test either', () => {
    const inLab = [...sources, ...page].flatMap((file) =>
      importsOf(file)
        .filter((to) => to.startsWith('lab/'))
        .map((to) => `${file} imports ${to}`),
    );
    expect(inLab).toEqual([]);
  });

  it('is closed to the lab, which imports `coppice` and `coppice/internals` alone', () => {
    const byPath = labFiles.flatMap((file) =>
      importsOf(file)
        .filter((to) => !to.startsWith('lab/') && !(isTest(file) && to.startsWith('tests/')))
        .map((to) => `${file} imports ${to}`),
    );
    const byName = labFiles.flatMap((file) =>
      packagesOf(file)
        .filter((name) => /^coppice\b/.test(name) && !labEntryPoints.includes(name))
        .map((name) => `${file} imports ${name}`),
    );
    expect([...byPath, ...byName]).toEqual([]);
  });

  it('is open to the page as far as log, tree, answer, base and gateway/wire', () => {
    const wrong = page.flatMap((file) =>
      importsOf(file)
        .filter((to) => to.startsWith('src/') && !openToPage.test(to))
        .map((to) => `${file} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('carries types alone from gateway/wire to the page, which has no use for the schemas', () => {
    expect(page.filter((file) => /^import (?!type ).*gateway\/wire\//m.test(textOf(file)))).toEqual([]);
  });

  it('has no circle of files, `import type` included: move the shared type below both', () => {
    expect(circles(graph([...code, ...page, ...labCode], (file) => file))).toEqual([]);
  });

  it('has no circle of folders, a folder and its parent included: move what joins them into a folder of its own', () => {
    expect(circles(graph([...code, ...page], dirname))).toEqual([]);
  });
});

describe('every folder', () => {
  it('of src/ and lab/src/ says in a README.md what lives there', () => {
    const mute = groups([...code, ...labCode.filter((file) => dirname(file) !== 'lab/src')], dirname).filter(
      ([folder]) => !trackedFiles.includes(`${folder}/README.md`),
    );
    expect(mute.map(([folder]) => `${folder} has no README.md: a few lines that say what it is`)).toEqual([]);
  });
});

describe('the map in docs/architecture.md', () => {
  const page = textOf('docs/architecture.md');
  const rows = [...page.matchAll(/^(\w+)\/ +(.*)$/gm)].map(([, folder = '', about = '']) => ({ folder, about }));
  const isThere = (path: string) => trackedFiles.some((file) => file === path || file.startsWith(`${path}/`));

  it('has every folder of src/, and none that is gone', () => {
    const folders = new Set(trackedFiles.flatMap((file) => /^src\/(\w+)\//.exec(file)?.[1] ?? []));
    expect(new Set(rows.map(({ folder }) => folder))).toEqual(new Set([...folders, 'web']));
    const below = rows
      .filter(({ folder }) => folder !== 'web')
      .flatMap(({ folder, about }) =>
        [...about.matchAll(/(?<![\w/'])([a-z]+)\//g)].map(([, name]) => `src/${folder}/${name}`),
      );
    expect(below.length).toBeGreaterThan(10);
    expect(below.filter((path) => !isThere(path))).toEqual([]);
  });

  it('names files that exist', () => {
    const files = [...page.matchAll(/`((?:\w[\w-]*\/)+[\w.-]+\.ts)`/g)].map(([, name]) => name!);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !isThere(file) && !isThere(`src/${file}`))).toEqual([]);
  });
});

describe('a word', () => {
  it('is one thing: no type that a file of src/, web/ or lab/ exports has the name of a type in another', () => {
    const defined = [...code, ...page, ...labCode].flatMap((file) => typesOf(file).map((type) => ({ ...type, file })));
    const twice = groups(defined, ({ name }) => name).filter(
      ([, places]) => places.length > 1 && places.some(({ exported }) => exported),
    );
    expect(twice.map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`)).toEqual([]);
  });
});

describe('the pure folders', () => {
  it('have no clock, chance, environment, IO, logging or asynchrony', () => {
    const found = code
      .filter((file) => core.includes(folderOf(file)) || folderOf(file) === 'papers')
      .flatMap((file) => {
        const words = codeOf(file);
        return impurities.filter(([pattern]) => pattern.test(words)).map(([, what]) => `${file} uses ${what}`);
      });
    expect(found).toEqual([]);
  });
});

describe('every source file', () => {
  it('opens by saying what it is', () => {
    const mute = [...code, ...labCode].filter((file) => !/^(#!.*\n)?\/\/ /.test(textOf(file)));
    expect(mute).toEqual([]);
  });

  it('has its length told, and is never failed for it', () => {
    const lengths = [...code, ...page].flatMap(functionLengths).sort((a, b) => a - b);
    const at = (share: number) => lengths[Math.floor(share * (lengths.length - 1))];
    const files = [...code, ...page].map((file) => [textOf(file).split('\n').length, file] as const);
    const longest = files.sort(([a], [b]) => b - a).slice(0, 3);
    console.log(
      `functions: ${at(0.5)} lines in the median, ${at(0.9)} at the 90th percentile, ${at(1)} at most; longest files: ${longest.map(([lines, file]) => `${file} ${lines}`).join(', ')}`,
    );
    expect(lengths.length).toBeGreaterThan(1000);
  });

  it('is in one hand: constants in camelCase, shapes as interfaces, steps as `+= 1`', () => {
    const habits: readonly [RegExp, string][] = [
      [/^(?:export )?const [A-Z][A-Z0-9_]+\b/m, 'a constant in capitals'],
      [/^(?:export )?type \w+(?:<.*>)? = \{\n(?!\s*(?:-?readonly )?\[)/m, 'a type where an interface would do'],
      [/\w\]?\+\+|\+\+[\w#]|\w\]?--|--\w/, 'an increment or decrement'],
    ];
    const found = [...code, ...page, ...labCode].flatMap((file) => {
      const words = codeOf(file);
      return habits.filter(([pattern]) => pattern.test(words)).map(([, what]) => `${file} has ${what}`);
    });
    expect(found).toEqual([]);
  });

  it('has a kebab-case name without empty words', () => {
    const named = [...sources, ...labFiles, ...page].filter((file) => {
      return (
        !/^[a-z0-9-]+(\.slow)?(\.test|\.d)?\.ts$/.test(file.split('/').at(-1)!) ||
        /helper|utils|manager|misc|common/.test(file)
      );
    });
    expect(named).toEqual([]);
  });

  it('suppresses nothing and skips no test silently', () => {
    const marks = /@ts-(ignore|nocheck|expect-error)|as any\b|\.only\(|\.todo\(|FIXME/;
    const marked = [...sources, ...labFiles, ...page, ...trackedFiles.filter((file) => /^tests\/.*\.ts$/.test(file))]
      .filter((file) => file !== 'tests/tidy.test.ts')
      .filter((file) => marks.test(textOf(file)));
    expect(marked).toEqual([]);
  });
});

describe('the repository', () => {
  it('has a front page of at most 120 lines', () => {
    expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('names no registry and holds no secret', () => {
    const texts = trackedFiles.filter(
      (file) => /\.(ts|md|json|py|svelte|html|yaml|toml|css)$/.test(file) && file !== 'tests/tidy.test.ts',
    );
    const wrong = /"resolved": "http|BEGIN [A-Z ]*PRIVATE KEY|sk-[A-Za-z0-9]{20}/;
    expect(texts.filter((file) => wrong.test(textOf(file)))).toEqual([]);
  });
});
