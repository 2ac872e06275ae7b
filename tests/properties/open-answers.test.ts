// Answers in the model's own words, grouped while a search runs: what holds whoever is faster, whatever fails, and wherever the
// process died.

import '../support/property-seed.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meaningOf } from '../../packages/core/src/answer/groups.ts';
import { cosine } from '../../packages/core/src/answer/likeness.ts';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import { isTreeEvent } from '../../packages/core/src/log/events.ts';
import { createPolicy } from '../../packages/core/src/policy/create.ts';
import { programOf } from '../../packages/core/src/program/registry/programs.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { redrive } from '../support/redrive.ts';
import { essence, type OpenSetting, run, type Setting } from '../support/toy-run.ts';

const words = ['the disk was full', 'a lock was held', 'the key had expired'] as const;

/** What a path says follows from its text: one of three meanings, in one of five ways. */
function extract(text: string): string {
  return `${words[hash(text) % words.length]} ${'abcde'[hash('own', text) % 5]!.repeat(3)}`;
}

/** Three meanings at right angles, each text a little beside its own. */
function clustered(text: string): number[] {
  const meaning = words.findIndex((each) => text.startsWith(each));
  const random = new Random('beside', text);
  return words.map((_, at) => (at === meaning ? 1 : 0) + 0.1 * random.normal(0, 1));
}

/** Anywhere: near is not transitive. */
function scattered(text: string): number[] {
  const random = new Random('anywhere', text);
  return [random.normal(0, 1), random.normal(0, 1)];
}

const open: OpenSetting = { extract, vectorOf: clustered, similarity: 0.8 };
const vanilla = createPolicy('vanilla').rules;
const sampling = { temperature: 1 };
const size = { rollouts: 8, branching: 3, maxDepth: 6, sampling, choose: 'majority', prompts: {} } as const;
const names = ['self-consistency', 'mcts', 'beam', 'rebase'] as const;

function settingOf(name: (typeof names)[number], seed: number, weather: number, speculative = 0): Setting {
  const definition = programOf(name);
  const options = Object.fromEntries(Object.entries(definition.options).map(([key, knob]) => [key, knob.default!]));
  const create = () => definition.create(size, options);
  return { create, seed, weather, width: { primary: 6, speculative }, rules: vanilla, open };
}

const drawn = {
  name: fc.constantFrom(...names),
  seed: fc.integer({ min: 0, max: 1000 }),
  weather: fc.integer({ min: 0, max: 1000 }),
};

/** Whose trees do not depend on who was faster. */
const levelwise = fc.constantFrom('beam', 'rebase');

/** Which ends of paths are together, by what they are. */
function partition(tree: Tree): string[] {
  const groups = Map.groupBy(
    tree.nodes.filter(({ group }) => group !== undefined),
    ({ group }) => group,
  );
  return [...groups.values()]
    .map((members) =>
      members
        .map(({ key }) => key)
        .sort()
        .join(' '),
    )
    .sort();
}

describe('groups of open answers', () => {
  it('are those of the meanings where near is transitive, whoever was faster', () => {
    fc.assert(
      fc.property(levelwise, drawn.seed, drawn.weather, drawn.weather, (name, seed, weather, other) => {
        const [one, two] = [weather, other].map((each) => run(settingOf(name, seed, each)));
        expect(partition(one!.tree)).toEqual(partition(two!.tree));
        for (const { answer, group } of one!.tree.nodes) {
          if (group === undefined) continue;
          const founder = one!.tree.nodeOf(group)!;
          expect(founder.answer!.slice(0, 12)).toBe(answer!.slice(0, 12));
        }
        expect(essence(one!).answer.support).toBeCloseTo(essence(two!).answer.support!, 10);
      }),
      { numRuns: 40 },
    );
  });

  it('hold otherwise what the log says: near the first member, and first members not near each other', () => {
    fc.assert(
      fc.property(drawn.name, drawn.seed, drawn.weather, fc.nat(3), (name, seed, weather, speculative) => {
        const setting = settingOf(name, seed, weather, speculative);
        const { tree, events } = run({ ...setting, open: { ...open, vectorOf: scattered } });
        const founders: number[][] = [];
        let grouped = 0;
        for (const { key, answer, group } of tree.nodes) {
          if (group === undefined) continue;
          grouped += 1;
          const vector = scattered(answer!);
          if (group === key) {
            for (const founder of founders) expect(cosine(vector, founder)).toBeLessThan(0.8);
            founders.push(vector);
          } else {
            expect(cosine(vector, scattered(tree.nodeOf(group)!.answer!))).toBeGreaterThanOrEqual(0.8);
          }
        }
        expect(grouped).toBe(tree.nodes.filter(({ answer }) => answer !== undefined).length);
        // What was decided stands in the log: nobody is asked again.
        const replayed = Tree.replay(events.filter(isTreeEvent));
        expect(replayed.nodes.map(meaningOf)).toEqual(tree.nodes.map(meaningOf));
        expect(redrive(setting.create(), events)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it('go on from a log wherever it ends: what was decided stays, and is asked for again only to be compared with', () => {
    fc.assert(
      fc.property(
        drawn.name,
        drawn.seed,
        drawn.weather,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, seed, weather, share) => {
          const setting = settingOf(name, seed, weather);
          const whole = run(setting).events.filter(isTreeEvent);
          const from = whole.slice(0, 1 + Math.floor(share * (whole.length - 1)));
          const known = Tree.replay(from).nodes.filter(({ group }) => group !== undefined);
          const { tree, embedder, result } = run({ ...setting, from });
          expect(result.exit.kind).toBe('exhausted');
          for (const { id, group } of known) expect(tree.node(id).group).toBe(group);
          for (const { answer, group } of tree.nodes) if (answer !== undefined) expect(group).toBeDefined();
          const again = new Set(known.filter(({ group, key }) => group !== key).map(({ answer }) => answer!));
          expect(embedder!.texts.filter((text) => again.has(text))).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('count as one answer in votes and certainty', () => {
    const { tree, result } = run(settingOf('self-consistency', 3, 1));
    const samples = tree.nodes.filter(({ group }) => group !== undefined).reduce((sum, { count }) => sum + count, 0);
    const sizes = [
      ...Map.groupBy(
        tree.nodes.filter(({ group }) => group),
        ({ group }) => group,
      ).values(),
    ].map((members) => members.reduce((sum, { count }) => sum + count, 0));
    expect(tree.answers.answers).toBe(samples);
    const entropy = sizes.reduce((sum, each) => sum - (each / samples) * Math.log(each / samples), 0);
    expect(tree.answers.agreement).toBeCloseTo(1 - entropy / Math.log(samples), 10);
    expect(sizes.length).toBeLessThan(samples);
    expect(result.answer!.support).toBeGreaterThan(1 / samples);
  });

  it('cost one vector for every text, and the ledger says so', () => {
    const { embedder, result } = run(settingOf('mcts', 5, 2));
    expect(new Set(embedder!.texts).size).toBe(embedder!.texts.length);
    expect(result.cost.embedderTexts).toBeGreaterThan(0);
    expect(result.cost.embedderTexts).toBeLessThanOrEqual(embedder!.texts.length);
  });
});

describe('an embedder that fails', () => {
  it('changes nothing but the groups: the search is the one that nobody groups', () => {
    fc.assert(
      fc.property(fc.constantFrom('self-consistency', 'beam'), drawn.seed, drawn.weather, (name, seed, weather) => {
        const setting = settingOf(name, seed, weather);
        const broken = run({ ...setting, open: { ...open, misfortune: { fail: 1, untilMs: Number.MAX_VALUE } } });
        const { rules, create, width } = setting;
        const plain = run({ create, width, seed, weather, ...(rules && { rules }), open: { ...open, similarity: 1 } });
        expect(broken.tree.nodes.every(({ group }) => group === undefined)).toBe(true);
        expect(essence(broken).nodes).toEqual(essence(plain).nodes);
        expect(broken.result.cost.embedderTexts).toBeUndefined();
      }),
      { numRuns: 25 },
    );
  });

  it('that fails now and then leaves some answers to their words, and every search ends', () => {
    fc.assert(
      fc.property(drawn.name, drawn.seed, drawn.weather, (name, seed, weather) => {
        const misfortune = { fail: 0.5, double: 0.3, delayMs: 50, untilMs: Number.MAX_VALUE };
        const { result, tree } = run({ ...settingOf(name, seed, weather, 2), open: { ...open, misfortune } });
        expect(result.exit.kind).toBe('exhausted');
        expect(tree.strands.size).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  it('that is slower than the deadline keeps no answer from it', () => {
    const slow = { ...open, misfortune: { delayMs: 1e6 } };
    const { result, tree } = run({ ...settingOf('self-consistency', 1, 1), open: slow, deadlineMs: 500 });
    expect(result.exit.kind).toBe('deadline');
    expect(result.answer).toMatchObject({ complete: true });
    expect(tree.nodes.some(({ answer, group }) => answer !== undefined && group === undefined)).toBe(true);
  });
});
