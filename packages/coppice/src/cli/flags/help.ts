// Prints the help of a command from the declarations of its flags: a usage line, groups of flags, examples; `--help all` adds rarer flags
// and every setting. At most 80 columns wide.

import { wrap } from '../terminal/terminal.ts';

/** A flag of node:util's parseArgs, with its description. */
export interface Flag {
  readonly type: 'string' | 'boolean';
  readonly multiple?: true;
  readonly short?: string;
  readonly default?: string | boolean;
  readonly takes?: string;
  readonly about: string;
  /** Only `--help all` shows it. */
  readonly rare?: true;
}

export type Flags = Readonly<Record<string, Flag>>;

export interface Help {
  /** Start of every line to type; `coppice` unless given. */
  readonly starts?: string;
  readonly usage: string;
  readonly about: string;
  readonly groups: readonly (readonly [title: string, flags: Flags])[];
  /** The names that `--set` takes. */
  readonly settings?: readonly (readonly [
    title: string,
    entries: readonly (readonly [name: string, text: string])[],
  ])[];
  readonly examples: readonly string[];
  readonly notes?: string;
}

export const exampleServer = 'http://127.0.0.1:8000/v1';

export const helpFlag = {
  help: { type: 'boolean', default: false, short: 'h', about: 'prints this; --help all prints every flag and setting' },
} as const satisfies Flags;

/** The help, if the arguments ask for it; arguments after `--` are no flags. */
export function helpAsked(args: readonly string[], help: Help | string): string | undefined {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const at = before.findIndex((arg) => arg === '--help' || arg === '--help=all' || arg === '-h');
  if (at < 0) return undefined;
  return typeof help === 'string' ? help : helpText(help, before[at] === '--help=all' || before[at + 1] === 'all');
}

export function helpText(help: Help, all: boolean): string {
  const { starts = 'coppice', usage, about, groups, settings = [], examples, notes } = help;
  const flagGroups = groups.flatMap(([title, flags]) => {
    const shown = Object.entries(flags).filter(([, flag]) => all || flag.rare === undefined);
    return shown.length === 0 ? [] : [['', title, ...shown.flatMap(([name, flag]) => flagLines(name, flag))]];
  });
  const settingGroups = settings.map(([title, entries]) => {
    return ['', `--set, ${title}`, ...entries.flatMap(([name, text]) => entryLines(name, text))];
  });
  return [
    `usage: ${starts} ${usage}`,
    ...wrap(about, width),
    ...flagGroups.flat(),
    ...(all ? settingGroups.flat() : []),
    ...(all && notes !== undefined ? ['', ...wrap(notes, width)] : []),
    '',
    'examples',
    ...examples.map((each) => `  ${starts} ${each}`),
  ].join('\n');
}

const width = 80;
const column = 23;

function flagLines(name: string, flag: Flag): string[] {
  const otherwise = typeof flag.default === 'string' ? ` (${flag.default})` : '';
  const taken = flag.takes === undefined ? '' : ` ${flag.takes}`;
  return entryLines(`--${name}${taken}`, `${flag.about}${otherwise}`);
}

/** Puts a name that is too long for its column on a separate line. */
function entryLines(name: string, text: string): string[] {
  const head = `  ${name}`;
  const lines = wrap(text, width - column);
  const [first = '', ...rest] = head.length < column ? lines : ['', ...lines];
  return [`${head.padEnd(column)}${first}`.trimEnd(), ...rest.map((line) => `${' '.repeat(column)}${line}`)];
}
