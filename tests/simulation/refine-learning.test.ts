// What learning from one search to the next is worth to refine, in simulated worlds at equal tokens: where repairs do as badly as was
// measured on code with a 1.5B model, where they pay, where they pay for some questions alone, and where the questions become harder.
// Points of searches that pass against fresh answers alone (best-of-n), question by question; they are printed.

import { expect, it } from 'vitest';
import { Random } from '../../packages/core/src/base/random.ts';
import type { Tree } from '../../packages/core/src/tree/tree.ts';
import { createRefine } from '../../packages/papers/src/refine/refine.ts';
import { type RepairWorld, type Searched, searchAll } from '../support/repair-world.ts';

const questions = 2000;
const rollouts = 64;
/** Fitted to fresh answers of those searches: 60 % of the first pass, and 16 % of those after a failure. */
const fresh = [0.54, 0.36] as const;

const worlds: Readonly<Record<string, RepairWorld>> = {
  'repairs as measured': { fresh, repairPasses: (ease, depth) => (depth === 2 ? 0.35 : 0.17) * ease },
  'repairs pay': { fresh, repairPasses: (ease) => Math.max(ease, 0.3) },
  'repairs pay for some': {
    fresh,
    repairPasses: (_ease, _depth, question) => (new Random('kind', question).chance(0.4) ? 0.5 : 0),
  },
};

/** Best-of-n: the same in all worlds, which differ in repairs alone. */
let ofFresh: Searched[] | undefined;
function freshAlone(): Searched[] {
  const create = () => createRefine({ rollouts, maxDepth: 1 });
  ofFresh ??= searchAll(create, () => worlds['repairs as measured']!, { questions, learns: false });
  return ofFresh;
}

/** Mean in points, and half of its 95 % interval. */
function pointsAgainst(base: readonly Searched[], searched: readonly Searched[]) {
  const apart = searched.map(({ passed }, at) => 100 * (Number(passed) - Number(base[at]!.passed)));
  const mean = apart.reduce((sum, each) => sum + each, 0) / apart.length;
  const variance = apart.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (apart.length - 1);
  return { mean, half: 1.96 * Math.sqrt(variance / apart.length) };
}

/** What answers after the first come to: fresh ones, first repairs, repairs of repairs. */
function passRates(searched: readonly Searched[]): string {
  const later = searched.flatMap(({ tree }: { readonly tree: Tree }) => tree.nodes.slice(2));
  const kinds = [1, 2, 3].map((kind) => later.filter(({ depth }) => Math.min(depth, 3) === kind));
  return kinds.map((all) => `${rate(all.filter(({ score }) => score === 1).length, all.length)}`).join(', ');
}

function rate(passed: number, all: number): string {
  return `${((100 * passed) / Math.max(1, all)).toFixed(1)} % of ${all}`;
}

function compare(name: string, posterior: 'gaussian' | 'beta') {
  const world = worlds[name]!;
  const base = freshAlone();
  const [untaught, taught] = [false, true].map((learns) => {
    const searched = searchAll(
      () => createRefine({ rollouts, posterior }),
      () => world,
      { questions, learns },
    );
    const points = pointsAgainst(base, searched);
    const { mean, half } = points;
    const words = `${mean.toFixed(1)} ± ${half.toFixed(1)} points; later answers pass in ${passRates(searched)}`;
    console.log(`${name}, ${posterior}, ${learns ? 'learning' : 'each search alone'}: ${words}`);
    return points;
  });
  return { untaught: untaught!, taught: taught! };
}

it.each(['gaussian', 'beta'] as const)('where repairs are bad, %s comes close to fresh answers alone', (posterior) => {
  const { untaught, taught } = compare('repairs as measured', posterior);
  expect(untaught.mean).toBeLessThan(-3);
  expect(taught.mean).toBeGreaterThan(-1);
});

it.each(['gaussian', 'beta'] as const)('where repairs pay, %s keeps what they gain', (posterior) => {
  const { untaught, taught } = compare('repairs pay', posterior);
  expect(taught.mean - taught.half).toBeGreaterThan(5);
  expect(taught.mean + taught.half).toBeGreaterThan(untaught.mean);
});

it('where repairs pay for some questions alone, a search still finds out for itself', () => {
  const { untaught, taught } = compare('repairs pay for some', 'gaussian');
  expect(taught.mean).toBeGreaterThan(untaught.mean);
  expect(taught.mean + taught.half).toBeGreaterThan(0);
});

it('a world that changes is learned anew', () => {
  const [bad, good] = [worlds['repairs as measured']!, worlds['repairs pay']!];
  const change = questions / 2;
  const world = (at: number) => (at < change ? bad : good);
  const searched = searchAll(() => createRefine({ rollouts }), world, { questions, learns: true });
  const points = (from: number, to: number) => pointsAgainst(freshAlone().slice(from, to), searched.slice(from, to));
  const after = [points(change, change + 250), points(change + 500, questions)];
  const words = after.map(({ mean, half }) => `${mean.toFixed(1)} ± ${half.toFixed(1)} points`);
  console.log(`after repairs have become good: ${words[0]} in the first 250 searches, ${words[1]} after 500`);
  expect(after[1]!.mean).toBeGreaterThan(5);
});

/** Fitted to later answers of HumanEval (several tests; fresh ones score 0.46, repairs 0.35) and of MBPP (one; 0.10 and 0.03). */
const easy: RepairWorld = {
  fresh: [1.05, 0.57],
  passSome: 0.6,
  repairPasses: (ease, depth) => (depth === 2 ? 0.5 : 0.35) * ease,
};
const hard: RepairWorld = { fresh: [0.46, 0.41], repairPasses: (ease, depth) => (depth === 2 ? 0.31 : 0.08) * ease };
/** Where repairs pay in both: the rule must not take harder questions for worse repairs. */
const easyToRepair: RepairWorld = { ...easy, repairPasses: (ease) => Math.max(ease, 0.5) };
const hardToWrite: RepairWorld = { ...hard, repairPasses: (ease) => Math.max(ease, 0.2) };

/** As was run on a model: 160 easy questions, then 500 hard ones, 50 searches at a time. Each run begins with nothing learned. */
function fromEasyToHard(first: RepairWorld, then: RepairWorld, posterior: 'gaussian' | 'beta') {
  const change = 160;
  const worldOf = (at: number) => (at < change ? first : then);
  const runs = Array.from({ length: 6 }, (_, run) => {
    const terms = { questions: 660, from: 10_000 * run, atATime: 50 };
    const base = searchAll(() => createRefine({ rollouts, maxDepth: 1 }), worldOf, { ...terms, learns: false });
    const taught = searchAll(() => createRefine({ rollouts, posterior }), worldOf, { ...terms, learns: true });
    return { base, taught };
  });
  const all = pointsAgainst(
    runs.flatMap(({ base }) => base),
    runs.flatMap(({ taught }) => taught),
  );
  const later = runs.flatMap(({ taught }) => taught.slice(change).flatMap(({ tree }) => tree.nodes.slice(2)));
  const repairs = later.filter(({ depth }) => depth > 1).length;
  const words = `${all.mean.toFixed(1)} ± ${all.half.toFixed(1)} points; of later answers to hard questions are repairs`;
  console.log(`from easy to hard, ${posterior}: ${words} ${rate(repairs, later.length)}`);
  return { ...all, repairs: repairs / later.length };
}

it.each(['gaussian', 'beta'] as const)(
  'when questions become harder, %s does not take old repairs for better ones',
  (posterior) => {
    const { mean, repairs } = fromEasyToHard(easy, hard, posterior);
    expect(mean).toBeGreaterThan(-3);
    expect(repairs).toBeLessThan(0.25);
  },
);

it('when questions become harder and repairs still pay, they are still made', () => {
  const { mean, half } = fromEasyToHard(easyToRepair, hardToWrite, 'gaussian');
  expect(mean - half).toBeGreaterThan(4);
});
