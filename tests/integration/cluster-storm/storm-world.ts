// What a client of a storm is given: nodes to ask, a record to fill, questions, chance and time. Every request has a connection of
// its own, so that one that breaks is that of its node and never a pooled one that was closed a moment ago.

import { type IncomingMessage, request } from 'node:http';
import type { Random } from '../../../packages/core/src/base/random.ts';
import type { Loose } from '../../support/loose.ts';
import type { StormCluster, StormNode } from './storm-cluster.ts';
import type { StormRecord } from './storm-record.ts';

export interface StormWorld {
  readonly cluster: StormCluster;
  readonly record: StormRecord;
  /** No more is asked for. */
  readonly isOver: () => boolean;
  /** The storm is given up: what has no answer by now never gets one. */
  readonly ended: AbortSignal;
}

export interface Call {
  readonly method?: 'POST' | 'GET' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** After so long the client goes away. */
  readonly patienceMs?: number;
}

export interface Answer {
  readonly node: StormNode;
  readonly status: number;
  readonly text: AsyncIterable<string>;
}

export function anyNode({ cluster }: StormWorld, random: Random): StormNode {
  return cluster.nodes[random.integer(cluster.nodes.length)]!;
}

export function pause({ ended }: StormWorld, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      ended.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ended.addEventListener('abort', done);
    if (ended.aborted) done();
  });
}

/** Rejects where there is no connection, or it breaks before the answer begins. */
export function call({ ended }: StormWorld, node: StormNode, options: Call): Promise<Answer> {
  const { method = 'GET', path, body, headers, patienceMs } = options;
  const isBytes = body instanceof Uint8Array;
  const type = isBytes || body === undefined ? {} : { 'content-type': 'application/json' };
  const signal = patienceMs === undefined ? ended : AbortSignal.any([ended, AbortSignal.timeout(patienceMs)]);
  return new Promise((resolve, reject) => {
    const asked = request(`${node.url}${path}`, { method, agent: false, signal, headers: { ...type, ...headers } });
    asked.on('error', reject);
    asked.on('response', (response) => {
      response.setEncoding('utf8');
      resolve({ node, status: response.statusCode ?? 0, text: wholeText(response) });
    });
    asked.end(body === undefined ? undefined : isBytes ? body : JSON.stringify(body));
  });
}

/** Throws where it breaks off before its end. */
async function* wholeText(response: IncomingMessage): AsyncGenerator<string> {
  for await (const piece of response) yield String(piece);
  if (!response.complete) throw new Error('the answer broke off');
}

export async function textOf({ text }: Answer): Promise<string> {
  let whole = '';
  for await (const piece of text) whole += piece;
  return whole;
}

export async function jsonOf(answer: Answer): Promise<Loose> {
  return JSON.parse(await textOf(answer));
}

/** Undefined where no answer came, or one that says so for now. What is gone was acknowledged, and is lost. */
export async function readJson(world: StormWorld, node: StormNode, path: string): Promise<Loose | undefined> {
  try {
    const answer = await call(world, node, { path, patienceMs: 20_000 });
    const body = await jsonOf(answer);
    if (answer.status === 404) world.record.problem('lost', `GET ${path} on node ${node.at}: ${body.error?.message}`);
    return answer.status === 200 ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The events of a stream; one that breaks off throws. */
export async function* eventsOf({ text }: Answer): AsyncGenerator<{ event: string; id: string; data: string }> {
  let rest = '';
  for await (const piece of text) {
    rest += piece;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const fields = new Map(rest.slice(0, end).split('\n').map(fieldOf));
      rest = rest.slice(end + 2);
      const [event = '', id = '', data = ''] = ['event', 'id', 'data'].map((name) => fields.get(name));
      if (data !== '') yield { event, id, data };
    }
  }
}

function fieldOf(line: string): [string, string] {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trimStart()];
}

export function usageOf(usage: Loose): number[] | undefined {
  if (usage === undefined || usage === null) return undefined;
  return [
    usage.prompt_tokens ?? usage.input_tokens,
    usage.completion_tokens ?? usage.output_tokens,
    usage.total_tokens,
  ];
}

/** Questions that the engines can work on, with a seed of their own each. */
export function questionOf({ cluster }: StormWorld, seed: number, random: Random) {
  if (cluster.engine === 'sim') return { text: `question ${seed}`, coppice: { rollouts: 2 + random.integer(11) } };
  const numbers = Array.from({ length: 4 }, () => 1 + random.integer(9));
  return { text: `Make 24 from ${numbers.join(' ')}.`, coppice: { rollouts: 2 + random.integer(5) } };
}

export function chatBody(world: StormWorld, seed: number, random: Random) {
  const { text, coppice } = questionOf(world, seed, random);
  return { model: world.cluster.model, seed, coppice, messages: [{ role: 'user', content: text }] };
}
