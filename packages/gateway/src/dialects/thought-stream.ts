// Splits one generation into thinking and answer while it is written. Holds back only text that may be part of a tag. A text has no
// thinking if it neither begins with the tag nor continues thinking that the template opened (tree/readings/thinking.ts).

import type { ThinkingTags } from '@coppice/core/tree';

interface Split {
  readonly thought: string;
  readonly said: string;
}

export class ThoughtStream {
  readonly #tags: (ThinkingTags & { readonly opened: boolean }) | undefined;
  #place: 'before' | 'thinking' | 'behind' | 'answer';
  #blank = '';
  #held = '';

  constructor(tags: (ThinkingTags & { readonly opened: boolean }) | undefined) {
    this.#tags = tags;
    this.#place = tags === undefined ? 'answer' : 'before';
  }

  push(text: string): Split {
    this.#held += text;
    if (this.#place === 'before') this.#begin();
    const thought = this.#place === 'thinking' ? this.#think() : '';
    return { thought, said: this.#say() };
  }

  /** Thinking begins after the tag and a line break, or at once if the template has opened it. */
  #begin(): void {
    const { open, opened } = this.#tags!;
    const text = this.#held.trimStart();
    if (this.#isBlank() || open.startsWith(text)) return;
    const isTagged = text.startsWith(open);
    this.#held = isTagged ? text.slice(open.length).replace(/^\n/, '') : this.#blank + this.#held;
    this.#blank = '';
    this.#place = isTagged || opened ? 'thinking' : 'answer';
  }

  #think(): string {
    const { close } = this.#tags!;
    const at = this.#held.indexOf(close);
    const upTo = at < 0 ? Math.max(0, this.#held.length - close.length + 1) : at;
    const thought = this.#held.slice(0, upTo);
    this.#held = this.#held.slice(at < 0 ? upTo : at + close.length);
    if (at >= 0) this.#place = 'behind';
    return thought;
  }

  #say(): string {
    if (this.#place === 'before' || this.#place === 'thinking') return '';
    if (this.#place === 'behind' && this.#isBlank()) return '';
    const said = this.#place === 'behind' ? (this.#blank + this.#held).replace(/^\n+/, '') : this.#held;
    this.#held = '';
    this.#place = 'answer';
    return said;
  }

  #isBlank(): boolean {
    if (this.#held.trim() !== '') return false;
    this.#blank += this.#held;
    this.#held = '';
    return true;
  }
}
