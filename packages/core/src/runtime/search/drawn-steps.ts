// Steps of whole draws that their program has not asked for yet, by the node that they go on from. Kept in memory alone: after a crash
// they are drawn again.

import { type NodeKey, nodeKey } from '../../tree/keys.ts';
import type { Step } from '../../tree/step.ts';

export class DrawnSteps {
  readonly #below = new Map<NodeKey, (readonly Step[])[]>();

  keep(node: NodeKey, steps: readonly Step[]): void {
    if (steps.length === 0) return;
    const paths = this.#below.get(node);
    if (paths === undefined) this.#below.set(node, [steps]);
    else paths.push(steps);
  }

  /** The next step below a node. Samples that began alike share the node: any of their paths is a draw of any of them. */
  take(node: NodeKey): Step | undefined {
    const paths = this.#below.get(node);
    const [step, ...others] = paths?.shift() ?? [];
    if (paths?.length === 0) this.#below.delete(node);
    if (step !== undefined) this.keep(nodeKey(node, step), others);
    return step;
  }

  /** Gives the tokens of what is dropped. */
  takeAll(): number {
    let tokens = 0;
    for (const paths of this.#below.values()) for (const step of paths.flat()) tokens += step.tokens;
    this.#below.clear();
    return tokens;
  }
}
