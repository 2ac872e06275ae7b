// A server that lies: what an honest server answers is spoiled in one of many ways, drawn by a seed, before it goes out. What is asked to find out
// what the server is goes through as it is, unless a test says otherwise.

import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Random } from '../../packages/core/src/base/random.ts';

/** An answer on its way out. */
interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: Buffer;
  /** Goes on for as long as its reader does; what is sent again and again. */
  endless?: Buffer;
  /** Pieces that are written one by one. */
  pieceBytes?: number;
  /** The connection breaks where the body ends. */
  isCut?: boolean;
}

type Spoil = (answer: Answer, chance: Random) => void;

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const pick = <Item>(chance: Random, items: readonly Item[]): Item => items[chance.integer(items.length)]!;

/** Values that no field is meant to have, as JSON writes them, or as it cannot. */
const oddValues = [
  'null',
  'true',
  '-1',
  '0.5',
  '1e999',
  '-1e308',
  '9007199254740993',
  'NaN',
  'Infinity',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  `"${'x'.repeat(100_000)}"`,
  `"${'[{(\\\\frac'.repeat(2000)}"`,
  '[]',
  '{}',
  '[[]]',
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"a":1},"constructor":{"prototype":1},"length":4294967295}',
  '{"error":{"error":{"message":[]}}}',
  deep(20_000),
  `[${'0,'.repeat(50_000)}0]`,
  '["a",null,{},[],1]',
  '"stop"',
  '7',
];

/** The places in a text of JSON where a value stands. */
const valuePattern = /(?<=[:[,]\s*)("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=\s*[,\]}])/g;

function spoilValue(text: string, chance: Random): string {
  const places = [...text.matchAll(valuePattern)];
  if (places.length === 0) return pick(chance, oddValues);
  const { index, 0: was } = pick(chance, places);
  return text.slice(0, index) + pick(chance, oddValues) + text.slice(index + was.length);
}

const spoils: Readonly<Record<string, Spoil>> = {
  value(answer, chance) {
    let text = answer.body.toString();
    for (let at = 0; at <= chance.integer(3); at += 1) text = spoilValue(text, chance);
    answer.body = Buffer.from(text);
  },
  field(answer, chance) {
    const text = answer.body.toString();
    const keys = [...text.matchAll(/"(\w+)":/g)];
    if (keys.length === 0) return;
    const { index, 0: was } = pick(chance, keys);
    const key = pick(chance, ['__proto__', 'constructor', 'toString', 'choices', 'error', 'x'.repeat(5000), '']);
    const value = pick(chance, oddValues);
    // Another name for a field, or a second field in front of it.
    const put = chance.integer(2) === 0 ? `"${key}":` : `"${key}":${value},${was}`;
    answer.body = Buffer.from(text.slice(0, index) + put + text.slice(index + was.length));
  },
  shape(answer, chance) {
    const texts = [
      ...oddValues,
      '<html>hello</html>',
      '{"choices":[',
      `[${'[],'.repeat(300_000)}[]]`,
      '\u0000\u0001\u0002',
    ];
    const text = pick(chance, texts);
    answer.body = Buffer.from(chance.integer(2) === 0 ? text : `data: ${text}\n\n`);
  },
  /** Values so deep that code which goes down into them, to read or to show them, overflows the stack. */
  deep(answer, chance) {
    const texts = [
      deep(40_000),
      `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      `{"choices":${deep(20_000)}}`,
      `{"choices":[{"text":${deep(20_000)},"finish_reason":${deep(20_000)}}]}`,
      `{"detail":${deep(20_000)}}`,
      `{"meta_info":{"finish_reason":${deep(20_000)}}}`,
      `{"content":"","stop":true,"stop_type":${deep(20_000)}}`,
      `${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      `{"usage":{"prompt_tokens":{"toString":1,"valueOf":1}},"rewards":[0.5],"scores":[[0.5]],"data":[{"targets":[{"toString":1}]}]}`,
    ];
    const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
    const text = pick(chance, texts);
    answer.body = Buffer.from(isStream ? `data: ${text}\n\n` : text);
  },
  cut(answer, chance) {
    answer.body = answer.body.subarray(0, chance.integer(answer.body.length + 1));
    answer.isCut = chance.integer(2) === 0;
  },
  pieces(answer, chance) {
    answer.pieceBytes = 1 + chance.integer(7);
    spoils.value!(answer, chance);
    answer.body = answer.body.subarray(0, 3000);
  },
  bytes(answer, chance) {
    const body = Buffer.from(answer.body);
    for (let at = 0; at < 8 && body.length > 0; at += 1) body[chance.integer(body.length)] = chance.integer(256);
    answer.body = body;
  },
  events(answer, chance) {
    const odd = [
      'data\n\n',
      ': comment\n\n',
      'event: error\ndata: {"message":"no"}\n\n',
      'data: [DONE]\n\n',
      'id: \u0000\nretry: x\ndata: {}\n\n',
      'data: {"choices"\ndata: :[]}\n\n',
      '\ufeffdata: 1\n\n',
      'data: \r\r\r\n\n',
      'no field at all\n\n',
    ];
    const events = answer.body.toString().split(/(?<=\n\n)/);
    for (let at = 0; at < 3; at += 1)
      events.splice(chance.integer(events.length + 1), chance.integer(2), pick(chance, odd));
    answer.body = Buffer.from(events.join(''));
  },
  status(answer, chance) {
    answer.status = pick(
      chance,
      [201, 204, 206, 300, 302, 304, 400, 401, 404, 408, 413, 422, 429, 500, 501, 503, 504, 599],
    );
    answer.headers.location = '/elsewhere';
    if (chance.integer(2) === 0) spoils.shape!(answer, chance);
  },
  headers(answer, chance) {
    Object.assign(
      answer.headers,
      pick<Record<string, string | number>>(chance, [
        { 'content-type': 'text/html' },
        { 'content-type': 'application/json; charset=utf-16' },
        { 'content-encoding': 'gzip' },
        { 'content-length': answer.body.length + 100 },
        { 'content-length': Math.floor(answer.body.length / 2) },
        { 'x-long': 'x'.repeat(15_000) },
        { 'x-session-token': '\u00ff'.repeat(2000) },
        { connection: 'upgrade', upgrade: 'websocket' },
      ]),
    );
  },
  gzip(answer, chance) {
    answer.headers['content-encoding'] = 'gzip';
    answer.body = chance.integer(2) === 0 ? gzipSync(answer.body) : Buffer.from([31, 139, 8, 0, 1, 2, 3]);
  },
  repeat(answer, chance) {
    answer.body = Buffer.concat(Array.from({ length: 2 + chance.integer(40) }, () => answer.body));
  },
  endless(answer, chance) {
    const event = answer.body.toString().split(/(?<=\n\n)/)[0] ?? '';
    const texts = ['x', ' ', '\n', '[', '{"a":', '0,', ': ping\n\n', 'data: {}\n\n', 'data: x', event, '\u{1f333}'];
    answer.endless = Buffer.from(pick(chance, texts).repeat(1 + Math.floor(16_384 / (1 + event.length))));
    if (chance.integer(2) === 0) answer.body = Buffer.alloc(0);
  },
};

/** Endless answers take as long as some hundred others. */
const kinds = [
  ...Array.from({ length: 4 }, () => Object.keys(spoils).filter((kind) => kind !== 'endless')).flat(),
  'endless',
];

export class MadeUpServer {
  /** How many answers were made up, by kind. */
  readonly made = new Map<string, number>();
  readonly #honest: string;
  readonly #isSpoiled: (path: string) => boolean;
  readonly #chance: Random;
  readonly #kinds: readonly string[];
  readonly #server: http.Server;

  /** `isSpoiled`: of the path of a request, whether its answer is made up. */
  constructor(honest: string, isSpoiled: (path: string) => boolean, chance: Random, only?: readonly string[]) {
    this.#kinds = only ?? kinds;
    this.#honest = honest;
    this.#isSpoiled = isSpoiled;
    this.#chance = chance;
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', url: path = '/' } = request;
    const sent = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const headers = { 'content-type': 'application/json' };
    const honest = await fetch(`${this.#honest}${path}`, { method, headers, ...sent });
    const type = honest.headers.get('content-type') ?? 'application/json';
    const body = Buffer.from(await honest.arrayBuffer());
    const answer: Answer = { status: honest.status, headers: { 'content-type': type }, body };
    if (this.#isSpoiled(path)) this.#spoil(answer);
    await write(response, answer);
  }

  #spoil(answer: Answer): void {
    const kind = pick(this.#chance, this.#kinds);
    this.made.set(kind, (this.made.get(kind) ?? 0) + 1);
    spoils[kind]!(answer, this.#chance);
  }
}

/** No reader takes more of an endless answer. */
const mostBytes = 64 * 1024 * 1024;

async function write(response: http.ServerResponse, answer: Answer): Promise<void> {
  const { status, headers, body, endless, pieceBytes = body.length || 1, isCut } = answer;
  response.strictContentLength = false;
  response.writeHead(status, headers);
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  const isGone = () => response.destroyed || response.closed;
  for (let at = 0; at < body.length && !isGone(); at += pieceBytes) {
    response.write(body.subarray(at, at + pieceBytes));
    if (pieceBytes < body.length) await new Promise((resolve) => setImmediate(resolve));
  }
  for (let sent = 0; endless !== undefined && sent < mostBytes && !isGone(); sent += endless.length)
    if (!response.write(endless)) await Promise.race([gone, new Promise((resolve) => response.once('drain', resolve))]);
  const isShort = Number(headers['content-length'] ?? 0) > body.length;
  if (isCut || isShort) response.destroy();
  else response.end();
}
