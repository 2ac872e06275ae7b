// Reads `--set NAME=VALUE`: every setting of a model's section of the configuration, checked by the same schema. Settings of a search
// become a wish, the rest overlays the model that the flags name.

import type { ParseArgsConfig } from 'node:util';
import { checkWish, type Wish } from '@coppice/core/answering';
import { nearest, raise, valueOfText } from '@coppice/core/base';
import {
  flagValue,
  modelKnobs,
  modelSettings,
  namedPaths,
  nest,
  overlay,
  type PlainTree,
  policySettingKnobs,
  requestKnobs,
  type SearchKnob,
  samplingKnobs,
  searchKnobNames,
  settingName,
  settingValue,
} from '@coppice/core/config';
import '../plugins/plugins.ts';
import type { Flags } from './help.ts';
import { readWish } from './knob-flags.ts';
import { readArguments } from './options.ts';

export const setFlag = {
  set: { type: 'string', multiple: true, takes: 'NAME=VALUE', about: 'any other setting; once for each' },
} as const satisfies Flags;

/** The settings that a command's `--set` takes. */
export interface SettingScope {
  readonly search: readonly SearchKnob[];
  readonly model: (name: string) => boolean;
}

const serverKnobs: readonly SearchKnob[] = ['priority', 'onUnaccepted', 'reasoning'];
export const ownKnobs: readonly SearchKnob[] = searchKnobNames.filter((name) => !serverKnobs.includes(name));

/** Settings with a flag: flags name the parts of a model, and a setting cannot replace one part by another. */
const flagsOfSettings: ReadonlyMap<string, string> = new Map([
  ['engine.kind', '--engine'],
  ['engine.urls', '--engine'],
  ['engine.model', '--model'],
  ['verifier.kind', '--prm or --verifier'],
  ['verifier.urls', '--verifier'],
  ['verifier.format', '--kind'],
  ['embedder.url', '--embedder'],
]);
const gatewaySettings: readonly string[] = [
  'name',
  'escalateTo',
  'panel.models',
  'panel.synthesizer',
  'tools',
  'examples',
  'engine.speed',
];

export const knobsByName: ReadonlyMap<string, SearchKnob> = new Map(
  searchKnobNames.map((name) => [settingName(name), name]),
);

function machineNames(): string[] {
  const isTold = (name: string) => knobsByName.has(name) || namedPaths().has(name);
  return [...modelSettings().keys()].filter(
    (name) => !isTold(name) && !flagsOfSettings.has(name) && !gatewaySettings.includes(name),
  );
}

export const everySetting: SettingScope = { search: ownKnobs, model: () => true };

export function settingNames(scope: SettingScope): string[] {
  return settingGroups(scope).flatMap(([, names]) => names);
}

/** Reads the flags and `--set` of a command that searches into a wish; `model` is the model's part of `--set`. */
export function readSearchArguments<T extends ParseArgsConfig>(config: T, scope: SettingScope) {
  const read = readArguments(config, (flag) => settingOfFlag(flag, scope));
  const values = read.values as Readonly<Record<string, unknown>>;
  const { wish, model } = readSettings(values.set as string[] | undefined, scope);
  return { ...read, wish: readWish(values, scope.search, wish), model };
}

interface ToldSettings {
  readonly wish: Wish;
  readonly model: PlainTree;
}

/** The last of several values of one setting counts, as in `serve --set`. */
export function readSettings(texts: readonly string[] = [], scope: SettingScope): ToldSettings {
  const known = settingNames(scope);
  const wish: Record<string, unknown> = {};
  let model: PlainTree = {};
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    if (!known.includes(name)) refuseName(name, known);
    if (at < 0) raise('bad-setting', `--set ${name} needs a value: --set ${name}=VALUE`);
    const value = text.slice(at + 1);
    const knob = knobsByName.get(name);
    const option = namedPaths().get(name);
    if (knob !== undefined) wish[knob] = flagValue(knob, value);
    else if (option === undefined)
      model = overlay(model, nest(name.split('.'), settingValue(modelSettings().get(name)!, value)));
    else wish[option.part] = { ...(wish[option.part] ?? {}), [option.option]: valueOfText(option.knob, value) };
  }
  checkWish(wish as Wish, 'flags');
  return { wish: wish as Wish, model };
}

function refuseName(name: string, known: readonly string[]): never {
  const flag = flagsOfSettings.get(name);
  if (flag !== undefined) raise('bad-setting', `--set ${name}: ${flag} sets this`);
  const isElsewhere = knobsByName.has(name) || modelSettings().has(name);
  const meant = nearest(name, known) ?? known.find((each) => each.split('.').at(-1) === camelled(name));
  if (meant === undefined || isElsewhere)
    raise('bad-setting', `there is no setting '${name.slice(0, 64)}' for this command; --help all lists them`);
  raise('bad-setting', `there is no setting '${name.slice(0, 64)}'; did you mean ${meant}?`);
}

function camelled(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The setting that an unknown flag may mean. */
function settingOfFlag(flag: string, scope: SettingScope): string | undefined {
  return settingNames(scope).find((name) => name.split('.').at(-1) === camelled(flag));
}

export function settingGroups({ search, model }: SettingScope): [string, string[]][] {
  const ofSearch = (knobs: object) => search.filter((name) => Object.hasOwn(knobs, name)).map(settingName);
  const ofModel = (part: RegExp) => machineNames().filter((name) => part.test(name) && model(name));
  const groups: [string, string[]][] = [
    ['the search', [...ofSearch(modelKnobs), ...ofSearch(requestKnobs), ...ofSearch(samplingKnobs)]],
    ['the model', ofModel(/^[^.]+$/)],
    ['its engine', ofModel(/^engine\./)],
    ['its reward model', ofModel(/^verifier\./)],
    ['its embedding model', ofModel(/^embedder\./)],
    ['of policies', ofSearch(policySettingKnobs)],
    ['of programs and rules', search.length === 0 ? [] : [...namedPaths().keys()]],
  ];
  return groups.filter(([, names]) => names.length > 0);
}
