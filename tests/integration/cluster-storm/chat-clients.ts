// Clients that chat, and wait for their answer on the node that they asked, whole or as a stream.

import type { Random } from '../../../packages/core/src/base/random.ts';
import type { Loose } from '../../support/loose.ts';
import type { StormNode } from './storm-cluster.ts';
import { anyNode, call, chatBody, eventsOf, jsonOf, pause, type StormWorld } from './storm-world.ts';

const refusedPauseMs = 400;

/** The connection of a client broke off. A node that lives has no reason for that. */
export async function brokenOff(
  world: StormWorld,
  { seed, node, error }: { readonly seed: number; readonly node: StormNode; readonly error: unknown },
): Promise<void> {
  const { record, ended } = world;
  record.settle(seed, 'unknown');
  const what = `${record.asked.get(seed)?.kind} ${seed} on node ${node.at}: ${(error as Error).message}`;
  if (ended.aborted) record.problem('stuck', what);
  else if (!node.isGone) record.problem('broken', what);
  await pause(world, refusedPauseMs);
}

export async function refused(world: StormWorld, seed: number, status: number, body: Loose): Promise<void> {
  world.record.settle(seed, 'refused', `${status} ${body.error?.code}: ${body.error?.message}`);
  await pause(world, refusedPauseMs);
}

export async function chat(world: StormWorld, random: Random): Promise<void> {
  const { record } = world;
  const seed = record.ask('chat');
  const node = anyNode(world, random);
  const path = '/v1/chat/completions';
  try {
    const answer = await call(world, node, { method: 'POST', path, body: chatBody(world, seed, random) });
    const body = await jsonOf(answer);
    if (answer.status !== 200) return await refused(world, seed, answer.status, body);
    record.settle(seed, 'answered');
    const { coppice, choices } = body;
    record.tell(coppice.search, `chat on node ${node.at}`, {
      content: choices[0].message.content,
      exit: coppice.exit,
    });
  } catch (error) {
    await brokenOff(world, { seed, node, error });
  }
}

export async function chatStream(world: StormWorld, random: Random): Promise<void> {
  const { record } = world;
  const seed = record.ask('chat stream');
  const node = anyNode(world, random);
  const body = { ...chatBody(world, seed, random), stream: true };
  try {
    const answer = await call(world, node, { method: 'POST', path: '/v1/chat/completions', body });
    if (answer.status !== 200) return await refused(world, seed, answer.status, await jsonOf(answer));
    let content = '';
    let last: Loose;
    let isWhole = false;
    for await (const { data } of eventsOf(answer)) {
      isWhole = data === '[DONE]';
      if (isWhole) break;
      const chunk = JSON.parse(data) as Loose;
      if (chunk.error !== undefined) throw new Error(`told ${JSON.stringify(chunk.error)}`);
      content += chunk.choices[0]?.delta?.content ?? '';
      last = chunk;
    }
    if (!isWhole) throw new Error('ended without its last line');
    record.settle(seed, 'answered');
    record.tell(last.coppice.search, `chat stream on node ${node.at}`, { content, exit: last.coppice.exit });
  } catch (error) {
    await brokenOff(world, { seed, node, error });
  }
}
