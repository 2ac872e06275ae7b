// Maps a score to a colour. Lightness changes in one direction only, so that it can be read without seeing hue; better scores are further
// from the background. Hues run from sand or slate over teal to blue or yellow, never red against green.

type Rgb = readonly [number, number, number];

export type Theme = 'light' | 'dark';

const anchors: Readonly<Record<Theme, readonly Rgb[]>> = {
  light: [
    [216, 207, 178],
    [150, 194, 163],
    [66, 157, 158],
    [31, 105, 150],
    [28, 52, 116],
  ],
  dark: [
    [72, 80, 116],
    [47, 112, 142],
    [38, 157, 138],
    [122, 202, 92],
    [250, 230, 92],
  ],
};

/** Number of colours, so that marks of one colour can be painted together. */
export const scoreSteps = 20;

export function scoreStep(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * scoreSteps);
}

export function scoreColour(theme: Theme, score: number): string {
  const at = (scoreStep(score) / scoreSteps) * (anchors[theme].length - 1);
  const from = anchors[theme][Math.floor(at)]!;
  const to = anchors[theme][Math.ceil(at)]!;
  const mixed = from.map((each, channel) => Math.round(each + (to[channel]! - each) * (at % 1)));
  return `rgb(${mixed.join(' ')})`;
}
