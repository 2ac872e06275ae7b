// Honest streaming: the text that every branch which can still become the answer begins with. A node is settled when it has children and
// every child that was asked for has been answered. The text of a settled node's only child is certain, and of several children their
// common prefix. A step that ends its path is answer, any other reasoning, so nothing is sent where siblings disagree on that; thinking is
// split off by its tags, which go to no client. Sent text is never taken back. Programs that add children to nodes they have left have no
// settled nodes. A single sample departs from sent text only if a call failed for good (`agrees`).

import type { SearchFold } from '@coppice/core/log';
import { type ProgramName, programWith } from '@coppice/core/program';
import { answerPart, isComplete, type Node, type ThinkingTags, thoughtText } from '@coppice/core/tree';

interface Piece {
  readonly kind: 'reasoning' | 'content';
  readonly text: string;
}

interface SharedTextOptions {
  readonly program: ProgramName;
  readonly programOptions?: Readonly<Record<string, unknown>>;
  readonly rollouts: number;
  readonly maxTokens?: number | undefined;
  readonly thinking?: ThinkingTags | undefined;
  readonly reasoning?: 'separate' | 'inline';
}

export class SharedText {
  readonly #fold: SearchFold;
  readonly #maxTokens: number;
  readonly #settles: boolean;
  /** Everything up to and including this node has been sent. */
  #at: Node | undefined;
  /** Characters already sent of whichever child comes next. */
  #ahead = 0;
  readonly #tags: ThinkingTags | undefined;
  /** Some of the answer behind the thinking has been sent: the blank lines before it are no part of it. */
  #answers = false;

  constructor(
    fold: SearchFold,
    {
      program,
      programOptions = {},
      rollouts,
      maxTokens = Number.POSITIVE_INFINITY,
      thinking,
      reasoning,
    }: SharedTextOptions,
  ) {
    this.#fold = fold;
    this.#maxTokens = maxTokens;
    this.#tags = reasoning === 'inline' ? undefined : thinking;
    const singlePath = program === 'greedy' || rollouts === 1;
    this.#settles = programWith(program, programOptions).expandsOnce || singlePath;
  }

  take(): Piece[] {
    const pieces: Piece[] = [];
    if (!this.#settles) return pieces;
    this.#at ??= this.#fold.tree?.root;
    while (this.#at !== undefined && this.#fold.isSettled(this.#at)) {
      const [only, ...others] = this.#at.children;
      if (only === undefined || this.#at.children.some(({ pathTokens }) => pathTokens > this.#maxTokens)) break;
      if (others.length > 0) {
        if (others.some((other) => isComplete(other) !== isComplete(only))) break;
        // Only a whole step tells how much of it is thinking.
        if (this.#tags !== undefined && this.#at.children.some(hasThoughtAbove)) break;
        this.#give(pieces, only, commonLength(this.#at.children));
        break;
      }
      this.#give(pieces, only, textOf(only).length);
      this.#at = only;
      this.#ahead = 0;
    }
    return pieces;
  }

  agrees(path: readonly Node[]): boolean {
    const at = this.#at;
    return at === undefined || at.depth === 0 || path[at.depth - 1] === at;
  }

  finish(path: readonly Node[]): Piece[] {
    const pieces: Piece[] = [];
    const done = this.#at === undefined ? 0 : this.#at.depth;
    for (const node of path.slice(done)) {
      this.#give(pieces, node, textOf(node).length);
      this.#ahead = 0;
    }
    return pieces;
  }

  #give(pieces: Piece[], node: Node, upTo: number): void {
    if (upTo <= this.#ahead) return;
    if (this.#tags !== undefined && hasThoughtAbove(node)) return this.#giveThought(pieces, node, this.#tags);
    const text = textOf(node).slice(this.#ahead, upTo);
    this.#ahead = upTo;
    pieces.push({ kind: isComplete(node) ? 'content' : 'reasoning', text });
  }

  #giveThought(pieces: Piece[], node: Node, tags: ThinkingTags): void {
    this.#ahead = textOf(node).length;
    const thought = thoughtText(node.step!, tags);
    if (thought !== '') pieces.push({ kind: 'reasoning', text: thought });
    const said = answerPart(node.step);
    const text = this.#answers ? said : said.replace(/^\n+/, '');
    if (text === '') return;
    this.#answers = true;
    pieces.push({ kind: 'content', text });
  }
}

function hasThoughtAbove({ thoughtTokens, step }: Node): boolean {
  return thoughtTokens > 0 || step?.thought !== undefined;
}

function textOf({ step }: Node): string {
  return step?.text ?? '';
}

/** Length of the longest common prefix; never splits a surrogate pair. */
function commonLength(nodes: readonly Node[]): number {
  const [first, ...others] = nodes.map(textOf);
  let length = first?.length ?? 0;
  for (const other of others) {
    let at = 0;
    while (at < length && at < other.length && first![at] === other[at]) at += 1;
    length = at;
  }
  const last = first?.charCodeAt(length - 1) ?? 0;
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
