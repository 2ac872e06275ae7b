// Reads the repository for the tidy test: its files, what they import, circles among them, the types they export, and the lengths of
// their functions. It reads text by its layout, which Biome keeps the same everywhere.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const trackedFiles: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && isThere(file));

function isThere(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

const texts = new Map<string, string>();

export function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8');
  texts.set(file, text);
  return text;
}

/** Files that a file imports, type-only imports included. */
export function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/from '(\.[^']*)'|import\('(\.[^']*)'\)/g)].map(([, a, b]) =>
    normalize(join(dirname(file), (a ?? b)!)),
  );
}

/** Packages that a file imports by name. */
export function packagesOf(file: string): string[] {
  return [
    ...textOf(file).matchAll(/^(?:(?:import|export|\}).* from|import) '([^'.][^']*)';|import\('([^'.][^']*)'\)/gm),
  ].map(([, a, b]) => (a ?? b)!);
}

/** Code without comments, and with empty strings except for names of Node's modules: good enough to look for words. */
export function codeOf(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, (string) => (string.startsWith("'node:") ? string : "''"));
}

export interface DefinedType {
  readonly name: string;
  readonly exported: boolean;
}

/** Types, interfaces and classes that a file defines. */
export function typesOf(file: string): DefinedType[] {
  return [...textOf(file).matchAll(/^(export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(
    ([, word, name]) => {
      return { name: name!, exported: word !== undefined };
    },
  );
}

/** One circle for each group of files that import each other, written as `a -> b -> a`. */
export function circles(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  for (const from of imports.keys()) {
    if (done.has(from)) continue;
    const way = wayBack(imports, from);
    if (way === undefined) continue;
    for (const each of way) done.add(each);
    found.push(way.join(' -> '));
  }
  return found;
}

/** The shortest way from a file back to itself. */
function wayBack(imports: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const at of queue) {
    for (const next of imports.get(at) ?? []) {
      if (next === start) return [...wayTo(cameFrom, start, at), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const way: string[] = [];
  for (let at: string | undefined = end; at !== undefined && at !== start; at = cameFrom.get(at)) way.push(at);
  return [start, ...way.reverse()];
}

const beginning =
  /^(\s*)(?:export )?(?:(?:async )?function\*? \w+|const \w+ = (?:async )?\(|(?!if|for|while|switch|catch|return|throw|super|else|do\b)(?:static |async |override |get |set |private |\*)*#?\w+(?:<[^(]*>)?\()/;

/** Number of lines of every function with a body of several lines, from signature to closing brace. */
export function functionLengths(file: string): number[] {
  const lines = textOf(file).split('\n');
  const lengths: number[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const indent = beginning.exec(lines[at]!)?.[1];
    const open = indent === undefined ? undefined : bodyOf(lines, at, indent);
    if (open === undefined) continue;
    const close = lines.findIndex((line, index) => index > open && line.startsWith(`${indent}}`));
    if (close > 0) lengths.push(close - at + 1);
  }
  return lengths;
}

/** Line in which the signature that begins at `from` ends with `{`; undefined for a call, or without a body. */
function bodyOf(lines: readonly string[], from: number, indent: string): number | undefined {
  const first = lines[from]!;
  if (/(\)|=>|\)?: [^=]+) \{$/.test(first)) return from;
  if (!/[({]$/.test(first)) return undefined;
  const end = lines.findIndex((line, index) => index > from && line.startsWith(`${indent})`));
  return end > 0 && /\{$/.test(lines[end]!) && !/=> \{$/.test(lines[end]!) ? end : undefined;
}
