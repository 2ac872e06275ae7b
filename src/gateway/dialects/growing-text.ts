// One generation as it grows, its thinking apart from its answer by the model's tags. Each character is read a fixed number of times,
// however long the text becomes; what may be the beginning of a tag waits for the rest of it.

import type { ThinkingTags } from '../../tree/thinking.ts';

export interface SplitText {
  readonly content: string;
  readonly reasoning_content: string;
}

/** A text with more blanks than this in front of it does not begin with a tag. */
const mostBlanks = 1000;

export class GrowingText {
  readonly #tags: (ThinkingTags & { readonly opened: boolean }) | undefined;
  #place: 'begin' | 'thought' | 'gap' | 'content';
  #unread = '';
  /** The line end behind the tag is no part of the thinking. */
  #isBehindTag = false;

  /** Without tags all of it is content. `opened`: the prompt ends within the thinking. */
  constructor(tags: (ThinkingTags & { readonly opened: boolean }) | undefined) {
    this.#tags = tags;
    this.#place = tags === undefined ? 'content' : 'begin';
  }

  /** What these characters add to both. */
  add(text: string): SplitText {
    this.#unread += text;
    if (this.#place === 'begin') this.#begin(this.#tags!);
    const thought = this.#place === 'thought' ? this.#think(this.#tags!) : '';
    if (this.#place === 'gap') this.#unread = this.#unread.replace(/^\n+/, '');
    if (this.#place === 'gap' && this.#unread !== '') this.#place = 'content';
    return { reasoning_content: thought, content: this.#place === 'content' ? this.#take(this.#unread.length) : '' };
  }

  #begin({ open, opened }: ThinkingTags & { readonly opened: boolean }): void {
    const said = this.#unread.trimStart();
    if (said.length < open.length && open.startsWith(said) && this.#unread.length <= mostBlanks) return;
    this.#isBehindTag = said.startsWith(open);
    if (this.#isBehindTag) this.#unread = said.slice(open.length);
    this.#place = this.#isBehindTag || opened ? 'thought' : 'content';
  }

  #think({ close }: ThinkingTags): string {
    if (this.#isBehindTag && this.#unread !== '') {
      this.#unread = this.#unread.replace(/^\n/, '');
      this.#isBehindTag = false;
    }
    const at = this.#unread.indexOf(close);
    if (at < 0) return this.#take(Math.max(0, this.#unread.length - close.length + 1));
    const thought = this.#take(at);
    this.#take(close.length);
    this.#place = 'gap';
    return thought;
  }

  #take(characters: number): string {
    const taken = this.#unread.slice(0, characters);
    this.#unread = this.#unread.slice(characters);
    return taken;
  }
}
