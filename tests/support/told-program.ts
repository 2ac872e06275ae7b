// A program whose children a test gives by hand, for golden trees: an answer is a text without a newline.

import type { Ask, Program } from '../../packages/core/src/program/program.ts';
import type { Aggregation } from '../../packages/core/src/tree/aggregate.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';

export function toldProgram(program: Program, aggregation: Aggregation) {
  const tree = Tree.plant(aggregation);
  const tell = (node: number, index: number, text: string, reward: number) => {
    const ends = !text.endsWith('\n');
    const step = { text, tokens: 1, meanLogprob: 0, end: ends ? 'eos' : 'delimiter' } as const;
    program.tell(tree, { ok: true, node, index, form: 0, step, reward, ...(ends ? { answer: text } : {}) });
  };
  const allAsks = () => {
    const wanted: Ask[] = [];
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) wanted.push(ask);
    return wanted;
  };
  /** Asks by the text of the step below which they draw. */
  const asks = () =>
    allAsks()
      .map(({ node, indices }): [string | undefined, readonly number[]] => [node.step?.text, indices])
      .sort();
  return { program, tree, tell, allAsks, asks };
}
