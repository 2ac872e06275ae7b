// `npm run bench -- wire --engine URL`: how much of a real server's speed reaches a search. MCTS through coppice beside the
// server alone at as many sequences: asked plainly (single whole answers), and with the fields that coppice sends for the
// siblings of an expansion. Also how long it takes from a cold start to 90 % of the steady rate.

import * as http from 'node:http';
import { type Call, Connection, type Dialect, dialects, probe, type ServerFacts } from 'coppice/internals';
import { branching, measure, searchRound, type WireRound } from './search-round.ts';

const sizes = [256, 64];
const stepTokens = 64;
const warmMs = 3000;
const roundMs = 6000;
/** How often the server's own count is read. */
const sampleMs = 250;

export async function reportServer(url: string, print: (line: string) => void): Promise<void> {
  const connection = new Connection({ url });
  const facts = await probe(connection);
  const alone = new AloneClient(url, facts);
  print(
    `${url}: ${facts.dialect} ${facts.version ?? ''}, steps of ${stepTokens} tokens, ${roundMs} ms a round after ${warmMs} ms`,
  );
  print(
    'CPU: seconds of this process per 20,000 tokens; 90 %: seconds until nine tenths of the steady rate, by its own count',
  );
  print(rowText(['sequences', 'asked', 'alone', 'coppice', 'share', 'of plain', 'CPU', '90 %']));
  for (const sequences of sizes) {
    const plain = await alone.round(sequences, 'plain');
    print(rowText([String(sequences), 'plainly', plain.tokensPerSecond.toFixed(0)]));
    for (const asking of ['least', 'logprobs'] as const) {
      const same = await alone.round(sequences, asking);
      const ramp = new Ramp(connection);
      const own = await searchRound({ url, sequences, asking, maxStepTokens: stepTokens, warmMs, roundMs });
      const seconds = ramp.end();
      print(rowText([String(sequences), asking, ...sharesOf(own, same, plain), seconds?.toFixed(1) ?? '']));
    }
  }
  connection.close();
}

function sharesOf(own: WireRound, same: WireRound, plain: WireRound): string[] {
  const rates = [same.tokensPerSecond.toFixed(0), own.tokensPerSecond.toFixed(0)];
  const shares = [own.tokensPerSecond / same.tokensPerSecond, own.tokensPerSecond / plain.tokensPerSecond];
  return [...rates, ...shares.map((each) => each.toFixed(3)), own.cpuSeconds.toFixed(3)];
}

function rowText(cells: readonly string[]): string {
  return cells
    .map((cell) => cell.padStart(10))
    .join('')
    .trimEnd();
}

/** Asks the server without coppice: as many loops as fill so many sequences, each asking anew when its answer has come. */
class AloneClient {
  readonly #url: string;
  readonly #facts: ServerFacts;
  readonly #dialect: Dialect;

  constructor(url: string, facts: ServerFacts) {
    this.#url = url;
    this.#facts = facts;
    this.#dialect = dialects[facts.dialect];
  }

  async round(sequences: number, asking: 'plain' | 'least' | 'logprobs'): Promise<WireRound> {
    const agent = new http.Agent({ keepAlive: true });
    const siblings = asking === 'plain' ? 1 : branching;
    let tokens = 0;
    let over = false;
    const ask = (loop: number): void => {
      const { path, body } = this.#dialect.encode(this.#call(loop, asking, siblings), this.#facts);
      const payload = JSON.stringify(body);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
      const request = http.request(`${this.#url}${path}`, { agent, method: 'POST', headers }, (response) => {
        response.on('data', () => {});
        response.on('end', () => {
          tokens += siblings * stepTokens;
          if (!over) ask(loop);
        });
      });
      request.on('error', () => {});
      request.end(payload);
    };
    for (let loop = 0; loop < sequences / siblings; loop += 1) ask(loop);
    const round = await measure(() => tokens, { warmMs, roundMs });
    over = true;
    agent.destroy();
    return round;
  }

  /** The prompt of a path in its middle, another one in every loop. */
  #call(loop: number, asking: 'plain' | 'least' | 'logprobs', siblings: number): Call {
    return {
      name: `alone-${String(loop).padStart(6, '0')}-${performance.now().toFixed(3)}`,
      pathText: '',
      prompt: { kind: 'text', text: '' },
      tokenIds: Array.from({ length: 292 }, (_, at) => 10 + ((loop * 997 + at) % 20_000)),
      siblings,
      sampling: { temperature: 0.8 },
      seed: undefined,
      logprobs: asking === 'logprobs',
      delivery: siblings === 1 ? 'whole' : 'ends',
      stops: ['\n\n'],
      maxTokens: stepTokens,
      lane: 'primary',
      priority: 0,
    };
  }
}

/** The server's count of generated tokens over time, where it has one. */
class Ramp {
  readonly #connection: Connection;
  readonly #samples: { readonly atMs: number; readonly tokens: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#timer = setInterval(() => void this.#sample(), sampleMs);
    void this.#sample();
  }

  /** Seconds from the first token until a second at nine tenths of the rate of the last half of the time. */
  end(): number | undefined {
    clearInterval(this.#timer);
    const begun = this.#samples.findLastIndex(({ tokens }) => tokens === this.#samples[0]?.tokens);
    const ran = this.#samples.slice(Math.max(0, begun));
    const [middle, last] = [ran[Math.floor(ran.length / 2)], ran.at(-1)];
    if (middle === undefined || last === undefined || last.tokens === middle.tokens) return undefined;
    const steady = (last.tokens - middle.tokens) / (last.atMs - middle.atMs);
    const perSecond = Math.round(1000 / sampleMs);
    const at = ran.findIndex((sample, index) => {
      const later = ran[index + perSecond];
      return later !== undefined && (later.tokens - sample.tokens) / (later.atMs - sample.atMs) >= 0.9 * steady;
    });
    return at < 0 ? undefined : (ran[at]!.atMs - ran[0]!.atMs) / 1000;
  }

  async #sample(): Promise<void> {
    const atMs = performance.now();
    const reply = await this.#connection.call('GET', '/metrics').catch(() => undefined);
    const counts = [...(reply?.body ?? '').matchAll(/^vllm:generation_tokens_total\{[^}]*\} (\S+)/gm)];
    if (counts.length === 0) return;
    this.#samples.push({ atMs, tokens: counts.reduce((sum, [, count]) => sum + Number(count), 0) });
  }
}
