// Formats of request traces: Azure's CSV (TIMESTAMP,ContextTokens,GeneratedTokens), Mooncake's JSON lines (timestamp in ms,
// input_length, output_length, hash_ids of 512 tokens) and our own. One line is one request; complaints name the value. Pure.

export interface TracedRequest {
  readonly atMs: number;
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** Names of the prompt's blocks; equal names at the beginning of two prompts are equal tokens. */
  readonly blocks?: readonly number[];
}

export interface TraceFormat {
  readonly name: 'azure' | 'mooncake' | 'coppice';
  readonly blockTokens?: number;
  readonly headLines: number;
  /** Gives a string where the line is wrong. */
  read(line: string): TracedRequest | string;
}

export const ownTraceHead = { format: 'coppice-requests', version: 1 } as const;

export function formatOf(firstLine: string): TraceFormat | undefined {
  const columns = firstLine
    .replace(/^\uFEFF/, '')
    .split(',')
    .map((each) => each.trim());
  const places = azureColumns.map((name) => columns.indexOf(name));
  if (places.every((at) => at >= 0)) return azureFormat(places);
  const first = objectOf(firstLine);
  if (first === undefined) return undefined;
  if (first.format === ownTraceHead.format && first.version === ownTraceHead.version) return own;
  return 'timestamp' in first && 'input_length' in first ? mooncake : undefined;
}

const azureColumns = ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'] as const;

function azureFormat(places: readonly number[]): TraceFormat {
  return {
    name: 'azure',
    headLines: 1,
    read: (line) => {
      const cells = line.split(',');
      const [time, prompt, answer] = places.map((at) => cells[at]?.trim());
      const atMs = dateMs(time ?? '');
      if (atMs === undefined) return `TIMESTAMP is ${said(time)}; it must be as 2023-11-16 18:17:03.9799600`;
      return sized({ atMs }, ['ContextTokens', numeral(prompt)], ['GeneratedTokens', numeral(answer)]);
    },
  };
}

const mooncake: TraceFormat = {
  name: 'mooncake',
  blockTokens: 512,
  headLines: 0,
  read: (line) => {
    const { timestamp, input_length, output_length, hash_ids: blocks = [] } = objectOf(line) ?? {};
    if (!isTime(timestamp)) return `timestamp is ${said(timestamp)}; it must be whole milliseconds from 0`;
    if (!Array.isArray(blocks) || !blocks.every(Number.isSafeInteger))
      return 'hash_ids must be a list of whole numbers';
    const base = { atMs: timestamp, ...(blocks.length > 0 && { blocks }) };
    return sized(base, ['input_length', input_length], ['output_length', output_length]);
  },
};

const own: TraceFormat = {
  name: 'coppice',
  headLines: 1,
  read: (line) => {
    const { atMs, promptTokens, answerTokens } = objectOf(line) ?? {};
    if (!isTime(atMs)) return `atMs is ${said(atMs)}; it must be whole milliseconds from 0`;
    return sized({ atMs }, ['promptTokens', promptTokens], ['answerTokens', answerTokens]);
  },
};

type NamedLength = readonly [name: string, value: unknown];

/** Longer than any served context: a length in other units. */
const mostTokens = 10_000_000;

function sized(base: Pick<TracedRequest, 'atMs' | 'blocks'>, ...lengths: readonly [NamedLength, NamedLength]) {
  for (const [name, value] of lengths) {
    if (!Number.isSafeInteger(value) || Number(value) < 1 || Number(value) > mostTokens)
      return `${name} is ${said(value)}; it must be a whole number from 1 to ${mostTokens} (tokens)`;
  }
  const [promptTokens, answerTokens] = lengths.map(([, value]) => Number(value)) as [number, number];
  return { ...base, promptTokens, answerTokens };
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function numeral(text: string | undefined): unknown {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : text;
}

function said(value: unknown): string {
  return value === undefined || value === '' ? 'missing' : typeof value === 'string' ? `'${value}'` : `${value}`;
}

function objectOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** To the microsecond, which Date.parse does not keep; without a zone it is UTC. */
function dateMs(text: string): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (parts === null) return undefined;
  const [, day, time, fraction = '', zone = 'Z'] = parts;
  const ms = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(ms) ? undefined : ms + 1000 * Number(fraction);
}
