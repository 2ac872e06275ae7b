// `npm run bench -- scores`: scores per second of a reward model through the remote verifier, beside one batch client on the
// same fake server. The server computes passes of 16,384 tokens at 40,000 tokens a second, as a 7B model on an H200 might;
// every path is computed anew, as in vLLM's pooling. With --verifier URL it runs on a real server instead. Requests come as in searches: 64 strands of 4
// siblings, each continuing when its four are scored. The client keeps four calls of 32 paths in flight.

import { parseArgs } from 'node:util';
import { isAnswer, probe } from '@coppice/core/engine';
import { Connection } from '@coppice/core/remote';
import { openRemoteVerifier, renderQwen } from '@coppice/core/verifier';
import type { Prompt, ScoreRequest, Step } from 'coppice';
import { startServer } from './child-server.ts';

const strandCounts = [16, 64, 128];
const siblings = 4;
const clientPaths = 32;
const clientCalls = 4;
const warmMs = 1500;
const roundMs = 4000;
/** Client and verifier take turns, and the fastest round of each counts: what slows one down is other work here. */
const rounds = 3;

const prompt: Prompt = { kind: 'chat', messages: [{ role: 'user', content: 'What is the sum? '.repeat(20) }] };
/** About 64 tokens. */
const stepText = 'so the next thing to add is four '.repeat(8);
const pathSteps = 4;

export async function report(print: (line: string) => void, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { verifier: { type: 'string' } } });
  if (values.verifier !== undefined) return reportScores(values.verifier, [64], 2, print);
  const server = await startServer('scores-server');
  try {
    await reportScores(server.url, strandCounts, rounds, print);
  } finally {
    server.stop();
  }
}

async function reportScores(
  url: string,
  counts: readonly number[],
  turns: number,
  print: (line: string) => void,
): Promise<void> {
  print(
    `scores per second: one batch client with ${clientCalls} calls of ${clientPaths} paths, and the remote verifier`,
  );
  print('strands      client   verifier   share   a score takes');
  for (const strands of counts) {
    let client = 0;
    let best: Scoring = { perSecond: 0, scoreMs: Number.NaN };
    for (let turn = 0; turn < turns; turn += 1) {
      client = Math.max(client, await batchClient(url));
      const round = await throughVerifier(url, strands);
      if (round.perSecond > best.perSecond) best = round;
    }
    const cells = [client.toFixed(0).padStart(9), best.perSecond.toFixed(0).padStart(11)];
    const share = (best.perSecond / client).toFixed(3).padStart(8);
    print(`${String(strands).padEnd(10)}${cells.join('')}${share}${best.scoreMs.toFixed(0).padStart(13)} ms`);
  }
}

interface Scoring {
  readonly perSecond: number;
  readonly scoreMs: number;
}

/** Scores per second between two moments. */
async function measure(scores: () => number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, warmMs));
  const [before, startMs] = [scores(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, roundMs));
  return ((scores() - before) / (performance.now() - startMs)) * 1000;
}

async function batchClient(url: string): Promise<number> {
  const connection = new Connection({ url });
  const { model } = await probe(connection, { generates: false });
  const steps = Array.from({ length: pathSteps }, () => stepText.trim());
  const input = Array.from({ length: clientPaths }, () => renderQwen({ prompt, steps }));
  let scores = 0;
  let over = false;
  const loop = async (): Promise<void> => {
    while (!over) {
      await connection.json('POST', '/pooling', { model, input });
      scores += clientPaths;
    }
  };
  const loops = Array.from({ length: clientCalls }, loop);
  const perSecond = await measure(() => scores);
  over = true;
  await Promise.all(loops);
  connection.close();
  return perSecond;
}

async function throughVerifier(url: string, strands: number): Promise<Scoring> {
  const verifier = await openRemoteVerifier({ kind: 'qwen-prm', servers: [{ url }] });
  const path = Array.from({ length: pathSteps - 1 }, (_, at) => ({ key: at + 1, step: stepOf(at) }));
  const left = new Map<number, number>();
  const strandOf = new Map<number, number>();
  let next = 1;
  let scores = 0;
  let over = false;
  const ask = (strand: number): void => {
    left.set(strand, siblings);
    const requests = Array.from({ length: siblings }, (): ScoreRequest => {
      const id = next;
      next += 1;
      strandOf.set(id, strand);
      const common = { search: `search-${strand}`, prompt, parent: id, index: 0, path } as const;
      return { ...common, id, step: stepOf(id), lane: 'primary', priority: 0 };
    });
    verifier.score(requests);
  };
  verifier.connect((message) => {
    if (!isAnswer(message) || over) return;
    if (message.type === 'fault') throw new Error(message.fault.message);
    scores += 1;
    const strand = strandOf.get(message.request)!;
    strandOf.delete(message.request);
    left.set(strand, left.get(strand)! - 1);
    if (left.get(strand) === 0) ask(strand);
  });
  for (let strand = 0; strand < strands; strand += 1) ask(strand);
  const perSecond = await measure(() => scores);
  const { scoreMs = Number.NaN } = verifier.load();
  over = true;
  await verifier.close();
  return { perSecond, scoreMs };
}

function stepOf(at: number): Step {
  return { text: `${stepText}${at % 10}`, tokens: 64, meanLogprob: 0, end: 'delimiter' };
}
