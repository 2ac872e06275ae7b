// Clients of `/v1/searches`: in the background with polls and event streams on every node, cancelled on any node, waited for, listed.

import type { Random } from '../../../packages/core/src/base/random.ts';
import type { Loose } from '../../support/loose.ts';
import { brokenOff, refused } from './chat-clients.ts';
import { anyNode, call, chatBody, eventsOf, jsonOf, pause, readJson, type StormWorld, usageOf } from './storm-world.ts';

const path = '/v1/searches';
/** Longer than a node that hangs or looks for its database keeps a client waiting. */
const patienceMs = 45_000;
const followedShare = 0.3;

export async function backgroundSearch(world: StormWorld, random: Random): Promise<void> {
  const id = await accepted(world, random, 'background search');
  if (id === undefined) return;
  const following = random.chance(followedShare) ? follow(world, random, id) : undefined;
  await pollToEnd(world, random, id);
  await following;
}

export async function cancelledSearch(world: StormWorld, random: Random): Promise<void> {
  const id = await accepted(world, random, 'cancelled search');
  if (id === undefined) return;
  await pause(world, random.uniform() * 2000);
  for (let tries = 0; tries < 5; tries += 1) {
    const asked = { method: 'DELETE', path: `${path}/${id}`, patienceMs } as const;
    const answer = await call(world, anyNode(world, random), asked).catch(() => undefined);
    if (answer?.status === 200) break;
    await pause(world, 500);
  }
  await pollToEnd(world, random, id);
}

/** The name of a search that is kept. With an idempotency key it is asked for until a node has taken it. */
async function accepted(world: StormWorld, random: Random, kind: string): Promise<string | undefined> {
  const { record } = world;
  const seed = record.ask(kind);
  record.asked.get(seed)!.mayBeCancelled = kind === 'cancelled search';
  const isKeyed = random.chance(0.5);
  const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `storm-${seed}` } : {};
  const body = { ...chatBody(world, seed, random), background: true };
  do {
    const node = anyNode(world, random);
    try {
      const answer = await call(world, node, { method: 'POST', path, body, headers, patienceMs });
      const json = await jsonOf(answer);
      if (answer.status === 202) {
        record.settle(seed, 'acknowledged');
        return json.id;
      }
      if (!isKeyed) await refused(world, seed, answer.status, json);
    } catch (error) {
      if (!isKeyed) await brokenOff(world, { seed, node, error });
    }
    await pause(world, 300);
  } while (isKeyed && !world.ended.aborted);
  return undefined;
}

/** Waits on its node for the whole search. */
export async function waitedSearch(world: StormWorld, random: Random): Promise<void> {
  const { record } = world;
  const seed = record.ask('waited search');
  const node = anyNode(world, random);
  const headers: Record<string, string> = random.chance(0.3) ? { 'idempotency-key': `storm-${seed}` } : {};
  try {
    const answer = await call(world, node, { method: 'POST', path, body: chatBody(world, seed, random), headers });
    const json = await jsonOf(answer);
    if (answer.status !== 200) return await refused(world, seed, answer.status, json);
    record.settle(seed, 'answered');
    tellSearch(world, `wait on node ${node.at}`, json);
  } catch (error) {
    await brokenOff(world, { seed, node, error });
  }
}

function tellSearch({ record }: StormWorld, by: string, search: Loose): void {
  const { id, state, result, answer, exit } = search;
  if (state === 'queued' || state === 'running') return;
  const usage = usageOf(result?.usage);
  record.tell(id, by, { state, answer, exit, content: result?.content ?? null, ...(usage && { usage }) });
}

/** On any node until it has its end, and then on every node. */
async function pollToEnd(world: StormWorld, random: Random, id: string): Promise<void> {
  for (;;) {
    await pause(world, 300 + random.uniform() * 2500);
    if (world.ended.aborted) return world.record.problem('stuck', `${id} has no end for those who poll`);
    const search = await readJson(world, anyNode(world, random), `${path}/${id}`);
    if (search?.ended_ms !== null && search !== undefined) break;
  }
  for (const node of [...world.cluster.nodes]) {
    const search = await readJson(world, node, `${path}/${id}`);
    if (search !== undefined) tellSearch(world, `poll of node ${node.at}`, search);
  }
}

/** The whole log by event streams, each going on where the last one broke, on any node. */
async function follow(world: StormWorld, random: Random, id: string): Promise<void> {
  const { record } = world;
  let next = 0;
  while (!world.ended.aborted) {
    const node = anyNode(world, random);
    let hasBegun = false;
    try {
      const answer = await call(world, node, { path: `${path}/${id}/events?after=${next - 1}` });
      if (answer.status === 204) return void record.logs.set(id, next);
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      hasBegun = true;
      for await (const { event, id: last, data } of eventsOf(answer)) {
        if (event === 'end') return void record.logs.set(id, next);
        const { sequence } = JSON.parse(data) as { readonly sequence: number };
        if (sequence !== next) record.problem('truncated', `${id}: entry ${sequence} in the place of ${next}`);
        // The last event of an entry alone has an id: only then it is whole.
        if (last !== '') next = Number(last) + 1;
      }
      throw new Error('ended without its last line');
    } catch (error) {
      if (hasBegun && !node.isGone && !world.ended.aborted)
        record.problem('broken', `events of ${id} on node ${node.at}: ${(error as Error).message}`);
    }
    await pause(world, 200);
  }
  record.problem('stuck', `${id}: its log was followed up to ${next}, and has no end`);
}

export async function list(world: StormWorld, random: Random): Promise<void> {
  const node = anyNode(world, random);
  const listed = await readJson(world, node, `${path}?limit=${20 + random.integer(80)}`);
  world.record.count('list', listed === undefined ? 'refused' : 'answered');
  for (const { id, state, answer, exit, ended_ms } of listed?.data ?? [])
    if (ended_ms !== null) world.record.tell(id, `list of node ${node.at}`, { state, answer, exit });
  await pause(world, 500 + random.uniform() * 1500);
}
