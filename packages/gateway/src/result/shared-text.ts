// Streams only certain text: the steps that all branches share which can still become the answer. A node is settled when it has children
// and every child that was asked for has been answered; the text of its only child is then certain. A step that ends its path is answer,
// any other reasoning. A step that a token limit cut waits for its rest. Thinking is split off by its tags, which no client gets. Sent
// text is never taken back. Programs that add children to nodes they have left have no settled nodes. A single sample contradicts sent
// text only if a call failed for good (`agrees`).

import type { SearchPlan } from '@coppice/core/answering';
import type { SearchFold } from '@coppice/core/log';
import { programWith } from '@coppice/core/program';
import { answerPart, isComplete, type Node, type ThinkingTags, thoughtText } from '@coppice/core/tree';

interface Piece {
  readonly kind: 'reasoning' | 'content';
  readonly text: string;
}

interface SharedTextOptions
  extends Pick<SearchPlan, 'program' | 'rollouts' | 'maxTokens' | 'shape'>,
    Partial<Pick<SearchPlan, 'programOptions' | 'reasoning'>> {
  readonly thinking?: ThinkingTags | undefined;
}

export class SharedText {
  readonly #fold: SearchFold;
  readonly #maxTokens: number;
  readonly #settles: boolean;
  /** Everything up to and including this node has been sent. */
  #at: Node | undefined;
  readonly #tags: ThinkingTags | undefined;
  /** False with a schema: its last step is not joined to a cut one. */
  readonly #joinsCuts: boolean;
  /** The beginning of a step that was cut. */
  #held = '';
  /** Part of the answer after the thinking was sent. Blank lines before it are no part of it. */
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
      shape,
    }: SharedTextOptions,
  ) {
    this.#fold = fold;
    this.#maxTokens = maxTokens;
    this.#tags = reasoning === 'inline' ? undefined : thinking;
    this.#joinsCuts = reasoning !== 'inline' && shape === undefined;
    const singlePath = program === 'greedy' || rollouts === 1;
    this.#settles = programWith(program, programOptions).expandsOnce || singlePath;
  }

  take(): Piece[] {
    const pieces: Piece[] = [];
    if (!this.#settles) return pieces;
    this.#at ??= this.#fold.tree?.root;
    while (this.#at !== undefined && this.#fold.isSettled(this.#at)) {
      const [only, ...others] = this.#at.children;
      if (only === undefined || others.length > 0 || only.pathTokens > this.#maxTokens) break;
      this.#give(pieces, only);
      this.#at = only;
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
    for (const node of path.slice(done)) this.#give(pieces, node);
    if (this.#held !== '') pieces.push({ kind: 'reasoning', text: this.#held });
    return pieces;
  }

  #give(pieces: Piece[], node: Node): void {
    const hasThought = node.thoughtTokens > 0 || node.step?.thought !== undefined;
    if (this.#tags !== undefined && hasThought) return this.#giveThought(pieces, node, this.#tags);
    const text = node.step?.text ?? '';
    this.#held += text;
    if (this.#held === '' || (this.#joinsCuts && node.step?.end === 'length')) return;
    pieces.push({ kind: isComplete(node) && text !== '' ? 'content' : 'reasoning', text: this.#held });
    this.#held = '';
  }

  #giveThought(pieces: Piece[], node: Node, tags: ThinkingTags): void {
    const thought = thoughtText(node.step!, tags);
    if (thought !== '') pieces.push({ kind: 'reasoning', text: thought });
    const said = answerPart(node.step);
    const text = this.#answers ? said : said.replace(/^\n+/, '');
    if (text === '') return;
    this.#answers = true;
    pieces.push({ kind: 'content', text });
  }
}
