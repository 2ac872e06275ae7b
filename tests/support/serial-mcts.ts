// The textbook, for comparison: node-reusing MCTS (P0 appendix A) with plain PUCT, one rollout after the other, written recursively and without code
// of src/program. Given the same children for the same paths, the program at width one must build the same tree to the last bit.

export interface TextbookChild {
  readonly reward: number;
  readonly meanLogprob: number;
  readonly terminal: boolean;
}

export interface TextbookNode extends TextbookChild {
  readonly score: number;
  children: TextbookNode[];
  visits: number;
  value: number;
  /** Nothing below this node is left to expand. */
  closed: boolean;
}

export type Grow = (path: readonly number[]) => TextbookChild[];

export function serialMcts(grow: Grow, rollouts: number, exploration: number): TextbookNode {
  const root = plant({ reward: 1, meanLogprob: 0, terminal: false }, 1);
  for (let rollout = 0; rollout < rollouts && !root.closed; rollout += 1) trip(root, grow, exploration);
  return root;
}

function trip(root: TextbookNode, grow: Grow, exploration: number): void {
  const line = [root];
  const path: number[] = [];
  while (line.at(-1)!.children.length > 0) go(line, path, select(line.at(-1)!, exploration));
  while (!line.at(-1)!.terminal) {
    const leaf = line.at(-1)!;
    leaf.children = grow(path).map((child) => plant(child, leaf.score * child.reward));
    const rewards = leaf.children.map((child) => child.reward);
    go(line, path, rewards.indexOf(Math.max(...rewards)));
  }
  const { score } = line.at(-1)!;
  for (const node of line.toReversed()) {
    node.visits += 1;
    node.value += score;
    node.closed = node.terminal || (node.children.length > 0 && node.children.every((child) => child.closed));
  }
}

function select(node: TextbookNode, exploration: number): number {
  const weights = node.children.map((child) => child.meanLogprob);
  const top = Math.max(...weights);
  const exps = weights.map((weight) => Math.exp(weight - top));
  const whole = exps.reduce((sum, each) => sum + each, 0);
  const scores = node.children.map((child, at) => {
    if (child.closed) return Number.NEGATIVE_INFINITY;
    const mean = child.visits > 0 ? child.value / child.visits : 0;
    return mean + (exploration * (exps[at]! / whole) * Math.sqrt(node.visits)) / (1 + child.visits);
  });
  return scores.indexOf(Math.max(...scores));
}

function go(line: TextbookNode[], path: number[], at: number): void {
  line.push(line.at(-1)!.children[at]!);
  path.push(at);
}

function plant(child: TextbookChild, score: number): TextbookNode {
  return { ...child, score, children: [], visits: 0, value: 0, closed: child.terminal };
}
