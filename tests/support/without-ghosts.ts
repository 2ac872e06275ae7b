// A log without its ghosts, as if the search had not speculated: adopted steps are grown when the program asks for them, and ghosts that it
// never asked for are gone.

import type { SearchEvent } from '../../packages/core/src/log/events.ts';
import { isTreeEvent } from '../../packages/core/src/log/events.ts';
import type { Ghost, TreeEvent } from '../../packages/core/src/tree/events.ts';
import { drawKey, formKey } from '../../packages/core/src/tree/keys.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';

/** Each event as it would be without speculation; undefined for events that would be missing. */
export function withoutGhosts(log: readonly SearchEvent[]): (SearchEvent | undefined)[] {
  let tree: Tree | undefined;
  return log.map((event) => {
    if (!isTreeEvent(event)) return event;
    const plain = tree === undefined ? event : plainOf(tree, event);
    if (tree === undefined) tree = Tree.replay([event]);
    else tree.record(event);
    return plain;
  });
}

function plainOf(tree: Tree, event: TreeEvent): TreeEvent | undefined {
  if (event.type === 'ghosted') return undefined;
  if (event.type !== 'adopted') return event;
  const { node, parent } = event;
  const { key, index, step, terminal, reward, feedback, answer } = ghostOf(tree, parent, event.index);
  const found = {
    ...(reward === undefined ? {} : { reward }),
    ...(feedback === undefined ? {} : { feedback }),
  };
  const grown = { type: 'grown', node, parent, key, index, step, terminal, ...found } as const;
  return answer === undefined ? grown : { ...grown, answer };
}

function ghostOf(tree: Tree, parent: number, index: number): Ghost {
  const node = tree.node(parent);
  const { sampling, manner } = tree.strand(node.inFlight!.get(index)!);
  return tree.ghosts.get(drawKey(node.key, index, formKey(sampling!, manner)))!;
}
