// File, then environment, then flags, into one frozen value. Each source is a tree of plain values laid over the one
// before it; the schema judges only the sum, so that a complaint names the key, whichever source set it. No secret is ever echoed.

import { readFileSync } from 'node:fs';
import { FaultError, fault, raise } from '../base/fault.ts';
import { isRecord, jsonOrText } from '../base/record.ts';
import { issueLine, issueWords } from './knob.ts';
import { bySections, engineKind, requirePackage } from './plugin.ts';
import { type Config, configSchema } from './schema.ts';
import { namesRule, requestKnobs, ruledProgram } from './vocabulary.ts';

/** Read once from the root's package.json, which stands beside src/ and dist/ alike. */
const packageText = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

export const version: string = (JSON.parse(packageText) as { version: string }).version;

export interface PlainTree {
  [key: string]: unknown;
}

export interface Sources {
  /** Text of the file: JSON, with comments. */
  readonly file?: { readonly name: string; readonly text: string };
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Each as `server.port=8080`. */
  readonly settings?: readonly string[];
  /** Lies below all of them. */
  readonly base?: PlainTree;
}

const prefix = 'COPPICE__';

export const registeredSchema = bySections(configSchema);

export function loadConfig({ base = {}, file, environment = {}, settings = [] }: Sources): Config {
  const ofFile = file === undefined ? {} : parseFile(file);
  const layers = [structuredClone(base), ofFile, fromEnvironment(environment), ...settings.map(fromSetting)];
  return checkConfig(layers.reduce(overlay));
}

export function checkConfig(tree: PlainTree): Config {
  const whole =
    isRecord(tree) && Array.isArray(tree.models) ? { ...tree, models: tree.models.map(modelWithDefaults) } : tree;
  requirePackages(whole);
  const parsed = registeredSchema().safeParse(whole, { error: issueWords });
  if (parsed.success) return deepFreeze(parsed.data);
  const lines = parsed.error.issues.flatMap((issue) => {
    const line = issueLine(issue.path.join('.') || 'the configuration', issue.message);
    return issue.code === 'unrecognized_keys' && belongToSearches(issue.path, issue.keys)
      ? issue.keys.map((key) => `${[...issue.path, key].join('.')} ${belongsToSearches}`)
      : line;
  });
  throw new FaultError(fault('bad-setting', [...new Set(lines)].join('; ')));
}

function belongToSearches(path: readonly PropertyKey[], keys: readonly string[]): boolean {
  return path[0] === 'models' && path.length === 2 && keys.every((key) => Object.hasOwn(requestKnobs, key));
}

const belongsToSearches =
  'is a setting of a search, not of a model: give it with the request, or as an option of `search`';

/** A model's own settings go before those of its engine, and these before the program for its rules. How wide trees branch is no rule: it asks for none. */
function modelWithDefaults(model: unknown): unknown {
  if (!isRecord(model) || !isRecord(model.engine)) return model;
  const { engine } = model;
  const ruled = namesRule({ ...model, branching: undefined }) ? { program: ruledProgram } : {};
  const ofEngine = engineKind(String(engine.kind))?.defaults?.(engine, model) ?? {};
  return [{ ...ruled, ...ofEngine }, model].reduce(overlay);
}

function requirePackages({ models, journal }: PlainTree): void {
  if (isRecord(journal)) requirePackage('journal', 'journal.kind', journal.kind);
  for (const [at, model] of Array.isArray(models) ? models.entries() : [])
    for (const part of ['engine', 'verifier'] as const)
      requirePackage(part, `models.${at}.${part}.kind`, model?.[part]?.kind);
}

function parseFile({ name, text }: { readonly name: string; readonly text: string }): PlainTree {
  const json = stripComments(text);
  try {
    const value: unknown = JSON.parse(json);
    if (isRecord(value)) return value;
  } catch (error) {
    const why = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error);
    return raise('bad-setting', `${name} is not JSON: ${strayComma(json) ?? why}`);
  }
  return raise('bad-setting', `${name} must hold one JSON object`);
}

/** The commonest slip, which the parser's own words do not name. */
function strayComma(json: string): string | undefined {
  const marks = [...json.matchAll(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g)];
  const comma = marks.find(([mark]) => mark === ',');
  return comma && `line ${json.slice(0, comma.index).split('\n').length} has a comma behind the last item`;
}

/** `COPPICE__SERVER__SHUTDOWN_MS=5000` is `server.shutdownMs`. */
function fromEnvironment(environment: Readonly<Record<string, string | undefined>>): PlainTree {
  let tree: PlainTree = {};
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || value === undefined) continue;
    const path = name.slice(prefix.length).split('__').map(toCamel);
    tree = overlay(tree, nest(path, jsonOrText(value)));
  }
  return tree;
}

function fromSetting(setting: string): PlainTree {
  const at = setting.indexOf('=');
  if (at <= 0) raise('bad-setting', `'${setting}' is not a setting; write KEY=VALUE, such as server.port=8080`);
  return nest(setting.slice(0, at).split('.'), jsonOrText(setting.slice(at + 1)));
}

function toCamel(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function nest(path: readonly string[], value: unknown): PlainTree {
  const [first, ...rest] = path;
  if (first === undefined || unsafeKeys.has(first)) raise('bad-setting', `'${path.join('.')}' is not a setting`);
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
}

const unsafeKeys: ReadonlySet<string> = new Set(['', '__proto__', 'constructor', 'prototype']);

/** A number addresses an item of a list: `models.0.budget=64`. */
export function overlay(below: PlainTree, above: PlainTree): PlainTree {
  const sum: PlainTree = { ...below };
  for (const [key, value] of Object.entries(above)) sum[key] = overlayValue(sum[key], value);
  return sum;
}

function overlayValue(below: unknown, above: unknown): unknown {
  if (!isRecord(above)) return above;
  if (Array.isArray(below) && Object.keys(above).every((key) => /^\d{1,4}$/.test(key))) {
    const list: unknown[] = [...below];
    for (const [at, value] of Object.entries(above)) list[Number(at)] = overlayValue(list[Number(at)], value);
    return list;
  }
  return isRecord(below) ? overlay(below, above) : above;
}

/** Line and block comments outside of strings become spaces, so that positions in complaints stay right. */
export function stripComments(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' '),
  );
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) deepFreeze(each);
  }
  return value;
}
