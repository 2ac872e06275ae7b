// One generation as it grows, its thinking apart from its answer. Every character is read once, however long the text becomes, and
// what could still turn out to be a tag or a stop string is held back.

import type { ThinkingTags } from '../../tree/thinking.ts';

export interface SpokenPieces {
  readonly reasoning_content: string;
  readonly content: string;
}

/** `before`: nothing has decided yet whether the model thinks; `behind`: its thinking has ended and only blanks have followed. */
type Phase = 'before' | 'thinking' | 'behind' | 'answer';

export class SpokenText {
  readonly #tags: (ThinkingTags & { readonly opened: boolean }) | undefined;
  /** Characters at the end that do not go out yet. */
  readonly #hold: number;
  #phase: Phase;
  /** What has come and not gone out. */
  #rest = '';

  constructor(tags: (ThinkingTags & { readonly opened: boolean }) | undefined, stops: readonly string[]) {
    this.#tags = tags;
    const held = [...stops, ...(tags === undefined ? [] : [tags.open, tags.close])];
    this.#hold = Math.max(0, ...held.map(({ length }) => length));
    this.#phase = tags === undefined ? 'answer' : 'before';
  }

  /** What the next piece of the text makes certain. */
  add(text: string): SpokenPieces {
    this.#rest += text;
    if (this.#phase === 'before') this.#decide();
    const thought = this.#phase === 'thinking' ? this.#think() : '';
    if (this.#phase === 'behind' && this.#rest.trim() !== '') {
      this.#rest = this.#rest.replace(/^\n+/, '');
      this.#phase = 'answer';
    }
    return { reasoning_content: thought, content: this.#phase === 'answer' ? this.#give() : '' };
  }

  #decide(): void {
    const { open, opened } = this.#tags!;
    const said = this.#rest.trimStart();
    // One more character: the line break behind the tag goes with it.
    if (said.length <= open.length && open.startsWith(said.slice(0, open.length))) return;
    if (said.startsWith(open)) {
      this.#rest = said.slice(open.length).replace(/^\n/, '');
      this.#phase = 'thinking';
    } else this.#phase = opened ? 'thinking' : 'answer';
  }

  #think(): string {
    const { close } = this.#tags!;
    const at = this.#rest.indexOf(close);
    if (at < 0) return this.#give();
    const thought = this.#rest.slice(0, at);
    this.#rest = this.#rest.slice(at + close.length);
    this.#phase = 'behind';
    return thought;
  }

  #give(): string {
    const given = this.#rest.slice(0, Math.max(0, this.#rest.length - this.#hold));
    this.#rest = this.#rest.slice(given.length);
    return given;
  }
}
