// `npm run lab -- micro NAME`, or `npm run bench -- NAME`: small benchmarks of one part each. Each entry is one line below; its module returns
// paragraphs and tables, printed here like those of experiments.

import { type Block, printed } from '../experiment/table.ts';

type Print = (block: Block) => void;

interface Benchmark {
  readonly name: string;
  readonly what: string;
  readonly load: () => Promise<{ report(print: Print, args: readonly string[]): void | Promise<void> }>;
}

const benchmarks: readonly Benchmark[] = [
  {
    name: 'decide',
    what: 'operations of one scheduling decision, 10 to 10,000 live searches',
    load: () => import('./decide.ts'),
  },
  {
    name: 'goodput',
    what: 'complete answers a second of coppice serve at its capacity and at ten times that, in real time',
    load: () => import('./goodput.ts'),
  },
  {
    name: 'engine',
    what: 'tokens per second of the embedded engine, beside a bare loop and (--peer) node-llama-cpp',
    load: () => import('./engine-throughput.ts'),
  },
  {
    name: 'draft',
    what: 'tokens per second without a draft model, with one in step, and with one in a thread of its own',
    load: () => import('./drafting.ts'),
  },
  {
    name: 'ahead',
    what: 'speculation on the embedded engine, one search at a time: the same answers, what it gives and what it costs',
    load: () => import('../speculation/embedded.ts'),
  },
  {
    name: 'kv-split',
    what: 'one scarce KV memory split between generator and reward model in several ways: tokens computed, time',
    load: () => import('./kv-split.ts'),
  },
  {
    name: 'offload',
    what: 'what it takes to put a cache away and bring it back, and whether that would beat splitting the memory (P4 §4.3.2)',
    load: () => import('./offload.ts'),
  },
  {
    name: 'validate',
    what: 'the simulator against the embedded engine: the same questions and policies on both',
    load: () => import('./validate.ts'),
  },
  {
    name: 'overhead',
    what: 'what the remote engine adds to bare HTTP per call, at 500 calls a second',
    load: () => import('../wire/overhead.ts'),
  },
  {
    name: 'steps',
    what: 'CPU time and requests of one step of MCTS with a reward model on a server',
    load: () => import('../wire/steps.ts'),
  },
  {
    name: 'scores',
    what: 'scores per second through the remote verifier, beside one batch client on the same server',
    load: () => import('../wire/scores.ts'),
  },
  {
    name: 'prefixes',
    what: 'tokens that a score computes on several servers, where searches stay with one and where scores go anywhere',
    load: () => import('../wire/prefixes.ts'),
  },
  {
    name: 'clients',
    what: 'CPU time of node:http and, where it is installed, undici at 256 streams',
    load: () => import('../wire/clients.ts'),
  },
  {
    name: 'journal',
    what: 'events per second into SQLite and, with DATABASE_URL, into PostgreSQL, by 1 to 4 writers',
    load: () => import('./journal-throughput.ts'),
  },
  {
    name: 'nodes',
    what: '20 searches a second to each of 1, 2 and 4 nodes on one PostgreSQL, and to one process on a file',
    load: () => import('./nodes.ts'),
  },
  { name: 'memory', what: 'memory of 1,000 and 10,000 live searches of 200 nodes', load: () => import('./memory.ts') },
  {
    name: 'gateway-cost',
    what: 'what the gateway itself costs, beside a bare HTTP server',
    load: () => import('../gateway-cost/gateway-cost.ts'),
  },
];

/** The first word names the benchmark; the rest are its flags. Resolves to the exit status. */
export async function run([name, ...args]: readonly string[]): Promise<number> {
  const asked = benchmarks.find((each) => each.name === name);
  if (asked === undefined) {
    console.error(name === undefined ? 'usage: npm run bench -- NAME' : `there is no benchmark '${name}'`);
    for (const { name: known, what } of benchmarks) console.error(`  ${known.padEnd(12)} ${what}`);
    return 2;
  }
  const { report } = await asked.load();
  await report((block) => console.log(printed([block], 'text')), args);
  return 0;
}
