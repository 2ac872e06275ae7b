// How much of a server's own speed reaches users: whole answers to easy sums, samples of self-consistency through coppice's own loop beside
// plain requests, with as many in flight. If little reaches them, says what holds it.

import { setTimeout as sleep } from 'node:timers/promises';
import { isRight, type OpenModel, ownPlan } from '@coppice/core/answering';
import { mean } from '@coppice/core/base';
import type { ServerFacts } from '@coppice/core/engine';
import { runBlock } from '../contest/block.ts';
import type { Contender, Contest } from '../contest/contest.ts';
import { easySums } from './easy-sums.ts';
import { type Finding, good, note, warning } from './findings.ts';
import type { ServerAlone } from './server-alone.ts';
import type { CurvePoint } from './step-time.ts';

export interface WholeAnswers {
  /** Strands, and plain requests. */
  readonly inFlight: number;
  /** Tokens a second of plain requests, and of searches. */
  readonly alone: number;
  readonly searched: number;
  /** Means while searches ran: sequences at the server, and held here for room. */
  readonly sent: number;
  readonly held: number;
  /** Share of the time in which our own process had work. */
  readonly busy: number;
}

const samples = 16;
/** Several times what such an answer takes. */
const mostTokens = 512;
/** The first part of a run fills the server. */
const warmUp = 1 / 3;
/** Times the length of a run that the first answers may take longer. */
const patience = 2;
const lookMs = 20;

/** `seconds`: of each of the two runs. Connects the engine: the caller must not use it meanwhile. */
export async function measureWholeAnswers(
  model: OpenModel,
  server: ServerAlone,
  inFlight: number,
  seconds: number,
): Promise<WholeAnswers> {
  const questions = easySums(1, 4 * inFlight);
  const prompts = questions
    .slice(0, Math.ceil(inFlight / samples))
    .map(({ question }) => ownPlan(model, question, {}, 1).prompt);
  let tokens = 0;
  const plain = await run(
    seconds,
    () => tokens,
    (signal) => {
      const onAnswer = (written: number): void => {
        tokens += written;
      };
      return server.keep({ prompts, inFlight, maxTokens: mostTokens, signal, onAnswer });
    },
  );
  const load = () => model.engine.load();
  const searched = await run(
    seconds,
    () => load().times?.tokens ?? 0,
    (signal) => {
      const concurrency = 2 * Math.ceil(inFlight / samples) + 1;
      const settings = { wish: {}, budget: inFlight, concurrency, seed: 1 };
      const contest: Contest = { model, settings, isCorrect: isRight, signal };
      return runBlock(contest, contenderOf(inFlight), questions, () => {});
    },
    () => [load().runningSequences, load().waitingSequences],
  );
  const [sent, held] = [0, 1].map((at) => mean(searched.looks.map((look) => look[at]!)));
  return { inFlight, alone: plain.rate, searched: searched.rate, sent: sent!, held: held!, busy: searched.busy };
}

function contenderOf(inFlight: number): Contender {
  const rollouts = Math.min(samples, inFlight);
  return { name: 'doctor', program: 'self-consistency', policy: 'vanilla', rollouts };
}

/** The rate of what `total` counts while `work` runs, and what `look` sees. */
async function run(
  seconds: number,
  total: () => number,
  work: (signal: AbortSignal) => Promise<void>,
  look: () => number[] = () => [],
) {
  const controller = new AbortController();
  const looks: number[][] = [];
  const measured = (async () => {
    await sleep(seconds * 1000 * warmUp);
    const [startMs, before, idle] = [performance.now(), total(), performance.eventLoopUtilization()];
    const endMs = startMs + seconds * 1000 * (1 - warmUp);
    // A slow server gets the time for its first answers.
    const isOver = (nowMs: number): boolean => nowMs >= (total() > before ? endMs : endMs + seconds * patience * 1000);
    while (!isOver(performance.now())) {
      await sleep(lookMs);
      looks.push(look());
    }
    const rate = ((total() - before) / (performance.now() - startMs)) * 1000;
    const { utilization: busy } = performance.eventLoopUtilization(idle);
    controller.abort();
    return { rate, busy, looks };
  })();
  await work(controller.signal);
  return measured;
}

/** Least acceptable share of the server's own speed. */
const goodShare = 0.85;
/** vLLM's default `max_num_seqs` on most GPUs. */
const usualLimit = 256;

export function throughputFindings(
  { dialect }: ServerFacts,
  knee: CurvePoint,
  whole: WholeAnswers | undefined,
  lastTried: boolean,
): Finding[] {
  const told: Finding[] = [];
  if (whole !== undefined && whole.alone > 0) {
    const share = whole.searched / whole.alone;
    const rates = `${whole.searched.toFixed(0)} of ${whole.alone.toFixed(0)} tokens per s`;
    const text = `${share.toFixed(2)} of the server's own speed reaches coppice: ${rates} in whole answers, ${whole.inFlight} in flight`;
    told.push(share >= goodShare ? good(text) : warning(`${text}; ${causeOf(whole, dialect)}`));
  }
  if (dialect !== 'vllm') return told;
  if (lastTried && knee.sequences >= usualLimit) {
    told.push(note(`it still gains at ${knee.sequences} sequences: --max-num-seqs above that lets it run more`));
  }
  return [
    ...told,
    note('where clients watch tokens or a program reads log probabilities: --api-server-count 4 --stream-interval 8'),
    note('--async-scheduling, where this version does not schedule so by itself, hides the work between two steps'),
  ];
}

const busyLoop = 0.9;
const fewHeld = 0.1;

function causeOf({ inFlight, sent, held, busy }: WholeAnswers, dialect: ServerFacts['dialect']): string {
  if (busy >= busyLoop) return `our own process is busy ${(100 * busy).toFixed(0)} % of the time: run several nodes`;
  const had = `on average it had ${sent.toFixed(0)} of ${inFlight}`;
  if (held > fewHeld * inFlight) return `${had}, and ${held.toFixed(0)} were held back for room: raise engine.inFlight`;
  if (sent < goodShare * inFlight) return `${had}: strands wait for their questions' slowest samples, so raise budget`;
  const remedy = dialect === 'vllm' ? ', which --api-server-count 4 shares out' : '';
  return `it had ${sent.toFixed(0)} in flight all the time: its front end may be one busy process${remedy}`;
}
