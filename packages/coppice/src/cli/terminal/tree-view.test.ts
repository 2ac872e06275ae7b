import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { greedySampling, type Step } from '../../../../core/src/tree/step.ts';
import { Tree } from '../../../../core/src/tree/tree.ts';
import { statusLine } from './progress-view.ts';
import { columns, cutTo, fit, LiveBlock, plainLine, widthOf } from './terminal.ts';
import { treeLines } from './tree-view.ts';

function step(text: string): Step {
  return { text, tokens: 3, meanLogprob: -1, end: 'delimiter' };
}

/** A tree in which node i + 1 hangs below the given earlier node. */
function grow(parents: readonly number[], text: (node: number) => string): Tree {
  const tree = Tree.plant('product');
  const children = new Map<number, number>();
  for (const [at, parent] of parents.entries()) {
    const index = children.get(parent) ?? 0;
    children.set(parent, index + 1);
    const growth = { key: at + 1, parent, index, step: step(text(at + 1)), reward: 0.9, terminal: false };
    const strand = tree.nextStrand;
    tree.record({ type: 'opened', strand, node: parent });
    tree.record({ type: 'asked', strand, node: parent, indices: [index], sampling: greedySampling });
    tree.record({ type: 'grown', node: at + 1, ...growth });
    tree.record({ type: 'closed', strand, closing: 'ended' });
  }
  return tree;
}

describe('terminal text', () => {
  it('loses all characters that could control a terminal', () => {
    expect(plainLine('\u001b[31mred\u001b[0m\u0007\n next\u202e\u200b')).toBe('[31mred[0m next');
    expect(plainLine('a\u001b]0;title\u0007\nb\tc\u009b2J')).toBe('a]0;title b c2J');
  });

  it('cuts to columns, not characters', () => {
    expect(cutTo('日本語日本語', 7)).toBe('日本語…');
    expect(columns('é')).toBe(1);
    expect(cutTo('short', 80)).toBe('short');
  });

  it('is broken at spaces on a narrow terminal, below its first word, and stays as it is elsewhere', () => {
    const line = '  ! the server holds fewer than asked';
    expect(fit(line, { isTTY: true, columns: 20 })).toBe('  ! the server holds\n    fewer than asked');
    expect(fit('\na line that is long', { isTTY: true, columns: 12 })).toBe('\na line that\nis long');
    expect(fit(line, { isTTY: true, columns: 80 })).toBe(line);
    expect(fit(line, { columns: 20 })).toBe(line);
  });

  it('has the usual size on a terminal that reports 0 columns and rows', () => {
    const written: string[] = [];
    new LiveBlock({ isTTY: true, columns: 0, rows: 0, write: (text) => written.push(text) }).draw([
      'a line',
      'another',
    ]);
    expect(written.join('')).toContain('a line\n');
    expect(written.join('')).toContain('another\n');
    expect([0, undefined, 40, 300].map((columns) => widthOf(columns === undefined ? {} : { columns }, 100))).toEqual([
      80, 80, 40, 100,
    ]);
  });

  it('is drawn again from the first column, where a terminal has shown ^C', () => {
    const written: string[] = [];
    const block = new LiveBlock({ isTTY: true, columns: 80, rows: 24, write: (text) => written.push(text) });
    block.draw(['a', 'b']);
    block.draw(['c', 'd']);
    block.clear();
    const twoUp = '\u001b[2F';
    expect(written.slice(1).map((text) => text.startsWith(twoUp))).toEqual([true, true]);
  });

  it('is not drawn without a terminal', () => {
    const written: string[] = [];
    new LiveBlock({ isTTY: false, write: (text) => written.push(text) }).draw(['a']);
    expect(written).toEqual([]);
  });
});

describe('statusLine', () => {
  it('counts the root among the nodes, as the summary of the finished search does', () => {
    expect(statusLine(grow([0, 0, 1], String), 8, 12)).toMatch(/^0 of 8 rollouts, .* 4 nodes, 12 tokens generated/);
  });
});

describe('treeLines', () => {
  it('shows children below their parent, the best first', () => {
    const tree = grow([0, 0, 1], (node) => `step ${node}`);
    expect(treeLines(tree, { width: 80, height: 20 })).toEqual([
      '├· 0.90 step 1',
      '│ └· 0.81 step 3',
      '└· 0.90 step 2',
    ]);
  });

  it('stays within its height and width for any tree and any text', () => {
    const parents = fc
      .array(fc.nat(), { minLength: 1, maxLength: 60 })
      .map((all) => all.map((each, at) => each % (at + 1)));
    const property = fc.property(parents, fc.string(), fc.integer({ min: 1, max: 12 }), (all, text, height) => {
      const lines = treeLines(
        grow(all, () => text),
        { width: 40, height },
      );
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(40);
    });
    fc.assert(property, { numRuns: 200 });
  });
});
