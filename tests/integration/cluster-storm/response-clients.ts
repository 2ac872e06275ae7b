// Clients of `/v1/responses`: waiting, as a stream, in the background with polls, and as a stream that is taken up again on any
// node after it broke.

import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../packages/core/src/base/random.ts';
import type { Loose } from '../../support/loose.ts';
import { brokenOff, refused } from './chat-clients.ts';
import type { StormNode } from './storm-cluster.ts';
import {
  anyNode,
  call,
  eventsOf,
  jsonOf,
  pause,
  questionOf,
  readJson,
  type StormWorld,
  usageOf,
} from './storm-world.ts';

const path = '/v1/responses';
const patienceMs = 45_000;

function responseBody(world: StormWorld, seed: number, random: Random) {
  const { text, coppice } = questionOf(world, seed, random);
  return { model: world.cluster.model, seed, coppice, input: text };
}

export async function response(world: StormWorld, random: Random): Promise<void> {
  const seed = world.record.ask('response');
  const node = anyNode(world, random);
  try {
    const answer = await call(world, node, { method: 'POST', path, body: responseBody(world, seed, random) });
    const json = await jsonOf(answer);
    if (answer.status !== 200) return await refused(world, seed, answer.status, json);
    world.record.settle(seed, 'answered');
    tellResponse(world, `response on node ${node.at}`, json);
  } catch (error) {
    await brokenOff(world, { seed, node, error });
  }
}

export async function responseStream(world: StormWorld, random: Random): Promise<void> {
  const seed = world.record.ask('response stream');
  const node = anyNode(world, random);
  const body = { ...responseBody(world, seed, random), stream: true };
  try {
    const answer = await call(world, node, { method: 'POST', path, body });
    if (answer.status !== 200) return await refused(world, seed, answer.status, await jsonOf(answer));
    const events: Loose[] = [];
    for await (const { data } of eventsOf(answer)) events.push(JSON.parse(data));
    if (!isEnd(events.at(-1))) throw new Error(`ended with ${events.at(-1)?.type}`);
    world.record.settle(seed, 'answered');
    tellResponse(world, `response stream on node ${node.at}`, events.at(-1).response);
    checkNumbers(world, events);
  } catch (error) {
    await brokenOff(world, { seed, node, error });
  }
}

export async function backgroundResponse(world: StormWorld, random: Random): Promise<void> {
  const seed = world.record.ask('background response');
  const node = anyNode(world, random);
  const body = { ...responseBody(world, seed, random), background: true };
  let id: string;
  try {
    const answer = await call(world, node, { method: 'POST', path, body, patienceMs });
    const json = await jsonOf(answer);
    if (answer.status !== 200) return await refused(world, seed, answer.status, json);
    world.record.settle(seed, 'acknowledged');
    ({ id } = json);
  } catch (error) {
    return await brokenOff(world, { seed, node, error });
  }
  for (;;) {
    await pause(world, 300 + random.uniform() * 2500);
    if (world.ended.aborted) return world.record.problem('stuck', `${id} has no end for those who poll`);
    const json = await readJson(world, anyNode(world, random), `${path}/${id}`);
    if (json !== undefined && !isOpen(json)) break;
  }
  for (const each of [...world.cluster.nodes]) {
    const json = await readJson(world, each, `${path}/${id}`);
    if (json !== undefined) tellResponse(world, `response of node ${each.at}`, json);
  }
}

/** In the background and as a stream: after a break it goes on behind the last event, and in the end it is read again as a whole. */
export async function resumedStream(world: StormWorld, random: Random): Promise<void> {
  const seed = world.record.ask('resumed stream');
  const node = anyNode(world, random);
  const body = { ...responseBody(world, seed, random), background: true, stream: true };
  const events: Loose[] = [];
  try {
    const answer = await call(world, node, { method: 'POST', path, body });
    if (answer.status !== 200) return await refused(world, seed, answer.status, await jsonOf(answer));
    for await (const { data } of eventsOf(answer)) {
      events.push(JSON.parse(data));
      if (events.length === 1) world.record.settle(seed, 'acknowledged');
      // Its client goes away in the middle, as clients do.
      if (events.length === 4 && random.chance(0.5)) break;
    }
  } catch (error) {
    if (events.length === 0) return await brokenOff(world, { seed, node, error });
    noteBroken(world, node, events, error);
  }
  const { id } = events[0]?.response ?? {};
  if (id === undefined) return world.record.problem('broken', `resumed stream ${seed} ended before its first event`);
  await takeUp(world, random, id, events);
  const again: Loose[] = [];
  await takeUp(world, random, id, again);
  const isSame = isDeepStrictEqual(again, events);
  if (!isSame && !world.ended.aborted) world.record.problem('two results', `${id}: its events read again differ`);
}

/** Until the last word. */
async function takeUp(world: StormWorld, random: Random, id: string, events: Loose[]): Promise<void> {
  while (!isEnd(events.at(-1))) {
    if (world.ended.aborted) return world.record.problem('stuck', `${id}: its stream has no end`);
    const node = anyNode(world, random);
    const after = events.length - 1;
    try {
      const answer = await call(world, node, { path: `${path}/${id}?stream=true&starting_after=${after}` });
      if (answer.status === 404) world.record.problem('lost', `${id} is not known on node ${node.at}`);
      if (answer.status !== 200) await textDropped(answer.text);
      else for await (const { data } of eventsOf(answer)) events.push(JSON.parse(data));
      if (answer.status === 200 && !isEnd(events.at(-1))) throw new Error('ended without its last event');
    } catch (error) {
      if (events.length - 1 > after) noteBroken(world, node, events, error);
    }
    if (!isEnd(events.at(-1))) await pause(world, 300);
  }
  checkNumbers(world, events);
  tellResponse(world, 'resumed stream', events.at(-1).response);
}

async function textDropped(text: AsyncIterable<string>): Promise<void> {
  for await (const _ of text);
}

function noteBroken({ record, ended }: StormWorld, node: StormNode, events: readonly Loose[], error: unknown): void {
  if (node.isGone || ended.aborted) return;
  record.problem('broken', `${events[0]?.response?.id} on node ${node.at}: ${(error as Error).message}`);
}

function isOpen({ status }: Loose): boolean {
  return status === 'queued' || status === 'in_progress';
}

function isEnd(event: Loose | undefined): boolean {
  return /^response\.(completed|incomplete|failed|cancelled)$/.test(event?.type ?? '');
}

function checkNumbers({ record }: StormWorld, events: readonly Loose[]): void {
  const wrong = events.findIndex(({ sequence_number }, at) => sequence_number !== at);
  if (wrong >= 0) record.problem('truncated', `${events[0]?.response?.id}: event ${wrong} is missing or doubled`);
}

export function tellResponse({ record }: StormWorld, by: string, json: Loose): void {
  if (isOpen(json)) return;
  const state = json.status === 'completed' || json.status === 'incomplete' ? 'done' : json.status;
  const message = json.output.find(({ type }: Loose) => type === 'message');
  const content = message?.content?.[0]?.text;
  const usage = usageOf(json.usage);
  record.tell(json.id.replace('resp_', 'srch_'), by, {
    state,
    ...(content === undefined ? {} : { content }),
    ...(json.coppice === null ? {} : { exit: json.coppice.exit }),
    ...(usage && { usage }),
  });
}
