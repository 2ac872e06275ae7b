// `npm run bench -- wire --engine URL`: how much of a real server's speed reaches a search. MCTS through coppice beside the
// server alone at as many sequences: asked plainly (single whole answers), and with the fields that coppice sends for the
// siblings of an expansion. Also how long it takes from a cold start to 90 % of the steady rate. Tokens are the server's own
// count where it has one. `--brief`: plainly and through coppice, two turns of each, in a minute.

import { probe } from '@coppice/core/engine';
import { Connection } from '@coppice/core/remote';
import { AloneClient, type AskedAlone } from './alone-client.ts';
import { searchRound, type WireRound } from './search-round.ts';
import { ServerCount } from './server-count.ts';

const sizes = [256, 64];
const stepTokens = 64;

interface RoundPace {
  readonly warmMs: number;
  readonly roundMs: number;
}

/** A round by the server's own count; `rampSeconds` where it was seen. */
interface Counted extends WireRound {
  readonly rampSeconds: number | undefined;
}

export async function reportServer(url: string, print: (line: string) => void, brief = false): Promise<void> {
  const pace = brief ? { warmMs: 3000, roundMs: 4000 } : { warmMs: 3000, roundMs: 6000 };
  const connection = new Connection({ url });
  try {
    const bench = await WireBench.open(url, connection, pace);
    print(`${bench.name}, steps of ${stepTokens} tokens, ${pace.roundMs} ms a round after ${pace.warmMs} ms`);
    print('CPU: seconds of this process per 20,000 tokens; 90 %: seconds until nine tenths of the steady rate');
    print(rowText(['sequences', 'asked', 'alone', 'coppice', 'share', 'of plain', 'CPU', '90 %']));
    for (const sequences of sizes) await (brief ? briefRows(bench, sequences, print) : rows(bench, sequences, print));
  } finally {
    connection.close();
  }
}

async function briefRows(bench: WireBench, sequences: number, print: (line: string) => void): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    const plain = await bench.alone(sequences, 'plain');
    const own = await bench.searched(sequences, 'least');
    print(rowText([String(sequences), 'in turns', ...sharesOf(own, plain, plain)]));
  }
}

async function rows(bench: WireBench, sequences: number, print: (line: string) => void): Promise<void> {
  const plain = await bench.alone(sequences, 'plain');
  print(rowText([String(sequences), 'plainly', plain.tokensPerSecond.toFixed(0)]));
  for (const asked of ['least', 'logprobs'] as const) {
    const same = await bench.alone(sequences, asked);
    const own = await bench.searched(sequences, asked);
    print(rowText([String(sequences), asked, ...sharesOf(own, same, plain)]));
  }
}

function sharesOf(own: Counted, same: WireRound, plain: WireRound): string[] {
  const rates = [same.tokensPerSecond.toFixed(0), own.tokensPerSecond.toFixed(0)];
  const shares = [own.tokensPerSecond / same.tokensPerSecond, own.tokensPerSecond / plain.tokensPerSecond];
  return [
    ...rates,
    ...shares.map((each) => each.toFixed(3)),
    own.cpuSeconds.toFixed(3),
    own.rampSeconds?.toFixed(1) ?? '',
  ];
}

function rowText(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.padStart(10))
    .join('')
    .trimEnd();
}

/** Both ways of asking one server, each round counted by the server. */
class WireBench {
  readonly name: string;
  readonly #url: string;
  readonly #connection: Connection;
  readonly #client: AloneClient;
  readonly #pace: RoundPace;

  constructor(name: string, url: string, connection: Connection, client: AloneClient, pace: RoundPace) {
    this.name = name;
    this.#url = url;
    this.#connection = connection;
    this.#client = client;
    this.#pace = pace;
  }

  static async open(url: string, connection: Connection, pace: RoundPace): Promise<WireBench> {
    const facts = await probe(connection);
    const name = `${url}: ${facts.dialect} ${facts.version ?? ''}`;
    return new WireBench(name, url, connection, new AloneClient(connection.url, facts), pace);
  }

  alone(sequences: number, asked: AskedAlone): Promise<Counted> {
    return this.#counted(() => this.#client.round({ sequences, asked, stepTokens, ...this.#pace }));
  }

  searched(sequences: number, asking: 'least' | 'logprobs'): Promise<Counted> {
    return this.#counted(() => searchRound({ url: this.#url, sequences, asking, stepTokens, ...this.#pace }));
  }

  async #counted(round: () => Promise<WireRound>): Promise<Counted> {
    const count = new ServerCount(this.#connection);
    const own = await round();
    count.end();
    const tokensPerSecond = count.tokensPerSecond(own) ?? own.tokensPerSecond;
    return { ...own, tokensPerSecond, rampSeconds: count.rampSeconds() };
  }
}
