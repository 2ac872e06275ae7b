import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const sheet = readFileSync(join(import.meta.dirname, 'colours.css'), 'utf8');

/** Both values of a colour, for light and for dark. */
function pairOf(name: string): readonly [string, string] {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\);`).exec(sheet) ?? [];
  if (light === undefined || dark === undefined) throw new Error(`no pair of colours named ${name}`);
  return [light, dark];
}

/** WCAG 2.2, relative luminance and contrast ratio. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high! + 0.05) / (low! + 0.05);
}

describe('the colours', () => {
  it.each(['ink', 'muted', 'faint'].flatMap((text) => ['panel', 'ground'].map((back) => [text, back] as const)))(
    'can be read: %s on %s',
    (text, back) => {
      for (const theme of [0, 1]) expect(contrast(pairOf(text)[theme]!, pairOf(back)[theme]!)).toBeGreaterThan(4.5);
    },
  );

  it.each([
    ['on-accent', 'accent', 4.5],
    ['accent', 'panel', 3],
    ['focus', 'panel', 3],
    ['on-strong', 'exit-accepted', 4.5],
    ['on-strong', 'exit-failed', 4.5],
    ['on-weak', 'exit-cancelled', 4.5],
  ] as const)('can be seen: %s on %s', (front, back, least) => {
    for (const theme of [0, 1]) expect(contrast(pairOf(front)[theme]!, pairOf(back)[theme]!)).toBeGreaterThan(least);
  });
});
