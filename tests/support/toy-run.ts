// One search on the toy engine as a function of plain data: program, width and weather. Its result can be compared with that of another
// run: `essence` describes the tree without the order of arrival.

import { Random } from '../../packages/core/src/base/random.ts';
import { isTreeEvent, type SearchEvent } from '../../packages/core/src/log/events.ts';
import { SearchFold } from '../../packages/core/src/log/fold.ts';
import { createPolicy } from '../../packages/core/src/policy/create.ts';
import type { Rules } from '../../packages/core/src/policy/policy.ts';
import type { Program } from '../../packages/core/src/program/program.ts';
import { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import type { SearchRequest, SearchResult } from '../../packages/core/src/runtime/search/request.ts';
import type { Scheduler, Width } from '../../packages/core/src/scheduler/scheduler.ts';
import type { TreeEvent } from '../../packages/core/src/tree/events.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { type Misfortune, ToyEmbedder, ToyEngine, ToyVerifier, ToyWorld } from './toy.ts';
import { WholeToyEngine } from './whole-toy.ts';

export interface RunWidth {
  readonly primary: number;
  readonly speculative: number | 'random';
}

/** Answers in the model's own words, and their meanings. */
export interface OpenSetting {
  readonly extract: (pathText: string) => string | undefined;
  readonly vectorOf: (text: string) => readonly number[];
  readonly similarity: number;
  /** Misfortune of the embedder alone. */
  readonly misfortune?: Partial<Misfortune>;
}

export interface Setting {
  readonly create: () => Program;
  readonly seed: number;
  /** A speculative width of `random` changes at every decision. */
  readonly width: RunWidth;
  /** Another weather makes other answers come first. */
  readonly weather: number;
  readonly misfortune?: Partial<Misfortune>;
  readonly threshold?: number;
  readonly ties?: boolean;
  /** By default those of the policy `positive`. */
  readonly rules?: Rules;
  /** The verifier scores two steps in one pass, and reuses no prefix. */
  readonly looksAhead?: boolean;
  readonly open?: OpenSetting;
  readonly deadlineMs?: number;
  /** The engine draws whole paths, or could and does not. */
  readonly whole?: boolean;
  readonly over?: Partial<SearchRequest>;
  /** The log of an earlier process, to continue from. */
  readonly from?: readonly TreeEvent[];
}

export function run({
  create,
  seed,
  width,
  weather,
  misfortune,
  threshold = 0.9,
  ties = false,
  rules = accepting,
  looksAhead = false,
  open,
  deadlineMs,
  whole,
  over,
  from,
}: Setting) {
  const world = new ToyWorld();
  const question = { ends: 0.4, shape: 4, twins: 0.8, ties };
  const storm = { fail: 0, lose: 0, double: 0, delayMs: 10, untilMs: 0, ...misfortune };
  const engine =
    whole === undefined
      ? new ToyEngine(world, storm, weather, question)
      : new WholeToyEngine(world, storm, weather, question, seed, whole);
  const verifier = new ToyVerifier(world, storm, weather, question, !looksAhead);
  const shelter = { ...storm, ...open?.misfortune };
  const embedder = open && new ToyEmbedder(world, shelter, weather, open.vectorOf);
  const events: SearchEvent[] = [];
  const results: SearchResult[] = [];
  const fold = new SearchFold();
  const runtime: Runtime = new Runtime({
    engine,
    verifier,
    ...(embedder && { embedder }),
    scheduler: fixed(width, weather),
    budget: 32,
    clock: world.clock,
    requestTimeoutMs: 500,
    onEvent: ({ event }) => events.push(event),
    onEnd: (result) => results.push(result),
    onLogWanted: (id) => {
      for (const [sequence, event] of from!.entries()) fold.apply({ search: id, sequence, atMs: 0, event });
      runtime.restore(id);
    },
  });
  const asked = requestOf({ create, seed, threshold, rules });
  const limits = { ...asked.limits, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
  const grouped = open && { extract: open.extract, groupSimilarity: open.similarity };
  const request: SearchRequest = { ...asked, limits, ...grouped, ...over };
  if (from === undefined) runtime.submit(request);
  else runtime.revive(request, fold);
  world.run(runtime);
  const tree = Tree.replay([...(from ?? []), ...events.filter(isTreeEvent)]);
  return { engine, verifier, embedder, events, tree, request, result: results[0]! };
}

const { rules: accepting } = createPolicy('positive');

function requestOf({
  create,
  seed,
  threshold,
  rules,
}: Required<Pick<Setting, 'create' | 'seed' | 'threshold' | 'rules'>>): SearchRequest {
  const limits = { threshold, rollouts: 8 };
  const texts = { prompt: { kind: 'text', text: 'q' }, delimiters: ['\n'], extract: (text: string) => text } as const;
  return { id: 's', program: create(), rules, limits, seed, priority: 0, stepTokens: 64, ...texts };
}

/** Gives every search this width. If it may vary, takes two strands away in every seventh turn, and returns them. */
function fixed({ primary, speculative }: RunWidth, weather: number): Scheduler {
  let turns = weather;
  return {
    name: 'fixed',
    decide({ waiting, running }) {
      turns += 1;
      const ahead = speculative === 'random' ? new Random('ahead', weather, turns).integer(7) : speculative;
      const pushed = primary > 4 && turns % 7 === 0 ? 2 : 0;
      const width: Width = { primary: primary - pushed, speculative: ahead };
      const widths = new Map([...waiting, ...running].map(({ id }) => [id, width]));
      const over = running.filter(({ openStrands }) => openStrands > primary - pushed);
      const preempt = new Map(over.map(({ id, openStrands }) => [id, openStrands - primary + pushed]));
      return { admit: waiting.map(({ id }) => id), widths, preempt, giveUp: new Map(), reasons: new Map() };
    },
  };
}

/** The tree without node numbers, which depend on the order of arrival. */
export function essence({ tree, result }: ReturnType<typeof run>) {
  const nodes = tree.nodes.map(({ key, count, visits, value, score, step }) => {
    return { key, count, visits, value, score, logprob: step?.meanLogprob };
  });
  const { node, ...answer } = result.answer!;
  const { kind, rule, evidence } = result.exit;
  const named = 'node' in evidence ? { ...evidence, node: tree.node(Number(evidence.node)).key } : evidence;
  nodes.sort((a, b) => a.key - b.key);
  return { nodes, answer, key: tree.node(node).key, exit: { kind, rule, evidence: named }, rollouts: result.rollouts };
}
