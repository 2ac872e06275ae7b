// Chains worked by hand: where a chain is probed, when its probes agree, and what prevents it.

import { describe, expect, it } from 'vitest';
import type { Ask } from '../../../core/src/program/program.ts';
import type { ProbeReply } from '../../../core/src/tree/events.ts';
import { leastPromising } from '../../../core/src/tree/strand.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { type ChainOptions, createChain } from './chain.ts';

/** Grows a chain of 10-token steps that gets these replies in turn; gives the asks and the state of the chain. */
function grow(replies: readonly (Partial<ProbeReply> | undefined)[], options: Partial<ChainOptions> = {}) {
  const program = createChain({ probeEvery: 20, probeAgree: 2, ...options });
  const tree = Tree.plant('product');
  const probes: Ask[] = [];
  for (let told = 0; program.belief?.(tree).conclusion?.() === undefined; ) {
    const ask = program.ask(tree, true)!;
    if (!ask.probe) {
      const step = { text: `step ${ask.node.depth}\n`, tokens: 10, meanLogprob: 0, end: 'delimiter' } as const;
      program.tell(tree, { ok: true, node: ask.node.id, index: ask.indices[0]!, form: 0, step });
      continue;
    }
    if (told === replies.length) break;
    probes.push(ask);
    const said = replies[told];
    const reply = said && { text: said.answer ?? '', tokens: 5, whole: true, ...said };
    program.tell(tree, { probe: true, node: ask.node.id, index: ask.indices[0]!, ...(reply && { reply }) });
    told += 1;
  }
  return { program, tree, probes, depths: probes.map(({ node }) => node.depth) };
}

describe('a chain', () => {
  it('is asked at the first end of a step that is far enough, and ends where the last answers agree', () => {
    const { program, tree, depths } = grow([{ answer: '7' }, { answer: '9' }, { answer: '9.0' }, { answer: '1' }]);
    expect(depths).toEqual([2, 4, 6]);
    expect(program.belief?.(tree).conclusion?.()).toEqual({
      rule: 'probes',
      evidence: { agreeing: 2, probeTokens: 15, tokens: 75 },
    });
    const text = `${[0, 1, 2, 3, 4, 5].map((at) => `step ${at}\n`).join('')}The final answer is9.0`;
    expect(program.answer(tree)).toMatchObject({ text, answer: '9.0', complete: true });
    expect(tree.nodes.length).toBe(7);
  });

  it.each<[string, (Partial<ProbeReply> | undefined)[]]>([
    ['a different answer', [{ answer: '7' }, { answer: '8' }]],
    ['a failure', [{ answer: '7' }, undefined]],
    ['a reply that was cut', [{ answer: '7' }, { text: '7', whole: false }]],
    ['a reply without an answer', [{ answer: '7' }, { text: 'so' }]],
    ['a hesitation', [{ answer: '7' }, { answer: '7', text: '7, wait' }]],
  ])('goes on after %s', (_, replies) => {
    const { program, tree } = grow(replies);
    expect(program.belief?.(tree).conclusion?.()).toBeUndefined();
  });

  it('does not take a word for a hesitation that only holds one', () => {
    const { program, tree } = grow([{ answer: '7' }, { answer: '7', text: '7, not another, await it' }]);
    expect(program.belief?.(tree).conclusion?.()).toBeDefined();
  });

  it('gives a longer answer more room, and its last answer at any time', () => {
    const { program, tree, probes } = grow([{ whole: false }, { whole: false }, { answer: '7' }], { probeTokens: 8 });
    expect(probes.map(({ manner }) => manner?.maxTokens)).toEqual([8, 16, 32]);
    expect(program.answer(tree)).toMatchObject({ answer: '7', complete: false });
  });

  it('asks for the answer once its entropies have come to rest', () => {
    // Weight 0.2: the mean goes 1, 1.04, 1.032 and the variance 0, 0.2 · 0.16² = 0.00512, 0.8 · 0.00512 + 0.2 · 0.032² = 0.0043008.
    // Divided by 1 − 0.8² = 0.36, which corrects for the start at 0, that is 0.01195.
    const readings = [{ entropy: 1 }, { entropy: 1.2 }, { entropy: 1 }, { answer: '7' }];
    const calm = grow(readings, { probe: 'entropy', probeAgree: 3, probeVariance: 0.012 });
    const almost = grow(readings, { probe: 'entropy', probeAgree: 3, probeVariance: 0.0119 });
    expect(almost.probes.map(({ indices }) => indices[0])).toEqual([1, 1, 1, 1]);
    expect(calm.probes.map(({ indices, manner }) => [indices[0], manner?.maxTokens])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
      [0, 20],
    ]);
    expect(calm.depths).toEqual([2, 4, 6, 6]);
    expect(calm.program.belief?.(calm.tree).conclusion?.()?.rule).toBe('entropy');
    const restless = grow([{ entropy: 1 }, { entropy: 3 }, { entropy: 1 }, { entropy: 2 }], { probe: 'entropy' });
    expect(restless.probes.every(({ manner }) => manner?.maxTokens === 1)).toBe(true);
  });

  it('goes on at its tip after a preemption, and asks again', () => {
    const { program, tree } = grow([{ answer: '7' }]);
    const [strand] = leastPromising(tree, 1);
    expect(tree.strand(strand!).probing).toBeDefined();
    tree.record({ type: 'closed', strand: strand!, closing: 'preempted' });
    const again = program.ask(tree, true)!;
    expect(again.probe).toBe(true);
    expect(again.node.depth).toBe(4);
  });
});
