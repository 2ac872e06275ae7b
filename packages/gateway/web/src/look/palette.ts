// Reads the colours of a canvas from the page's style sheet, the one place to change them.

import type { Theme } from './score-scale.ts';

const properties = {
  panel: '--panel',
  ink: '--ink',
  muted: '--muted',
  faint: '--faint',
  line: '--line',
  accent: '--accent',
  accentSoft: '--accent-soft',
  accentMid: '--accent-mid',
  branch: '--branch',
  branchFaint: '--branch-faint',
  ghost: '--ghost',
  edge: '--edge',
  focus: '--focus',
} as const;

export type Palette = Readonly<Record<keyof typeof properties, string>> & { readonly theme: Theme };

/** Reads through an element that uses the colour: only then has the browser chosen between light and dark. */
export function readPalette(): Palette {
  const probe = document.createElement('i');
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const read = (property: string) => {
    probe.style.color = `var(${property})`;
    return style.color;
  };
  const colours = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, read(property)]));
  probe.remove();
  return { ...(colours as Record<keyof typeof properties, string>), theme: readTheme() };
}

export function readTheme(): Theme {
  const { theme: choice } = document.documentElement.dataset;
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  return dark ? 'dark' : 'light';
}
