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

/** What a package may import of the others. The lab may import them all. */
const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  sim: ['core'],
  papers: ['core'],
  postgres: ['core'],
  llama: ['core'],
  gateway: ['core'],
  coppice: ['core', 'sim', 'papers', 'postgres', 'llama', 'gateway'],
};

const pure: readonly string[] = ['answer', 'cost', 'tree', 'log', 'program', 'exit', 'scheduler', 'policy'];

/** Which folders of packages/core/src/ a folder may import, besides itself and base/. Siblings are strangers. */
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
  remote: [],
  engine: ['tree', 'cost', 'remote'],
  verifier: ['tree', 'cost', 'engine', 'remote', 'answer'],
  embedder: ['answer', 'remote'],
  journal: ['log', 'tree'],
  runtime: [...pure, 'engine', 'verifier', 'embedder', 'journal'],
  testing: ['log', 'tree', 'program', 'exit', 'engine', 'verifier', 'embedder', 'journal'],
  config: [...pure, 'engine', 'verifier', 'journal'],
  answering: [...pure, 'remote', 'engine', 'verifier', 'embedder', 'runtime', 'config'],
  library: [...pure, 'engine', 'verifier', 'embedder', 'runtime', 'config', 'answering'],
};

/** What the page may import: what folds a log, and the shapes that the server writes. */
const openToPage = /^@coppice\/core\/(base|answer|tree|log)$/;

/** Packages that are there on some machines alone, and loaded by name at run time. */
const native = /^@node-llama-cpp\//;

/** What a person imports: everything there is a promise to users. */
const entryPoints: readonly string[] = [
  'packages/core/src/library/index.ts',
  'packages/core/src/testing/index.ts',
  ...Object.keys(packages).map((name) => `packages/${name}/src/index.ts`),
];

const requiresOf = (file: string) => [...textOf(file).matchAll(/\)\('(koffi)'\)/g)].map(([, name]) => name!);

/** `@coppice/core/tree` of packages/core/src/tree/index.ts. */
function specOf(index: string): string {
  const [, name = '', folder] = /^packages\/(\w+)\/src\/(?:(.+)\/)?index\.ts$/.exec(index) ?? [];
  return [name === 'coppice' ? 'coppice' : `@coppice/${name}`, ...(folder === undefined ? [] : [folder])].join('/');
}

function namesIn(index: string): string[] {
  return [...textOf(index).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) => listed(list, 1));
}

/** Each as `@coppice/core/tree Tree`. */
function importedNames(file: string): string[] {
  const text = textOf(file);
  const still = [...text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '([^'.][^']*)'/gm)];
  const later = [...text.matchAll(/\{([^}]*)\} = await import\('([^'.][^']*)'\)/g)];
  return [...still, ...later].flatMap(([, list = '', spec]) => listed(list, 0).map((name) => `${spec} ${name}`));
}

/** The names in braces: as they are called outside (0), or under their new name (1). */
function listed(list: string, side: 0 | 1): string[] {
  return list
    .split(',')
    .map((each) => each.trim().replace(/^type /, ''))
    .filter((each) => each !== '')
    .map((each) => each.split(/ as |: /).at(side === 0 ? 0 : -1)!);
}

const impurities: readonly [RegExp, string][] = [
  [/\basync\b|\bawait\b|\bPromise\b/, 'asynchrony'],
  [/\bDate\b|\bperformance\b|\bsetTimeout\b|\bsetInterval\b|\bsetImmediate\b/, 'a clock'],
  [/\bMath\.random\b|\brandomUUID\b/, 'ambient chance'],
  [/\bprocess\b/, 'the environment'],
  [/\bconsole\b/, 'logging'],
  [/from 'node:/, 'IO'],
];

const isTest = (file: string) => file.endsWith('.test.ts');
const sources = trackedFiles.filter((file) => /^packages\/\w+\/src\/.*\.ts$/.test(file));
const code = sources.filter((file) => !isTest(file));
const labFiles = trackedFiles.filter((file) => /^lab\/src\/.*\.ts$/.test(file));
const labCode = labFiles.filter((file) => !isTest(file));
const page = trackedFiles.filter((file) => /^packages\/gateway\/web\/src\/.*\.ts$/.test(file) && !isTest(file));

const packageOf = (file: string) => /^packages\/(\w+)\//.exec(file)?.[1] ?? '';
const inCore = code.filter((file) => packageOf(file) === 'core');

/** Of a file of core. */
function folderOf(file: string): string {
  return file.split('/')[3]!;
}

/** `core` of `@coppice/core/tree`; undefined where the name is no package of ours. */
function ownPackage(name: string): string | undefined {
  return /^@coppice\/(\w+)/.exec(name)?.[1] ?? (/^coppice(\/|$)/.test(name) ? 'coppice' : undefined);
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

describe('the packages', () => {
  it('are known', () => {
    expect([...new Set(sources.map(packageOf))].sort()).toEqual(Object.keys(packages).sort());
  });

  it('import each other one way and by name, as `packages` above says', () => {
    const wrong = [...code, ...page].flatMap((file) => {
      const from = packageOf(file);
      const byPath = importsOf(file).filter((to) => packageOf(to) !== from);
      const byName = packagesOf(file).filter((name) => {
        const to = ownPackage(name);
        return to !== undefined && !packages[from]!.includes(to);
      });
      return [...byPath, ...byName].map((to) => `${file} imports ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  it('name in package.json what they import, and nothing else', () => {
    for (const name of Object.keys(packages)) {
      const { dependencies = {}, optionalDependencies = {} } = JSON.parse(textOf(`packages/${name}/package.json`));
      const named = Object.keys({ ...dependencies, ...optionalDependencies }).filter((each) => !native.test(each));
      const imported = code
        .filter((file) => packageOf(file) === name)
        .flatMap((file) => [...packagesOf(file), ...requiresOf(file)])
        .filter((each) => !each.startsWith('node:') && each !== 'vite')
        .map((each) => each.split('/', each.startsWith('@') ? 2 : 1).join('/'));
      expect([...new Set(imported)].sort(), name).toEqual(named.sort());
    }
  });

  it('are open to the lab by name alone', () => {
    const byPath = labFiles.flatMap((file) =>
      importsOf(file)
        .filter((to) => !to.startsWith('lab/') && !(isTest(file) && to.startsWith('tests/')))
        .map((to) => `${file} imports ${to}`),
    );
    expect(byPath).toEqual([]);
  });

  it('never lead to the lab, not in a test either', () => {
    const inLab = [...sources, ...page].flatMap((file) =>
      importsOf(file)
        .filter((to) => to.startsWith('lab/'))
        .map((to) => `${file} imports ${to}`),
    );
    expect(inLab).toEqual([]);
  });

  it('export what others use: no name of an index.ts is for nobody, and at most 150 are for the lab alone', () => {
    const users = [...code, ...page, ...labFiles, ...trackedFiles.filter((file) => /^examples\/.*\.ts$/.test(file))];
    const exported = code
      .filter((file) => /\/index\.ts$/.test(file) && !entryPoints.includes(file))
      .flatMap((file) => namesIn(file).map((name) => ({ name, spec: specOf(file) })));
    const used = (list: readonly string[]) => new Set(list.flatMap((file) => importedNames(file)));
    const byAll = used(users);
    const byProduct = used([...code, ...page]);
    const key = ({ spec, name }: { spec: string; name: string }) => `${spec} ${name}`;
    expect(exported.map(key).filter((each) => !byAll.has(each))).toEqual([]);
    const forLab = exported.map(key).filter((each) => !byProduct.has(each));
    expect(forLab.length, forLab.join('\n')).toBeLessThanOrEqual(150);
  });
});

describe('the street', () => {
  it('is known in every folder of core', () => {
    const known = new Set([...Object.keys(street)]);
    expect([...new Set(inCore.map(folderOf))].filter((folder) => !known.has(folder))).toEqual([]);
  });

  it('runs one way: `street` above says which folders a folder of core may import', () => {
    const wrong = inCore.flatMap((file) => {
      const from = folderOf(file);
      const allowed = [...street[from]!, from, 'base'];
      return importsOf(file)
        .filter((target) => packageOf(target) === 'core' && !allowed.includes(folderOf(target)))
        .map((to) => `${file} imports ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  it('is open to the page as far as log, tree, answer, base and the wire', () => {
    const wrong = page.flatMap((file) => [
      ...packagesOf(file).filter((name) => ownPackage(name) !== undefined && !openToPage.test(name)),
      ...importsOf(file).filter((to) => to.startsWith('packages/gateway/src/') && !/\/src\/wire\//.test(to)),
    ]);
    expect(wrong).toEqual([]);
  });

  it('carries types alone from the wire to the page, which has no use for the schemas', () => {
    expect(page.filter((file) => /^import (?!type ).*src\/wire\//m.test(textOf(file)))).toEqual([]);
  });

  it('has no circle of files, `import type` included: move the shared type below both', () => {
    expect(circles(graph([...code, ...page, ...labCode], (file) => file))).toEqual([]);
  });

  it('has no circle of folders, a folder and its parent included: move what joins them into a folder of its own', () => {
    const inner = [...code, ...page].filter((file) => !file.endsWith('/index.ts'));
    expect(circles(graph(inner, dirname))).toEqual([]);
  });
});

/** True for a path below the README's folder or one above it, in core, or from the root. */
function isBeside(readme: string, name: string): boolean {
  const folder = dirname(readme);
  const inside = /^packages\/\w+$/.test(folder) ? `${folder}/src` : folder;
  const above = inside.split('/').map((_, depth, all) => `${all.slice(0, depth).join('/')}/${name}`.replace(/^\//, ''));
  const paths = [...above, `packages/core/src/${name}`];
  return trackedFiles.some(
    (file) =>
      (file.startsWith(`${inside}/`) && `${file}/`.includes(`/${name.replace(/\/$/, '')}/`)) ||
      paths.some((path) => `${file}/`.startsWith(path.endsWith('/') ? path : `${path}/`)),
  );
}

describe('every folder', () => {
  it('of a package and of lab/src/ says in a README.md what lives there', () => {
    const mute = groups([...code, ...labCode.filter((file) => dirname(file) !== 'lab/src')], dirname).filter(
      ([folder]) => !trackedFiles.includes(`${folder.replace(/^(packages\/\w+)\/src$/, '$1')}/README.md`),
    );
    expect(mute.map(([folder]) => `${folder} has no README.md: a few lines that say what it is`)).toEqual([]);
  });

  it('of a package names in its README.md files and folders that are there', () => {
    const readmes = trackedFiles.filter((file) => /^packages\/\w+\/.*README\.md$/.test(file));
    const absent = readmes.flatMap((file) => {
      const names = [...textOf(file).matchAll(/`((?:[\w-]+\/)*(?:[\w.-]+\.ts|[\w-]+\/))`/g)].map(([, name]) => name!);
      return names.filter((name) => !isBeside(file, name)).map((name) => `${file} names ${name}`);
    });
    expect(absent).toEqual([]);
  });
});

describe('a folder', () => {
  it('has at most 12 files of its own, tests aside: more are two ideas', () => {
    const crowded = groups(code, dirname).filter(([, files]) => files.length > 12);
    expect(crowded.map(([folder]) => folder)).toEqual([]);
  });
});

describe('the map in docs/architecture.md', () => {
  const page = textOf('docs/architecture.md');
  const isThere = (path: string) => trackedFiles.some((file) => file === path || file.startsWith(`${path}/`));

  it('has every package and every folder of core, and none that is gone', () => {
    for (const name of Object.keys(packages)) expect(page).toContain(`packages/${name}`);
    const rows = [...page.matchAll(/^(\w+)\/ +(.*)$/gm)].map(([, folder = '']) => folder);
    expect(new Set(rows)).toEqual(new Set(inCore.map(folderOf)));
  });

  it('names files that exist', () => {
    const files = [...page.matchAll(/`((?:\w[\w-]*\/)+[\w.-]+\.ts)`/g)].map(([, name]) => name!);
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !isThere(file) && !isThere(`packages/core/src/${file}`))).toEqual([]);
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
      .filter((file) => packageOf(file) === 'papers' || (packageOf(file) === 'core' && pure.includes(folderOf(file))))
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

  it('names in its comments files that are there', () => {
    const absent = [...code, ...page, ...labCode].flatMap((file) => {
      const comments = textOf(file).match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? [];
      const names = comments.flatMap((line) => line.match(/(?<![\w./*-])(?:[\w-]+\/)*[a-z][\w-]*\.ts\b/g) ?? []);
      return names
        .filter((name) => !trackedFiles.some((each) => `/${each}`.endsWith(`/${name}`)))
        .map((name) => `${file} names ${name}`);
    });
    expect(absent).toEqual([]);
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
