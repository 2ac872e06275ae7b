// Prepares text for a terminal: makes it harmless, cuts it to the width, redraws it in place. No text of a model or a question may move the
// cursor, change colours or hide other text.

// Control characters, and the format characters that reorder or hide text in a line.
const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Makes one line of harmless text: newlines and tabs become spaces, other control characters are removed. */
export function plainLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(harmful, '').trim();
}

const wideCharacter =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Columns that a character takes: two for East Asian wide characters and emoji, none for combining marks. */
function columnsOf(character: string): number {
  if (/\p{Mark}/u.test(character)) return 0;
  return wideCharacter.test(character) ? 2 : 1;
}

export function columns(text: string): number {
  let sum = 0;
  for (const character of text) sum += columnsOf(character);
  return sum;
}

/** Cuts to this many columns, with an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += columnsOf(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Breaks text at spaces into lines of at most this many columns. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && columns(line) + 1 + columns(word) > width) {
      lines.push(line);
      line = cutTo(word, width);
    } else {
      line = line === '' ? cutTo(word, width) : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Breaks a long line at spaces on a terminal, and indents the rest below its first word. */
export function fit(text: string, output: Pick<Output, 'isTTY' | 'columns'>): string {
  const width = widthOf(output, 120);
  if (!output.isTTY || columns(text) <= width) return text;
  const [lead] = /^\s*(?:[^\s\w] )?/.exec(text)!;
  const indent = lead.replace('\n', '').replace(/\S/g, ' ');
  return lead + wrap(text.slice(lead.length), width - indent.length).join(`\n${indent}`);
}

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Columns to write in, at most `most`. A terminal that does not know its size, as in a container, reports 0. */
export function widthOf({ columns: told }: Pick<Output, 'columns'>, most: number): number {
  return Math.min(told || 80, most);
}

/** Draws lines again and again at the same place of a terminal; on any other output it draws nothing. */
export class LiveBlock {
  readonly #output: Output;
  #drawn = 0;

  constructor(output: Output) {
    this.#output = output;
  }

  get width(): number {
    return widthOf(this.#output, 120);
  }

  get height(): number {
    return this.#output.rows || 24;
  }

  draw(lines: readonly string[]): void {
    if (!this.#output.isTTY) return;
    const shown = lines.slice(0, this.height - 1).map((line) => `\u001b[2K${cutTo(line, this.width - 1)}\n`);
    // To the first column too: a terminal shows ^C where the cursor stands.
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}F` : '';
    const rest = this.#drawn > shown.length ? '\u001b[0J' : '';
    this.#output.write(up + shown.join('') + rest);
    this.#drawn = shown.length;
  }

  /** Erases the block; the next text begins in its place. */
  clear(): void {
    if (this.#drawn > 0) this.#output.write(`\u001b[${this.#drawn}F\u001b[0J`);
    this.#drawn = 0;
  }
}

/** `████░░░░ 12/24`, with a bar of `width` columns. */
export function progressBar(done: number, total: number, width: number): string {
  const filled = total === 0 ? width : Math.round((Math.min(done, total) / total) * width);
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done}/${total}`;
}

/** 0.4 s, 12 s, 3 min 20 s. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
