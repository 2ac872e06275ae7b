// `npm run bench -- prefixes`: what a score makes its server compute where several have the reward model: searches that stay with one, as the
// remote verifier keeps them, beside scores that go anywhere (each under the name of a search of its own). Searches are the recorded trees of
// MCTS on MATH-500, 64 at once, an expansion of each at a time, on fake servers with a prefix cache.

import { isAnswer } from '@coppice/core/engine';
import { openRemoteVerifier } from '@coppice/core/verifier';
import type { Prompt, ScoreRequest, Step } from 'coppice';
import { type RecordedTree, readTrees } from '../service/index.ts';
import { type ChildServer, startServer } from './child-server.ts';

const recording = 'lab/recorded/qwen2.5-coder-1.5b-math500-odd-grown.trees.gz';
const serverCounts = [1, 2, 4, 8];
const live = 64;
const roundMs = 6000;

type Path = ScoreRequest['path'];

/** The children of one node, which are scored together. */
interface Siblings {
  readonly parent: number;
  readonly path: Path;
  readonly steps: readonly Step[];
}

export async function report(print: (line: string) => void): Promise<void> {
  print('tokens that a score computes, and scores a second: searches that stay, and scores that go anywhere');
  print('servers   computed: stays   anywhere   a second: stays   anywhere   times');
  const { trees } = readTrees(recording);
  for (const count of serverCounts) {
    const stays = await scoring(count, trees, true);
    const anywhere = await scoring(count, trees, false);
    const cells = [stays.computed.toFixed(0), anywhere.computed.toFixed(0), stays.perSecond.toFixed(0)];
    const last = [anywhere.perSecond.toFixed(0), (stays.perSecond / anywhere.perSecond).toFixed(2)];
    print([String(count).padEnd(7), ...[...cells, ...last].map((each) => each.padStart(12))].join(''));
  }
}

async function scoring(count: number, trees: readonly RecordedTree[], stays: boolean) {
  const servers = await Promise.all(Array.from({ length: count }, () => startServer('prefix-server')));
  const verifier = await openRemoteVerifier({ kind: 'math-shepherd', servers: servers.map(({ url }) => ({ url })) });
  const walkOf = new Map<number, Walk>();
  let id = 0;
  let begun = 0;
  const begin = (): void => {
    begun += 1;
    ask(new Walk(`search-${begun}`, trees[begun % trees.length]!));
  };
  const ask = (walk: Walk): void => {
    const next = walk.next();
    if (next === undefined) {
      verifier.release(walk.search);
      return begin();
    }
    const search = stays ? walk.search : `${walk.search}-${id}`;
    const requests = next.steps.map((step, index): ScoreRequest => {
      id += 1;
      walkOf.set(id, walk);
      const place = { search, prompt: walk.prompt, parent: next.parent, index, path: next.path };
      return { ...place, id, step, lane: 'primary', priority: 0 };
    });
    walk.left = requests.length;
    verifier.score(requests);
  };
  verifier.connect((message) => {
    if (!isAnswer(message)) return;
    const walk = walkOf.get(message.request);
    if (walk === undefined) return;
    if (message.type === 'fault') throw new Error(message.fault.message);
    walkOf.delete(message.request);
    walk.left -= 1;
    if (walk.left === 0) ask(walk);
  });
  for (let at = 0; at < live; at += 1) begin();
  await pause();
  const before = await countsOf(servers);
  await pause();
  const after = await countsOf(servers);
  walkOf.clear();
  await verifier.close();
  for (const server of servers) server.stop();
  const scores = after.scores - before.scores;
  return { computed: (after.computed - before.computed) / scores, perSecond: (1000 * scores) / roundMs };
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, roundMs));
}

async function countsOf(servers: readonly ChildServer[]): Promise<{ scores: number; computed: number }> {
  const all = await Promise.all(
    servers.map(
      async ({ url }) => (await (await fetch(`${url}/counts`)).json()) as { scores: number; computed: number },
    ),
  );
  return {
    scores: all.reduce((sum, each) => sum + each.scores, 0),
    computed: all.reduce((sum, each) => sum + each.computed, 0),
  };
}

/** A recorded tree in the order in which it grew: by the first child of each expansion. */
class Walk {
  readonly search: string;
  readonly prompt: Prompt;
  left = 0;
  readonly #expansions: readonly Siblings[];
  #at = 0;

  constructor(search: string, { promptTokens, nodes }: RecordedTree) {
    this.search = search;
    const words = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}w${at}`).join(' ');
    this.prompt = { kind: 'text', text: words(promptTokens, search) };
    const paths = new Map<number, Path>([[0, []]]);
    const stepOf = (at: number): Step => ({
      ...nodes[at]!.step!,
      text: words(nodes[at]!.step!.tokens, `${search}n${at}`),
    });
    const open = nodes.flatMap(({ draws }, parent) =>
      draws.length > 0 ? [{ parent, children: [...new Set(draws)] }] : [],
    );
    this.#expansions = open
      .sort((a, b) => Math.min(...a.children) - Math.min(...b.children))
      .map(({ parent, children }) => {
        const path = paths.get(parent)!;
        for (const child of children) paths.set(child, [...path, { key: child, step: stepOf(child) }]);
        return { parent, path, steps: children.map(stepOf) };
      });
  }

  next(): Siblings | undefined {
    this.#at += 1;
    return this.#expansions[this.#at - 1];
  }
}
