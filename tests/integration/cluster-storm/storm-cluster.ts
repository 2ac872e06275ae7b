// Three nodes on one PostgreSQL of their own, each reaching it by a line of its own, and what can be done to them. `close` ends
// and removes all of it at once, whatever is under way. It must never leave a process or a folder behind.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CutLine } from '../../support/cut-line.ts';
import { startPostgres, type TestDatabase } from '../../support/postgres.ts';
import { ServedProcess } from '../../support/served-process.ts';

const main = fileURLToPath(new URL('../../../packages/coppice/src/cli/main.ts', import.meta.url));

export type StormEngine = 'sim' | 'embedded';

/** One process: after a kill another one takes its place. */
export interface StormNode {
  readonly at: number;
  readonly served: ServedProcess;
  readonly url: string;
  /** It was killed, or is about to be: clients lose what they had there. */
  isGone: boolean;
}

const engineSettings: Readonly<Record<StormEngine, readonly string[]>> = {
  sim: ['models.0.budget=12', 'models.0.engine.speed=0.8'],
  embedded: ['models.0.budget=8'],
};

/** A start that meets a database which is just restarting is tried again. */
const mostStarts = 20;
const startPauseMs = 500;

export class StormCluster {
  readonly engine: StormEngine;
  readonly database: TestDatabase;
  readonly lines: readonly CutLine[];
  readonly nodes: StormNode[] = [];
  /** Every process that ever ran. */
  readonly #served: ServedProcess[] = [];
  readonly #ended = new AbortController();

  constructor(engine: StormEngine) {
    this.engine = engine;
    this.database = startPostgres({ fsync: true });
    try {
      execFileSync(process.execPath, [main, 'migrate'], { env: { ...process.env, DATABASE_URL: this.database.url } });
    } catch (error) {
      this.database.remove();
      throw error;
    }
    this.lines = [0, 1, 2].map(() => new CutLine(this.database.url));
  }

  get model(): string {
    return this.engine === 'sim' ? 'simulated' : 'sapling';
  }

  /** What nodes logged as errors, beside the trouble that the storm makes: mistakes of their own, whatever clients were told. */
  get errors(): string[] {
    const lines = this.#served.flatMap(({ errors }) => errors.split('\n'));
    const isError = (line: string) => line.includes('"level":"error"') || /^\w*Error: /.test(line);
    return lines.filter((line) => isError(line) && !line.includes('the journal cannot be written'));
  }

  /** Of one that is there no more, another. */
  async start(at: number): Promise<void> {
    const settings = ['journal.kind=postgres', 'server.shutdownMs=0', ...engineSettings[this.engine]];
    const args = [...(this.engine === 'sim' ? ['--sim'] : []), ...settings.flatMap((each) => ['--set', each])];
    const environment = { DATABASE_URL: this.lines[at]!.url };
    for (let tries = 1; ; tries += 1) {
      try {
        const served = await ServedProcess.start(args, environment, this.#ended.signal);
        this.#served.push(served);
        this.nodes[at] = { at, served, url: served.url, isGone: false };
        return;
      } catch (error) {
        if (tries >= mostStarts || this.#ended.signal.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, startPauseMs));
      }
    }
  }

  /** Power off. */
  async kill(at: number): Promise<void> {
    const node = this.nodes[at]!;
    node.isGone = true;
    await node.served.kill();
  }

  close(): void {
    this.#ended.abort();
    for (const line of this.lines) line.close();
    this.database.remove();
  }
}
