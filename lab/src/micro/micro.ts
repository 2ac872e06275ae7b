// `npm run lab -- micro NAME`, or `npm run bench -- NAME`: small benchmarks of one part each. An entry is one line below; its module prints its report.

interface Benchmark {
  readonly about: string;
  readonly load: () => Promise<{
    report(print: (line: string) => void, args: readonly string[]): void | Promise<void>;
  }>;
}

const entries: Readonly<Record<string, Benchmark>> = {
  decide: {
    about: 'operations of one scheduling decision, 10 to 10,000 live searches',
    load: () => import('./decide.ts'),
  },
  goodput: {
    about: 'complete answers a second of coppice serve at its capacity and at ten times that, in real time',
    load: () => import('./goodput.ts'),
  },
  engine: {
    about: 'tokens per second of the embedded engine, beside a bare loop and (--peer) node-llama-cpp',
    load: () => import('./engine-throughput.ts'),
  },
  draft: {
    about: 'tokens per second without a draft model, with one in step, and with one in a thread of its own',
    load: () => import('./drafting.ts'),
  },
  ahead: {
    about:
      'speculation on the embedded engine, one search at a time: the same answers, what it gives and what it costs',
    load: () => import('../speculation/embedded.ts'),
  },
  'kv-split': {
    about: 'one scarce KV memory split between generator and reward model in several ways: tokens computed, time',
    load: () => import('./kv-split.ts'),
  },
  offload: {
    about:
      'what it takes to put a cache away and bring it back, and whether that would beat splitting the memory (P4 §4.3.2)',
    load: () => import('./offload.ts'),
  },
  validate: {
    about: 'the simulator against the embedded engine: the same questions and policies on both',
    load: () => import('./validate.ts'),
  },
  overhead: {
    about: 'what the remote engine adds to bare HTTP per call, at 500 calls a second',
    load: () => import('../wire/overhead.ts'),
  },
  wire: {
    about: 'tokens per second and CPU of searches through the remote engine, beside the server asked plainly',
    load: () => import('../wire/wire.ts'),
  },
  scores: {
    about: 'scores per second through the remote verifier, beside one batch client on the same server',
    load: () => import('../wire/scores.ts'),
  },
  clients: {
    about: 'CPU time of node:http and, where it is installed, undici at 256 streams',
    load: () => import('../wire/clients.ts'),
  },
  journal: {
    about: 'events per second into SQLite and, with DATABASE_URL, into PostgreSQL, by 1 to 4 writers',
    load: () => import('./journal-throughput.ts'),
  },
  nodes: {
    about: '20 searches a second to each of 1, 2 and 4 nodes on one PostgreSQL, and to one process on a file',
    load: () => import('./nodes.ts'),
  },
  memory: {
    about: 'memory of 1,000 and 10,000 live searches of 200 nodes',
    load: () => import('./memory.ts'),
  },
};

/** The first word is the benchmark, the rest its flags. Resolves to the exit status. */
export async function run([name, ...args]: readonly string[]): Promise<number> {
  const entry = name !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) {
    console.error(name === undefined ? 'usage: npm run bench -- NAME' : `there is no benchmark '${name}'`);
    for (const [known, { about }] of Object.entries(entries)) console.error(`  ${known.padEnd(12)} ${about}`);
    return 2;
  }
  const { report } = await entry.load();
  await report((line) => console.log(line), args);
  return 0;
}
