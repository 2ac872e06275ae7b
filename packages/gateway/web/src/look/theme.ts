// Keeps the choice of light, dark or the system's theme: an attribute of the document, stored on this machine.

const name = 'coppice.theme';
const choices = ['auto', 'light', 'dark'] as const;
export type ThemeChoice = (typeof choices)[number];

const listeners = new Set<() => void>();

export function themeChoice(): ThemeChoice {
  const kept = read();
  return choices.find((each) => each === kept) ?? 'auto';
}

export function nextTheme(): void {
  const next = choices[(choices.indexOf(themeChoice()) + 1) % choices.length]!;
  try {
    localStorage.setItem(name, next);
  } catch {
    // A page opened from a file may have no storage; the choice then lasts as long as the page.
  }
  apply(next);
}

export function startTheme(): void {
  apply(themeChoice());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', tell);
}

/** Calls back after every change, until the signal aborts. */
export function onTheme(listener: () => void, signal: AbortSignal): void {
  listeners.add(listener);
  signal.addEventListener('abort', () => listeners.delete(listener));
}

let applied: ThemeChoice = 'auto';

function apply(choice: ThemeChoice): void {
  applied = choice;
  document.documentElement.dataset.theme = choice;
  tell();
}

function read(): string | null {
  try {
    return localStorage.getItem(name) ?? applied;
  } catch {
    return applied;
  }
}

function tell(): void {
  for (const listener of listeners) listener();
}
