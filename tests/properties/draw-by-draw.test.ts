// Trees that grow draw by draw, searched for counter-examples: the strict negative exit fires exactly when no node that may
// still get a draw scores at or above the threshold, with twins, failures and draws in flight; nothing after it proves it
// wrong; and no node is asked for more draws than it may have, whatever strands and widths do.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault } from '../../packages/core/src/base/fault.ts';
import { hash, Random } from '../../packages/core/src/base/random.ts';
import { strictNegative } from '../../packages/core/src/exit/negative.ts';
import { createBestFirst } from '../../packages/core/src/program/best-first/best-first.ts';
import type { Ask, Outcome } from '../../packages/core/src/program/program.ts';
import type { NodeId, TreeEvent } from '../../packages/core/src/tree/events.ts';
import { drawKey, formKey } from '../../packages/core/src/tree/keys.ts';
import { leastPromising } from '../../packages/core/src/tree/strand.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { viewOf } from '../support/trees.ts';

const threshold = 0.65;
const rewards = [0.2, 0.5, 0.7, 0.9, 0.99, 1];

/** Every second draw is one of three texts, so that twins abound; a text has one reward and one end. */
function outcomeOf(ask: Ask, seed: number): Outcome {
  const index = ask.indices[0]!;
  const form = formKey(ask.sampling);
  const draw = new Random(seed, drawKey(ask.node.key, index, form));
  const text = `${ask.node.key % 1000} ${draw.chance(0.5) ? draw.integer(3) : draw.integer(1e6)}`;
  const said = new Random(hash(seed, text));
  const ends = ask.node.depth >= 1 && said.chance(0.4);
  const step = { text, tokens: 3, meanLogprob: -said.uniform(), end: ends ? 'eos' : 'delimiter' } as const;
  return { ok: true, node: ask.node.id, index, form, step, reward: rewards[said.integer(rewards.length)]! };
}

interface Watched {
  readonly tree: Tree;
  readonly log: TreeEvent[];
}

/** Best-first search to its end at a width, in a tree of narrow nodes, with failures and preemptions; shows the tree after every fold. */
function drive(fullAt: number, seed: number, width: number, chaos: number, watch: (run: Watched) => void): Watched {
  const program = createBestFirst({ rollouts: 40, maxDepth: 5 });
  const log: TreeEvent[] = [];
  const tree = Tree.plant('product', (event) => log.push(event), fullAt);
  const random = new Random('weather', seed);
  const mail: Outcome[] = [];
  for (;;) {
    for (let ask = program.ask(tree, tree.strands.size < width); ask !== undefined; ) {
      mail.push(outcomeOf(ask, seed));
      ask = program.ask(tree, tree.strands.size < width);
    }
    const [outcome] = mail.splice(random.integer(mail.length), 1);
    if (outcome === undefined) return { tree, log };
    const { node, index } = outcome;
    const told = random.chance(chaos)
      ? ({ ok: false, node, index, fault: fault('internal', 'test') } as const)
      : outcome;
    program.tell(tree, told);
    watch({ tree, log });
    const [strand] = random.chance(chaos) ? leastPromising(tree, 1) : [];
    if (strand !== undefined) tree.record({ type: 'closed', strand, closing: 'preempted' });
  }
}

/** Draws that have landed, by node, read off the log alone. */
function landedDraws(log: readonly TreeEvent[]): Map<NodeId, number> {
  const draws = new Map<NodeId, number>();
  for (const event of log) {
    if (event.type !== 'grown' && event.type !== 'merged' && event.type !== 'adopted') continue;
    draws.set(event.parent, (draws.get(event.parent) ?? 0) + 1);
  }
  return draws;
}

const anyRun = {
  seed: fc.nat(1_000_000),
  width: fc.integer({ min: 1, max: 5 }),
  fullAt: fc.integer({ min: 1, max: 4 }),
};

describe('a tree that grows draw by draw', () => {
  it('is futile exactly when no node that is not full of landed draws is viable', () => {
    let fired = 0;
    let twins = 0;
    fc.assert(
      fc.property(anyRun.seed, anyRun.width, anyRun.fullAt, (seed, width, fullAt) => {
        const { log } = drive(fullAt, seed, width, 0.1, ({ tree, log }) => {
          const waits = tree.best === undefined || tree.strands.has(0);
          if (waits || tree.best!.score >= threshold) return;
          const draws = landedDraws(log);
          const open = tree.nodes.filter(({ id, terminal }) => !terminal && (draws.get(id) ?? 0) < fullAt);
          const viable = open.some(({ score }) => score >= threshold);
          const fires = strictNegative.check(viewOf(tree, { threshold })) !== undefined;
          if (fires) fired += 1;
          expect(fires).toBe(!viable && open.length > 0);
        });
        twins += log.filter(({ type }) => type === 'merged').length;
      }),
      { numRuns: 150 },
    );
    expect(fired).toBeGreaterThan(20);
    expect(twins).toBeGreaterThan(100);
  });

  it('never reaches the threshold after the strict exit has called it futile', () => {
    let fired = 0;
    fc.assert(
      fc.property(anyRun.seed, anyRun.width, anyRun.fullAt, (seed, width, fullAt) => {
        let futile = false;
        const { tree } = drive(fullAt, seed, width, 0.05, ({ tree }) => {
          futile ||= strictNegative.check(viewOf(tree, { threshold })) !== undefined;
        });
        if (!futile) return;
        fired += 1;
        expect(tree.best!.score).toBeLessThan(threshold);
      }),
      { numRuns: 150 },
    );
    expect(fired).toBeGreaterThan(5);
  });

  it('gives no node more draws than it may have, and counts what new strands may take', () => {
    fc.assert(
      fc.property(anyRun.seed, anyRun.width, anyRun.fullAt, (seed, width, fullAt) => {
        drive(fullAt, seed, width, 0.2, ({ tree }) => {
          let left = 0;
          let most = 0;
          for (const { terminal, byIndex, inFlight } of tree.nodes) {
            const draws = (byIndex?.size ?? 0) + (inFlight?.size ?? 0);
            most = Math.max(most, draws);
            if (!terminal) left += fullAt - draws;
          }
          expect([most <= fullAt, tree.root.available]).toEqual([true, left]);
        });
      }),
      { numRuns: 40 },
    );
  });
});
