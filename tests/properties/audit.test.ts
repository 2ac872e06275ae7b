// The audit of a judge by its agreement with votes: the order in which samples come changes nothing, only the order of its scores counts for
// its AUC, and on recorded samples it says nearly what labels say.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JudgeAudits } from '../../packages/core/src/log/agreement.ts';
import { createSelfConsistency } from '../../packages/core/src/program/best-of-n.ts';
import { type AuditedSample, auditOf, auditSamples } from '../../packages/core/src/tree/readings/audit.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import type { Loose } from '../support/loose.ts';

const sample: fc.Arbitrary<AuditedSample> = fc.record({
  meaning: fc.constantFrom('a', 'a', 'a', 'b', 'c', undefined),
  score: fc.option(
    fc.integer({ min: 0, max: 1000 }).map((score) => score / 1000),
    { nil: undefined },
  ),
});
const samples = fc.array(sample, { minLength: 2, maxLength: 24 });
const shuffled = samples.chain((all) =>
  fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
);

/** Scored samples that end in this order of their indices. */
function grown(all: readonly AuditedSample[], order: readonly number[]): Tree {
  const program = createSelfConsistency({ samples: all.length });
  const tree = Tree.plant('last');
  while (program.ask(tree, true) !== undefined);
  for (const index of order) {
    const { meaning: answer, score: reward } = all[index]!;
    const step = { text: `${index}`, tokens: 1, meanLogprob: 0, end: 'eos' } as const;
    program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer, reward });
  }
  return tree;
}

describe('an audit', () => {
  it('does not depend on the order of samples, nor on that in which they came', () => {
    fc.assert(fc.property(shuffled, ([all, other]) => void expect(auditSamples(other)).toEqual(auditSamples(all))));
    fc.assert(
      fc.property(samples, fc.infiniteStream(fc.nat()), (all, chance) => {
        const places = all.map((_, at) => [chance.next().value!, at] as const);
        const order = places.sort((a, b) => a[0] - b[0]).map(([, at]) => at);
        expect(auditOf(grown(all, order))).toEqual(auditSamples(all));
      }),
    );
  });

  it('counts pairs by the order of scores alone, and k copies of each sample as k² pairs', () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 2, max: 4 }), (all, copies) => {
        const audit = auditSamples(all);
        const squeezed = auditSamples(all.map(({ meaning, score }) => ({ meaning, score: score && score / 2 })));
        expect([squeezed?.pairs, squeezed?.right]).toEqual([audit?.pairs, audit?.right]);
        const copied = auditSamples(Array.from({ length: copies }, () => all).flat());
        expect(copied?.right).toBe(audit && audit.right * copies ** 2);
      }),
    );
  });

  it('of a judge and of its opposite make all pairs', () => {
    fc.assert(
      fc.property(samples, (all) => {
        const turned = all.map(({ meaning, score }) => ({ meaning, score: score && -score }));
        const [audit, opposite] = [auditSamples(all), auditSamples(turned)];
        expect((audit?.right ?? 0) + (opposite?.right ?? 0)).toBe(audit?.pairs ?? 0);
      }),
    );
  });
});

interface Recorded {
  readonly meaning: string | undefined;
  readonly right: boolean;
  readonly score: number;
}

/** Sixteen samples of each question: the n-th visit of a node takes its n-th draw. */
function recorded(name: string): Recorded[][] {
  const file = new URL(`../../lab/recorded/qwen2.5-coder-1.5b-${name}.trees.gz`, import.meta.url);
  const [, ...lines] = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  return lines.map((line) => {
    const { nodes } = JSON.parse(line) as Loose;
    const visits = new Map<number, number>();
    return nodes[0].draws.map((first: number) => {
      let at = first;
      while (nodes[at].draws?.length > 0) {
        const visit = visits.get(at) ?? 0;
        visits.set(at, visit + 1);
        at = nodes[at].draws[visit];
      }
      const { answer, right = false, reward = 0 } = nodes[at];
      return { meaning: answer ?? undefined, right, score: reward };
    });
  });
}

/** The same with labels for votes. */
function labelledAuc(questions: readonly Recorded[][]): number {
  let [pairs, right] = [0, 0];
  for (const all of questions)
    for (const good of all.filter((each) => each.right))
      for (const bad of all.filter((each) => !each.right)) {
        pairs += 1;
        right += (1 + Math.sign(good.score - bad.score)) / 2;
      }
  return right / pairs;
}

describe('on recorded samples', () => {
  it.each([
    ['gsm8k', 0.03, 0.7],
    ['math500', 0.04, 0.72],
    ['carp', 0.03, 0.51],
    ['college-math-odd', 0.03, 0.44],
  ])('of %s agreement says what labels say within %f, and s is %f', (name, within, trust) => {
    const questions = recorded(name);
    const rows = questions.map((all) => ({ owner: 'ann', audit: auditSamples(all) }));
    const { judge } = new JudgeAudits(rows);
    expect(Math.abs(judge.agreement! - labelledAuc(questions))).toBeLessThan(within);
    expect(judge.trust).toBeCloseTo(trust, 1);
  });

  it('a judge that is turned round is not trusted', () => {
    const rows = recorded('math500').map((all, at) => {
      const turned = all.map(({ meaning, score }) => ({ meaning, score: 1 - score }));
      return { owner: `key ${at}`, audit: auditSamples(turned) };
    });
    expect(new JudgeAudits(rows).judge).toMatchObject({ trust: 0 });
  });
});
