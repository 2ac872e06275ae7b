// Colours text, only on a terminal and never under NO_COLOR (https://no-color.org). Colour repeats what the words say.

import type { Verdict } from '@coppice/core/log';
import type { Output } from './terminal.ts';

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Colour = keyof typeof codes;
export type Paint = (text: string, colour: Colour) => string;

const unpainted: Paint = (text) => text;

const painted: Paint = (text, colour) => (text === '' ? '' : `\u001b[${codes[colour]}m${text}\u001b[0m`);

/** An empty NO_COLOR asks for nothing; TERM=dumb cannot show any. */
export function painter(output: Output, environment: Readonly<Record<string, string | undefined>>): Paint {
  const { NO_COLOR, TERM } = environment;
  return output.isTTY && (NO_COLOR ?? '') === '' && TERM !== 'dumb' ? painted : unpainted;
}

export const verdictColours: Readonly<Record<Verdict, Colour>> = {
  accepted: 'green',
  confident: 'green',
  likely: 'cyan',
  unsure: 'yellow',
  none: 'red',
};
