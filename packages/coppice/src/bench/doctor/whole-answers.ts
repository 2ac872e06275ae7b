// Measures how much of a server's own speed reaches users: whole answers to easy sums, samples of self-consistency through coppice's own
// loop beside plain requests, with as many in flight. If little reaches them, it names the cause.

import { setTimeout as sleep } from 'node:timers/promises';
import { isRight, type OpenModel, ownPlan } from '@coppice/core/answering';
import { dialects, render, type ServerFacts } from '@coppice/core/engine';
import type { Connection } from '@coppice/core/remote';
import type { Prompt } from '@coppice/core/tree';
import { runBlock } from '../contest/block.ts';
import { easySums } from './easy-sums.ts';
import { type Finding, good, note, warning } from './findings.ts';
import type { CurvePoint } from './step-time.ts';

export interface WholeAnswers {
  /** Strands, and plain requests. */
  readonly inFlight: number;
  /** Tokens per second of plain requests, and of searches. */
  readonly alone: number;
  readonly searched: number;
  /** Means while searches ran: sequences at the server, and those held here for room. */
  readonly sent: number;
  readonly held: number;
  /** Share of the time in which this process had work. */
  readonly busy: number;
}

const samples = 16;
/** Several times the length of such an answer. */
const maxTokens = 512;
/** The first third of a run fills the server. A run without an answer after three thirds goes on for a few more. */
const mostThirds = 9;

/** `seconds`: length of each of the two runs. Connects the engine: the caller must not use it meanwhile. */
export async function measureWholeAnswers(
  model: OpenModel,
  server: PlainServer,
  inFlight: number,
  seconds: number,
): Promise<WholeAnswers> {
  const questions = easySums(1, 4 * inFlight);
  const open = Math.ceil(inFlight / samples);
  const prompts = questions.slice(0, open).map(({ question }) => ownPlan(model, question, {}, 1).prompt);
  const totals = { tokens: 0, heldMs: 0, servedMs: 0 };
  const plain = await run(
    seconds,
    () => totals,
    (signal) => askPlainly(server, { prompts, inFlight, maxTokens, signal, totals }),
  );
  const settings = { wish: {}, budget: inFlight, concurrency: 2 * open + 1, seed: 1 };
  const rollouts = Math.min(samples, inFlight);
  const contender = { name: 'doctor', program: 'self-consistency', policy: 'vanilla', rollouts } as const;
  const searched = await run(
    seconds,
    () => model.engine.load().times ?? totals,
    (signal) => runBlock({ model, settings, isCorrect: isRight, signal }, contender, questions, () => {}),
  );
  return { ...searched, inFlight, alone: plain.searched };
}

interface PlainServer {
  readonly connection: Connection;
  readonly facts: ServerFacts;
}

/** True if the server gives whole answers; only such servers can be asked plainly. */
export function givesWhole({ dialect }: ServerFacts): boolean {
  return dialects[dialect].givesWhole;
}

interface PlainLoad {
  readonly prompts: readonly Prompt[];
  readonly inFlight: number;
  readonly maxTokens: number;
  /** Ends the load and cancels requests in flight. */
  readonly signal: AbortSignal;
  /** Counts the tokens of the answers. */
  readonly totals: { tokens: number };
}

/** Asks without coppice, by single plain requests. */
async function askPlainly({ connection, facts }: PlainServer, load: PlainLoad): Promise<void> {
  const { prompts, inFlight, maxTokens, signal, totals } = load;
  const dialect = dialects[facts.dialect];
  const tokenIds = await Promise.all(prompts.map((prompt) => render(prompt, { connection, dialect, facts })));
  let asked = 0;
  const one = async (at: number): Promise<void> => {
    const call = {
      name: `doctor-${String(at).padStart(6, '0')}-${performance.now().toFixed(3)}`,
      prompt: prompts[at % prompts.length]!,
      tokenIds: tokenIds[at % prompts.length]!,
      pathText: '',
      siblings: 1,
      sampling: { temperature: 1 },
      seed: undefined,
      logprobs: false,
      delivery: 'whole',
      stops: [],
      maxTokens,
      lane: 'primary',
      priority: 0,
    } as const;
    const { path, body } = dialect.encode(call, facts);
    const answer = await connection.json('POST', path, body, { timeoutMs: 120_000, signal });
    for (const { tokenIds: ids = [] } of dialect.decode(answer, call)) totals.tokens += ids.length;
  };
  const strand = async (): Promise<void> => {
    while (!signal.aborted) {
      asked += 1;
      await one(asked);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: inFlight }, strand));
  const failed = ended.find((each) => each.status === 'rejected');
  if (!signal.aborted && failed !== undefined) throw failed.reason;
}

type Totals = Readonly<Record<'tokens' | 'heldMs' | 'servedMs', number>>;

/** Rates of totals while `work` runs. By Little's law the rate of a sum of times is the mean number in flight. */
async function run(seconds: number, totals: () => Totals, work: (signal: AbortSignal) => Promise<void>) {
  const controller = new AbortController();
  const measured = (async () => {
    await sleep((seconds * 1000) / 3);
    const [startMs, before, idle] = [performance.now(), { ...totals() }, performance.eventLoopUtilization()];
    for (let third = 1; third < 3 || (third < mostThirds && totals().tokens === before.tokens); third += 1)
      await sleep((seconds * 1000) / 3);
    const [passedMs, after] = [performance.now() - startMs, totals()];
    const { utilization: busy } = performance.eventLoopUtilization(idle);
    controller.abort();
    return {
      searched: ((after.tokens - before.tokens) / passedMs) * 1000,
      sent: (after.servedMs - before.servedMs) / passedMs,
      held: (after.heldMs - before.heldMs) / passedMs,
      busy,
    };
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
