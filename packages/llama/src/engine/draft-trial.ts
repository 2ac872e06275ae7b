// Tries whether a draft model pays on this machine: engines with and without it take turns at the same few lines, and the faster one stays.
// The gain depends on idle cores, on the size of both models and on how similarly they write.

import type { GenerateRequest } from '@coppice/core/engine';
import { draftDefaults } from '../draft/drafts.ts';
import { LlamaEngine, type LlamaEngineOptions } from './llama-engine.ts';

export interface DraftTrial {
  readonly engine: LlamaEngine;
  readonly gain: number;
}

/** A smaller gain is not worth it: a second model takes memory, and slows the engine when several sequences run. */
export const leastGain = 1.1;

const rounds = 5;
/** No round begins later: with billions of weights on a busy core the trial would take minutes. */
const roundsBeginMs = 15_000;
const trialTokens = 48;
/** A question for the shipped models; any other model continues it somehow. */
const question = 'Make 24 from 2 4 6 8.\n';

/** Opens both engines and closes the slower one. A FaultError says why a model cannot be used. */
export async function tryDraft(options: LlamaEngineOptions, draft: string): Promise<DraftTrial> {
  const plain = await LlamaEngine.open(options);
  try {
    // The drafting engine uses the plain engine's number of threads, since they take turns.
    const { threads } = plain.info;
    const drafted = await LlamaEngine.open({ ...options, threads, draft: { ...draftDefaults, model: draft } });
    const gain = await compare(plain, drafted);
    const isUsed = gain >= leastGain;
    const [kept, other] = isUsed ? [drafted, plain] : [plain, drafted];
    await other.close();
    kept.wasTried({ gain, isUsed });
    return { engine: kept, gain };
  } catch (error) {
    await plain.close();
    throw error;
  }
}

/** The median gain of rounds in which both take a turn, so that a busy moment affects both. */
async function compare(plain: LlamaEngine, drafted: LlamaEngine): Promise<number> {
  const gains: number[] = [];
  const fromMs = performance.now();
  for (let round = 0; round < rounds && performance.now() - fromMs < roundsBeginMs; round += 1) {
    const without = await tokensPerMs(plain, round);
    gains.push((await tokensPerMs(drafted, round)) / without);
  }
  return gains.sort((a, b) => a - b)[Math.floor(gains.length / 2)]!;
}

async function tokensPerMs(engine: LlamaEngine, round: number): Promise<number> {
  const startMs = performance.now();
  const tokens = await write(engine, round);
  engine.release(`trial ${round}`);
  return tokens / (performance.now() - startMs);
}

/** Writes lines until there are enough tokens: a model may end its answer after a few. */
async function write(engine: LlamaEngine, round: number): Promise<number> {
  let tokens = 0;
  for (let line = 0; tokens < trialTokens; line += 1) tokens += await writeLine(engine, round, line);
  return tokens;
}

function writeLine(engine: LlamaEngine, round: number, line: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  engine.connect((message) => {
    if (message.type === 'step') resolve(Math.max(1, message.step.tokens));
    if (message.type === 'fault') resolve(trialTokens);
  });
  engine.generate([trialRequest(engine, round, line)]);
  return promise;
}

function trialRequest({ info }: LlamaEngine, round: number, line: number): GenerateRequest {
  const seed = 1000 * round + line;
  return {
    id: seed,
    search: `trial ${round}`,
    // In the model's own chat format: drafts agree best in the format of the training.
    prompt: info.hasChatTemplate
      ? { kind: 'chat', messages: [{ role: 'user', content: question }] }
      : { kind: 'text', text: question },
    parent: 0,
    path: [],
    index: line,
    sampling: { temperature: 1 },
    seed,
    delimiters: [],
    maxTokens: trialTokens,
    lane: 'primary',
    priority: 0,
  };
}
