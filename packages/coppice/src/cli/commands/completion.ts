// `coppice completion SHELL`: a script that completes commands, flags and the names that flags take, made from the commands' own options.

import { raise } from '@coppice/core/base';
import { efforts, flagName, knobOf, searchKnobNames } from '@coppice/core/config';
import { policyNames } from '@coppice/core/policy';
import { programNames } from '@coppice/core/program';
import { remoteVerifierKinds } from '@coppice/core/verifier';
import { readArguments } from '../flags/options.ts';
import { commands } from './list.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export const help = `usage: coppice completion ${shells.join('|')}
Prints a script that completes commands, flags and their values:

  bash   source <(coppice completion bash)
  zsh    source <(coppice completion zsh)
  fish   coppice completion fish | source`;

export const flags = { help: { type: 'boolean', default: false, short: 'h' } } as const;

interface CommandWords {
  readonly name: string;
  readonly about: string;
  readonly flags: readonly string[];
  readonly settings: readonly string[];
}

const valuesOfFlag: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...searchKnobNames.flatMap((name) => {
    const knob = knobOf(name);
    return 'values' in knob ? [[flagName(name), knob.values.map(String)] as const] : [];
  }),
  ['kind', remoteVerifierKinds],
  ['effort', efforts],
  ['programs', programNames()],
  ['policies', policyNames()],
]);

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = readArguments({ args: [...args], allowPositionals: true, options: flags });
  const shell = shells.find((each) => each === positionals[0]);
  if (shell === undefined) raise('bad-setting', `completion for which shell? Give one of ${shells.join(', ')}`);
  const loaded = Object.entries(commands).map(async ([name, { about, load }]) => {
    const { flags: all, settings = [] } = await load();
    return { name, about, flags: Object.keys(all).sort(), settings };
  });
  console.log(scripts[shell](await Promise.all(loaded)));
  return 0;
}

const scripts: Readonly<Record<Shell, (words: readonly CommandWords[]) => string>> = {
  bash: bashScript,
  // zsh understands bash's completions.
  zsh: (words) => `autoload -Uz bashcompinit && bashcompinit\n${bashScript(words)}`,
  fish: fishScript,
};

function bashScript(words: readonly CommandWords[]): string {
  const names = words.map(({ name }) => name).join(' ');
  const values = [...valuesOfFlag].map(([flag, all]) => `    --${flag}) words="${all.join(' ')}" ;;`);
  const settings = words.flatMap(({ name, settings: all }) => {
    return all.length === 0 ? [] : [`    ${name}:--set) words="${all.map((each) => `${each}=`).join(' ')}" ;;`];
  });
  const flags = words.map((each) => `    ${each.name}) words="${each.flags.map((flag) => `--${flag}`).join(' ')}" ;;`);
  return [
    '_coppice() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""`,
    '  case "$previous" in',
    ...values,
    '  esac',
    `  case "\${COMP_WORDS[1]}:$previous" in`,
    ...settings,
    '  esac',
    // After NAME= the value follows at once.
    '  if [ "$previous" = --set ] && type compopt >/dev/null 2>&1; then compopt -o nospace; fi',
    `  if [ -z "$words" ] && [ "$COMP_CWORD" -eq 1 ]; then words="${names} --version --help"; fi`,
    `  if [ -z "$words" ]; then case "\${COMP_WORDS[1]}" in`,
    ...flags,
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _coppice coppice',
  ].join('\n');
}

function fishScript(words: readonly CommandWords[]): string {
  const names = words.map(({ name, about }) => {
    return `complete -c coppice -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`;
  });
  const flags = words.flatMap(({ name, flags: all, settings }) => {
    return all.map((flag) => {
      const names = flag === 'set' && settings.length > 0 ? settings.map((each) => `${each}=`) : undefined;
      const values = names ?? valuesOfFlag.get(flag);
      const taken = values === undefined ? '' : ` -x -a ${quoted(values.join(' '))}`;
      return `complete -c coppice -n '__fish_seen_subcommand_from ${name}' -l ${flag}${taken}`;
    });
  });
  return [...names, ...flags].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
