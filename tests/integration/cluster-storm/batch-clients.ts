// Clients that put in a file, make a batch of it and ask any node until it has ended: every line has one answer.

import type { Random } from '../../../packages/core/src/base/random.ts';
import type { Loose } from '../../support/loose.ts';
import { brokenOff, refused } from './chat-clients.ts';
import type { StormNode } from './storm-cluster.ts';
import { anyNode, call, chatBody, jsonOf, pause, readJson, type StormWorld, textOf, usageOf } from './storm-world.ts';

const patienceMs = 45_000;

export async function batch(world: StormWorld, random: Random): Promise<void> {
  const { record } = world;
  const input = await upload(world, random);
  if (input === undefined) return;
  const { seeds, id: file } = input;
  const node = anyNode(world, random);
  const body = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const each = async (settle: (seed: number) => Promise<void> | void) => {
    for (const seed of seeds) await settle(seed);
  };
  let id: string;
  try {
    const answer = await call(world, node, { method: 'POST', path: '/v1/batches', body, patienceMs });
    const json = await jsonOf(answer);
    if (answer.status !== 200) return await each((seed) => refused(world, seed, answer.status, json));
    ({ id } = json);
    await each((seed) => record.settle(seed, 'acknowledged'));
  } catch (error) {
    return each((seed) => brokenOff(world, { seed, node, error }));
  }
  const ended = await pollToEnd(world, random, id);
  if (ended !== undefined) await readLines(world, random, ended, seeds);
}

interface Input {
  readonly id: string;
  readonly seeds: readonly number[];
}

/** A file that is never made into a batch costs nothing: it is put in until a node takes it. */
async function upload(world: StormWorld, random: Random): Promise<Input | undefined> {
  const count = 2 + random.integer(4);
  while (!world.isOver()) {
    const node = anyNode(world, random);
    const seeds = Array.from({ length: count }, () => world.record.ask('batch line'));
    const lines = seeds.map((seed) => lineOf(seed, chatBody(world, seed, random)));
    const id = await uploaded(world, node, lines.join('\n'));
    if (id !== undefined) return { id, seeds };
    // No batch was made of them.
    for (const seed of seeds) world.record.settle(seed, 'refused', 'no file');
    await pause(world, 400);
  }
  return undefined;
}

function lineOf(seed: number, body: object): string {
  return JSON.stringify({ custom_id: `line ${seed}`, method: 'POST', url: '/v1/chat/completions', body });
}

async function uploaded(world: StormWorld, node: StormNode, text: string): Promise<string | undefined> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new File([text], 'storm.jsonl'));
  const whole = new Response(form);
  const headers = { 'content-type': whole.headers.get('content-type') ?? '' };
  const body = new Uint8Array(await whole.arrayBuffer());
  try {
    const answer = await call(world, node, { method: 'POST', path: '/v1/files', body, headers, patienceMs });
    const json = await jsonOf(answer);
    return answer.status === 200 ? json.id : undefined;
  } catch {
    return undefined;
  }
}

async function pollToEnd(world: StormWorld, random: Random, id: string): Promise<Loose | undefined> {
  for (;;) {
    await pause(world, 500 + random.uniform() * 3000);
    if (world.ended.aborted) {
      world.record.problem('stuck', `${id} has no end`);
      return undefined;
    }
    const json = await readJson(world, anyNode(world, random), `/v1/batches/${id}`);
    if (json !== undefined && /^(completed|failed|expired|cancelled)$/.test(json.status)) return json;
  }
}

async function readLines(world: StormWorld, random: Random, ended: Loose, seeds: readonly number[]): Promise<void> {
  const { record } = world;
  const { id, status, output_file_id: output, error_file_id: errors, request_counts: counts } = ended;
  record.count('batch', status);
  const isComplete = status === 'completed' && counts.completed === seeds.length && errors === null;
  if (!isComplete) {
    const told = typeof errors === 'string' ? await readWhole(world, random, errors) : undefined;
    record.problem('lost', `${id}: ${status} with ${JSON.stringify(counts)} ${told}`);
  }
  if (output === null || output === undefined) return;
  const text = await readWhole(world, random, output);
  if (text === undefined) return record.problem('stuck', `${output} cannot be read`);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Loose);
  const names = lines.map(({ custom_id }) => custom_id).sort();
  const wanted = seeds.map((seed) => `line ${seed}`).sort();
  if (isComplete && names.join() !== wanted.join()) record.problem('lost', `${id}: it has the lines ${names.join()}`);
  for (const { response } of lines) {
    const { coppice, choices, usage } = response.body;
    record.tell(coppice.search, 'batch line', {
      content: choices[0].message.content,
      exit: coppice.exit,
      ...(usage && { usage: usageOf(usage) ?? [] }),
    });
  }
}

async function readWhole(world: StormWorld, random: Random, file: string): Promise<string | undefined> {
  while (!world.ended.aborted) {
    try {
      const asked = { path: `/v1/files/${file}/content`, patienceMs: 20_000 };
      const answer = await call(world, anyNode(world, random), asked);
      const text = await textOf(answer);
      if (answer.status === 200) return text;
    } catch {
      // The node or its database went away: another one knows as much.
    }
    await pause(world, 300);
  }
  return undefined;
}
