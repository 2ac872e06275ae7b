// Servers listed in a text: JSON (an array of targets, or Prometheus' file_sd groups) or one entry a line. One unreadable entry spoils the
// list: half of it would look like replicas that have left.

import { raise } from '../../../base/fault.ts';
import { isRecord } from '../../../base/record.ts';
import { parseJson } from '../../../remote/json.ts';
import { shown } from '../../../remote/wire-values.ts';
import { mostReplicas, urlOf } from './replica-list.ts';

export function listedUrls(text: string, name: string): string[] {
  const whole = parsed(text);
  const urls =
    whole === undefined
      ? text.split('\n').flatMap((line, at) => lineUrls(line, `${name}, line ${at + 1}`))
      : urlsIn(whole, name);
  return checked(urls, name);
}

export function checked(urls: readonly string[], name: string): string[] {
  const bad = urls.find((url) => !/^https?:\/\/[^/]/.test(url) || URL.parse(url) === null);
  if (bad !== undefined)
    raise('protocol', `${name} lists '${withoutUser(bad).slice(0, 80)}'; an entry is a URL or host:port`);
  const each = [...new Set(urls)];
  if (each.length > mostReplicas)
    raise('protocol', `${name} lists ${each.length} replicas; ${mostReplicas} is the most`);
  return each;
}

function lineUrls(line: string, name: string): string[] {
  const entry = line.trim();
  if (entry === '' || entry.startsWith('#')) return [];
  const value = parsed(entry);
  return value === undefined ? [urlOf(entry)] : urlsIn(value, name);
}

function urlsIn(value: unknown, name: string): string[] {
  if (typeof value === 'string') return [urlOf(value)];
  if (Array.isArray(value)) return value.flatMap((each) => urlsIn(each, name));
  if (isRecord(value) && typeof value.url === 'string') return [value.url];
  if (!isRecord(value) || !Array.isArray(value.targets))
    return raise('protocol', `${name} has ${withoutUser(shown(value, 80))}, which is no target and has no targets`);
  const scheme = isRecord(value.labels) ? value.labels.__scheme__ : undefined;
  return value.targets.map((target) => urlOf(String(target), typeof scheme === 'string' ? scheme : undefined));
}

function parsed(text: string): unknown {
  try {
    return /^\s*[[{"]/.test(text) ? parseJson(text, 'it') : undefined;
  } catch {
    return undefined;
  }
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^@/]*@/, '//***@');
}
