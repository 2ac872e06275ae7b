// Undoes a look ahead in the nodes of a tree: keeps each node as it was before the first event
// that could change it. An event changes the children, draws and probes of the nodes that it names, and counts on the way to the root.

import type { StrandId, TreeEvent } from './events.ts';
import type { Node } from './node.ts';
import type { Strand } from './strand.ts';

type Counts = Pick<Node, 'cut' | 'pruned' | 'count' | 'visits' | 'pending' | 'value' | 'squares' | 'available'>;
type Below = Pick<Node, 'children' | 'byIndex' | 'inFlight' | 'probes'>;

interface Numbered {
  readonly nodes: readonly Node[];
  readonly strands: ReadonlyMap<StrandId, Strand>;
}

export class NodeUndo {
  readonly #counts = new Map<Node, Counts>();
  readonly #below = new Map<Node, Below>();
  readonly #known: number;

  /** `known`: how many nodes the tree has; those that come later go as they came. */
  constructor(known: number) {
    this.#known = known;
  }

  /** Call it before the event is folded. */
  keepFor(event: TreeEvent, { nodes, strands }: Numbered): void {
    if ('strand' in event) this.#keep(strands.get(event.strand)?.node);
    if ('node' in event) this.#keep(nodes[event.node]);
    if ('parent' in event) this.#keep(nodes[event.parent]);
    if ('into' in event) this.#keep(nodes[event.into]);
  }

  #keep(node: Node | undefined): void {
    // Counts kept for a node are kept for all above it.
    for (let at = node; at !== undefined && !this.#counts.has(at); at = at.parent) {
      if (at.id < this.#known) this.#counts.set(at, countsOf(at));
    }
    if (node !== undefined && node.id < this.#known && !this.#below.has(node)) this.#below.set(node, belowOf(node));
  }

  takeBack(): void {
    for (const [node, counts] of this.#counts) Object.assign(node, counts);
    for (const [node, below] of this.#below) Object.assign(node, below);
  }
}

function countsOf({ cut, pruned, count, visits, pending, value, squares, available }: Node): Counts {
  return { cut, pruned, count, visits, pending, value, squares, available };
}

function belowOf({ children, byIndex, inFlight, probes }: Node): Below {
  return {
    children: [...children],
    byIndex: byIndex && new Map(byIndex),
    inFlight: inFlight && new Map(inFlight),
    probes: probes && new Map(probes),
  };
}
