import { expect, test } from 'vitest';
import { fault } from '../../base/fault.ts';
import { worth } from '../../exit/worth.ts';
import { createAuto } from '../../program/auto.ts';
import { pathTo } from '../node.ts';
import { Tree } from '../tree.ts';
import { auditOf } from './audit.ts';
import { branchAuditOf, drawsOf } from './branching.ts';

/**
 * Samples of three steps each, told in this order of draws until the search asks for nothing more; their answer is what `answerOf` says of
 * how many samples came before and of the node that they began at. `refuses`: no text is gone on with; `thinks`: their first step is thinking.
 */
function grown(
  answerOf: (at: number, from: number) => string,
  scoreOf: (text: string) => number | undefined,
  branches?: number,
  { refuses = false, thinks = false } = {},
) {
  const program = createAuto({ samples: 12 });
  const told: unknown[] = [];
  const tree = Tree.plant('product', (event) => told.push(event));
  tree.record({ type: 'priced', price: 1e-6, judge: { cost: 0.1, trust: 0 }, branches });
  const began = new Map<number, number>();
  for (let ask = program.ask(tree, true); ask && tree.failuresInARow < 8; ask = program.ask(tree, true)) {
    const { node, indices } = ask;
    const [index] = indices as [number];
    if (ask.probe) {
      const reward = scoreOf(
        pathTo(node)
          .map(({ step }) => step!.text)
          .join(''),
      );
      const reply = { text: '', tokens: 0, whole: true, ...(reward !== undefined && { reward }) };
      program.tell(tree, { probe: true, node: node.id, index, ...(reward !== undefined && { reply }) });
      continue;
    }
    const { start } = tree.strand(ask.strand);
    if (!began.has(ask.strand)) began.set(ask.strand, start.id);
    const at = began.size - 1;
    if (refuses && start !== tree.root) {
      program.tell(tree, { ok: false, node: node.id, index, fault: fault('refused', 'no text is gone on with') });
      continue;
    }
    const isLast = node.depth === 2;
    const text = isLast ? `${at}.` : `${at} `;
    const thought = thinks && node.depth === 0 ? { thought: { chars: text.length, tokens: 100 } } : {};
    const step = { text, tokens: 100, meanLogprob: 0, end: isLast ? 'eos' : 'delimiter', ...thought } as const;
    program.tell(tree, {
      ok: true,
      node: node.id,
      index,
      form: 0,
      step,
      ...(isLast && { answer: answerOf(at, start.id) }),
    });
  }
  return { program, tree, told, began: [...began.values()] };
}

test('behind the first wave two samples go on from the middle of the best of three, in turn with fresh ones', () => {
  const { tree, began, told } = grown(
    (at) => `${at}`,
    (text) => (text.startsWith('1') ? 0.8 : 0.3),
    4,
  );
  // The middle of the second sample: its second step, of which 200 of 300 tokens end as near to the middle as the first.
  const middle = tree.nodes.find(({ depth, step }) => depth === 1 && step?.text === '1 ')!;
  expect(began).toEqual([0, 0, 0, 0, middle.id, 0, middle.id, 0, 0, 0, 0, 0]);
  expect(drawsOf(tree).map(({ shared }) => shared)).toEqual([0, 0, 0, 0, 100, 0, 100, 0, 0, 0, 0, 0]);
  expect(tree.closed).toMatchObject({ completed: 12, failed: 0 });
  // What it began with is not spent twice; the judge has read all ends.
  expect(worth.check({ tree, limits: { rollouts: 12, price: 1e-6, threshold: 1 } } as never)).toMatchObject({
    kind: 'exhausted',
    evidence: { samples: 12, spent: 10 * 300 + 2 * 200 + 0.1 * 12 * 300 },
  });
  expect(Tree.replay(told as never).nodes.map(({ key }) => key)).toEqual(tree.nodes.map(({ key }) => key));
});

test.each<[string, number | undefined, number | undefined, { thinks: true }?]>([
  ['its judge answers nothing', undefined, 3],
  ['it does not branch', 0.5, undefined],
  ['they turn out to think', 0.5, 3, { thinks: true }],
])('all samples are fresh where %s', (_, score, branches, more) => {
  const { began, tree } = grown(
    (at) => `${at}`,
    () => score,
    branches,
    more,
  );
  expect(began).toEqual(Array(12).fill(0));
  expect(branchAuditOf(tree)).toBeUndefined();
});

test('a search ends as others do where no server goes on with a text', () => {
  const { tree } = grown(
    (at) => `${at}`,
    () => 0.5,
    3,
    { refuses: true },
  );
  expect(tree.closed.completed).toBe(12);
  expect(tree.closed.failed).toBeGreaterThan(0);
  expect(worth.check({ tree, limits: { rollouts: 12, price: 1e-6, threshold: 1 } } as never)?.rule).toBe('rollouts');
});

test('it shows how right draws are by the vote of the fresh ones, what they repeat, and what they cost', () => {
  // Fresh samples say 7 but for one; draws below the middle say 7 and 8 in turn.
  const answerOf = (at: number, from: number) => (from === 0 ? (at === 5 ? 'x' : '7') : at % 4 === 0 ? '7' : '8');
  const { tree } = grown(answerOf, (text) => (text.startsWith('0') ? 0.8 : 0.3), 4);
  // 4 and 6 begin in the middle; 5 and 7 to 11 are fresh: x, 7, 7, 7, 7, 7.
  expect(branchAuditOf(tree)).toEqual({
    fresh: 5 / 6,
    below: 0.5,
    bothFresh: 2 / 3,
    bothBelow: 0,
    oneOfEach: expect.closeTo(5 / 12),
    tokens: [200 + 15, 300],
  });
  // Its fresh samples say how far the judge agrees with them: nine, and one.
  expect(auditOf(tree)).toMatchObject({ pairs: 9, branched: { below: 0.5 } });
});
