// Writes the line of `--help all` for each setting: values, the clause that says what it does, default and unit.

import { flagKnobs, flagName, knobOf, modelSettings, namedPaths, type SearchKnob } from '@coppice/core/config';
import { knobsByName, type SettingScope, settingGroups } from './settings.ts';

export function settingHelp(scope: SettingScope): [string, [string, string][]][] {
  return settingGroups(scope).map(([title, names]) => [title, names.map((name) => [name, textOf(name)])]);
}

function textOf(name: string): string {
  const knob = knobsByName.get(name);
  if (knob === undefined) {
    const option = namedPaths().get(name);
    if (option !== undefined) return described(option.knob);
    const { fallback, ...setting } = modelSettings().get(name)!;
    return described({ ...setting, default: shown(fallback) });
  }
  const flag = (flagKnobs as readonly SearchKnob[]).includes(knob) ? `, or --${flagName(knob)}` : '';
  return `${described(knobOf(knob))}${flag}`;
}

interface Described {
  readonly why: string;
  readonly values?: readonly string[] | undefined;
  readonly unit?: string | undefined;
  readonly default?: string | number | undefined;
}

function described({ why, values, unit, default: otherwise }: Described): string {
  const words = values === undefined ? '' : `${values.join(', ')}: `;
  const standing = [otherwise, values === undefined ? unit : undefined].filter((each) => each !== undefined).join(' ');
  return `${words}${shortReason(why)}${standing === '' ? '' : ` (${standing})`}`;
}

function shown(value: unknown): string | number | undefined {
  if (value === undefined || value === '') return undefined;
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

/** The first clause that describes the setting, after `0 is off` and its owner. */
function shortReason(why: string): string {
  const said = why.replace(/^0 is off[^.]*\. /, '');
  const ends = [...said.matchAll(/[;.:] /g)].filter(({ index, 0: mark }) => {
    return index >= (mark === ': ' ? 25 : 8) && !/^of \S+$/.test(said.slice(0, index));
  });
  return ends[0] === undefined ? said : said.slice(0, ends[0].index);
}
