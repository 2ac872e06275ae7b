// The rule that ends a vote: a higher price never expects to need more; who is faster changes nothing;
// and a program read back from any beginning of its log asks for what it would have asked for.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Limits } from '../../packages/core/src/exit/exit.ts';
import { worth } from '../../packages/core/src/exit/worth.ts';
import { createAuto } from '../../packages/core/src/program/auto.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import type { Judging, TreeEvent } from '../../packages/core/src/tree/events.ts';
import { expectedNeed } from '../../packages/core/src/tree/readings/worth.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';

interface Sample {
  readonly answer: string | undefined;
  readonly tokens: number;
  readonly score: number;
}

const most = 16;
const sample: fc.Arbitrary<Sample> = fc.record({
  answer: fc.constantFrom('a', 'a', 'a', 'b', 'c', undefined),
  tokens: fc.integer({ min: 1, max: 900 }),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
});
const samples = fc.array(sample, { minLength: most, maxLength: most });
const price = fc.double({ min: -7, max: -2, noNaN: true }).map((power) => 10 ** power);

/** A sample that was drawn, or the node of one that is to be read. */
type Open = { readonly index: number } | { readonly node: number };

function open(program: Program, tree: Tree): Open[] {
  const all: Open[] = [];
  for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true))
    all.push(...(ask.probe ? [{ node: ask.node.id }] : ask.indices.map((index) => ({ index }))));
  return all;
}

function tell(program: Program, tree: Tree, ended: Open, all: readonly Sample[]): void {
  if ('node' in ended) {
    const reward = all[Number(tree.node(ended.node).step!.text)]!.score;
    program.tell(tree, {
      probe: true,
      node: ended.node,
      index: 0,
      reply: { text: '', tokens: 0, whole: true, reward },
    });
    return;
  }
  const { index } = ended;
  const { answer, tokens } = all[index]!;
  const step = { text: `${index}`, tokens, meanLogprob: 0, end: 'eos' } as const;
  program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer });
}

function exitOf(program: Program, tree: Tree, limits: Partial<Limits>) {
  const view = { tree, belief: program.belief!(tree), nowMs: 0, arrivalMs: 0, admittedMs: 0 };
  return worth.check({ ...view, limits: { threshold: 1, rollouts: most, ...limits } });
}

type Next = (open: number) => number;
const inTurn: Next = () => 0;

interface Setting {
  readonly all: readonly Sample[];
  readonly price: number;
  readonly judge: Judging | undefined;
}

/** Runs a search to its end, from a tree that may have grown already; `next` says which of the open samples ends first. */
function run({ all, price, judge }: Setting, next: Next, tree = Tree.plant('last')) {
  const program = createAuto({ samples: most });
  if (tree.terms === undefined) tree.record({ type: 'priced', price, judge });
  const line: Open[] = [...(tree.root.inFlight?.keys() ?? [])].map((index) => ({ index }));
  for (const { node, probing } of tree.strands.values()) if (probing !== undefined) line.push({ node: node.id });
  for (;;) {
    const exit = exitOf(program, tree, { price });
    line.push(...open(program, tree));
    const [ended] = exit === undefined ? line.splice(next(line.length), 1) : [];
    if (ended === undefined) return { exit, counted: Number(exit?.evidence.samples ?? tree.closed.completed) };
    tell(program, tree, ended, all);
  }
}

/** One reads late, one at once; both may be new. */
const judge = fc.record({
  cost: fc.constantFrom(0.5, 0.4),
  trust: fc.constant(0.6),
  isNew: fc.constantFrom(undefined, true as const),
});
const setting = fc.record({ all: samples, price, judge: fc.option(judge, { nil: undefined }) });

describe('a price', () => {
  it('that is higher never expects to need more', () => {
    const standing = fc.record({
      samples: fc.integer({ min: 1, max: most }),
      lead: fc.double({ min: 0, max: 8, noNaN: true }),
      spent: fc.integer({ min: 1, max: 20_000 }),
    });
    fc.assert(
      fc.property(standing, price, price, (seen, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        expect(expectedNeed(seen, high, 64)).toBeLessThanOrEqual(expectedNeed(seen, low, 64));
      }),
    );
  });

  it('of 0 is paid for every sample', () => {
    fc.assert(
      fc.property(setting, (given) => {
        const { exit, counted } = run({ ...given, price: 0 }, inTurn);
        expect([exit?.rule, counted]).toEqual(['rollouts', most]);
      }),
    );
  });
});

describe('a search at a price', () => {
  it('ends with the same evidence whichever of its samples are faster', () => {
    fc.assert(
      fc.property(setting, fc.infiniteStream(fc.nat()), (given, chance) => {
        const byChance: Next = (length) => (length === 0 ? 0 : chance.next().value! % length);
        expect(run(given, byChance)).toEqual(run(given, inTurn));
      }),
    );
  });

  it('read back from any beginning of its log ends as it would have', () => {
    fc.assert(
      fc.property(setting, fc.nat(), (given, cut) => {
        const log: TreeEvent[] = [];
        const whole = run(
          given,
          inTurn,
          Tree.plant('last', (event) => log.push(event)),
        );
        const rest = log.slice(0, 1 + (cut % log.length));
        expect(run(given, inTurn, Tree.replay(rest))).toEqual(whole);
      }),
    );
  });
});
