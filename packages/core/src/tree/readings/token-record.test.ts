// Which tokens of a path the model drew, by hand: a prompt, a step, an end that a turn replaces, a forced opening, a cut inside a token.

import { describe, expect, it } from 'vitest';
import { plantedEvent } from '../events.ts';
import { nodeKey } from '../keys.ts';
import type { Node } from '../node.ts';
import type { Step } from '../step.ts';
import { Tree } from '../tree.ts';
import { pathTokens, recordOf, stepTokens } from './token-record.ts';

const written = (tokenIds: number[] | undefined, more: Partial<Step> = {}): Step => ({
  text: (tokenIds ?? []).join(' '),
  tokens: tokenIds?.length ?? 1,
  meanLogprob: 0,
  end: 'delimiter',
  ...(tokenIds && { tokenIds }),
  logprobs: (tokenIds ?? []).map((id) => -id / 10),
  ...more,
});

/** Grows a step below a node as the runtime does: what the engine gave, and what became of it. */
function grow(
  tree: Tree,
  parent: Node,
  read: readonly number[] | undefined,
  given: Step,
  step = given,
  drawn?: number,
) {
  const whole = read === undefined ? step : { ...step, record: recordOf(parent, read, given, step, drawn) };
  const strand = tree.nextStrand;
  tree.record({ type: 'opened', strand, node: parent.id });
  const index = parent.byIndex?.size ?? 0;
  tree.record({ type: 'asked', strand, node: parent.id, indices: [index], sampling: { temperature: 1 } });
  const node = tree.nodes.length;
  const key = nodeKey(parent.key, whole);
  tree.record({ type: 'grown', node, parent: parent.id, key, index, step: whole, terminal: false });
  tree.record({ type: 'closed', strand, closing: 'ended' });
  return tree.nodes[node]!;
}

const planted = () => Tree.replay([plantedEvent('product', 64)]);

describe('the tokens of a path', () => {
  it('are those of the prompt, which carry no loss, and of the steps, which do', () => {
    const tree = planted();
    const first = grow(tree, tree.root, [7, 8], written([1, 2]));
    const second = grow(tree, first, [7, 8, 1, 2], written([3]));
    expect(second.step?.record).toEqual({ kept: 4 });
    expect(pathTokens(second)).toEqual({
      ids: [7, 8, 1, 2, 3],
      mask: [0, 0, 1, 1, 1],
      logprobs: [0, 0, -0.1, -0.2, -0.3],
      nodes: [1, 1, 1, 1, 2],
    });
  });

  it('say a prompt once: later children of the root keep it', () => {
    const tree = planted();
    grow(tree, tree.root, [7, 8], written([1]));
    const sibling = grow(tree, tree.root, [7, 8], written([2]));
    expect(sibling.step?.record).toEqual({ kept: 2 });
    expect(pathTokens(sibling)).toMatchObject({ ids: [7, 8, 2], mask: [0, 0, 1] });
  });

  it('lose what a turn took back, and get its tokens without loss', () => {
    const tree = planted();
    const answer = grow(tree, tree.root, [7], written([1, 99], { end: 'eos' }));
    // The template writes another end than the model did.
    const reply = grow(tree, answer, [7, 1, 50, 51], written([2], { turn: 'Wrong.' }));
    expect(pathTokens(reply)).toMatchObject({ ids: [7, 1, 50, 51, 2], mask: [0, 1, 0, 0, 1] });
  });

  it('keep what the model wrote behind a forced opening, whose step has no ids to continue from', () => {
    const tree = planted();
    const given = written([3]);
    const { tokenIds: _, ...rest } = given;
    const opened = grow(tree, tree.root, [7, 40], given, { ...rest, text: 'so 3', forced: 3 });
    expect(stepTokens(opened.step!)).toEqual({ kept: 0, ids: [7, 40, 3], mask: [0, 0, 1], logprobs: [0, 0, -0.3] });
    // Its text was tokenized anew for the next step: what differs is not the model's own.
    const next = grow(tree, opened, [7, 41, 42], written([4]));
    expect(pathTokens(next)).toMatchObject({ ids: [7, 41, 42, 4], mask: [0, 0, 0, 1] });
  });

  it('carry no loss where a cut inside a token has left another', () => {
    const tree = planted();
    const cut = grow(tree, tree.root, [7], written([1, 2]), undefined, 1);
    expect(pathTokens(cut)).toMatchObject({ ids: [7, 1, 2], mask: [0, 1, 0], logprobs: [0, -0.1, 0] });
  });

  it('are not known where a step is not recorded, and known again below it', () => {
    const tree = planted();
    const first = grow(tree, tree.root, [7], written([1]));
    const blind = grow(tree, first, undefined, written(undefined));
    expect(pathTokens(blind)).toBeUndefined();
    expect(pathTokens(grow(tree, blind, [7, 1, 5], written([2])))).toMatchObject({
      ids: [7, 1, 5, 2],
      mask: [0, 0, 0, 1],
    });
  });

  it('are other words to another model, equal ids or not', () => {
    const tree = planted();
    const first = grow(tree, tree.root, [7], written([1]));
    const other = grow(tree, first, [7, 1], written([2], { model: 'other' }));
    expect(pathTokens(other)).toMatchObject({ ids: [7, 1, 2], mask: [0, 0, 1] });
  });
});
