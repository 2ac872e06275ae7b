// `npm run lab -- wire --engine URL --questions FILE`: measures how much of a server's speed reaches searches, with real questions and answers as long as the
// model makes them. At equal numbers in flight, plain requests for whole answers take turns with coppice with every strand busy. Tokens are the server's own
// count. A row that the file of `--json` holds is not run again. Without a model it runs against made-up servers.

import { appendFileSync } from 'node:fs';
import { closeModel, type OwnModelOptions, openModel, ownModel, type Wish } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { keyIn } from '@coppice/core/config';
import { probe } from '@coppice/core/engine';
import { Connection } from '@coppice/core/remote';
import {
  chooseQuestions,
  modelFlags,
  namedOf,
  readModelFlags,
  readSearchArguments,
  setFlag,
  settingHelp,
} from 'coppice/cli';
import { printed } from '../experiment/table.ts';
import {
  type CommandFlags,
  type CommandHelp,
  type CommandSettings,
  exampleServer,
  flagOf,
  helpFlag,
  oneOf,
  whole,
} from '../flags.ts';
import { keptUnder } from '../real/kept-lines.ts';
import { askEngine, askServers, type FactualServer } from '../wire/alone-load.ts';
import { startServer } from '../wire/child-server.ts';
import { RequestCount } from '../wire/request-count.ts';
import { searchLoad } from '../wire/search-load.ts';
import { readServers } from '../wire/server-reading.ts';
import { abortTime, measureWindow, untilIdle, type WireLoad } from '../wire/wire-load.ts';
import { WireQuestions } from '../wire/wire-questions.ts';
import { type WireLine, type WireRow, wireRows, wireTable } from '../wire/wire-table.ts';

const text = 'string';
const rowGroup = {
  questions: { type: text, takes: 'FILE', about: 'JSONL with question and answer; word problems where unset' },
  strands: { type: text, takes: 'N,…', default: '256,768', about: 'in flight, on both sides' },
  rows: {
    type: text,
    takes: 'NAMES',
    about: 'samples, judged, mcts, beam, each after the server alone, or alone (all that the model can)',
  },
  samples: { type: text, takes: 'N', default: '16', about: 'of a question; rollouts of mcts, twice the beams' },
  seconds: { type: text, takes: 'S', default: '24', about: 'that are counted of each row' },
  warm: { type: text, takes: 'S', default: '8', about: 'before that' },
  'max-tokens': { type: text, takes: 'N', default: '700', about: 'of an answer' },
  json: { type: text, takes: 'FILE', about: 'keeps each row there as it ends, and repeats none that it holds' },
  ...setFlag,
  ...helpFlag,
} as const satisfies CommandFlags;
const { budget: _, embedder: __, ...models } = modelFlags;
const flags = { ...rowGroup, ...models } as const;

const scope: CommandSettings = {
  search: [
    'temperature',
    'topP',
    'topK',
    'minP',
    'policy',
    'aggregation',
    'choose',
    'threshold',
    'branching',
    'maxDepth',
    'stepTokens',
  ],
  model: () => true,
};

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'wire [--engine URL [--verifier URL]] [options]',
  about:
    'Measures a server asked plainly and through coppice at as many sequences in flight, by the server’s own count of tokens, and how long it goes on after a cancellation.',
  groups: [
    ['the rows', rowGroup],
    ['the model', models],
  ],
  settings: settingHelp(scope),
  examples: [
    `wire --engine ${exampleServer} --questions gsm8k.jsonl --json wire.jsonl`,
    'wire --strands 64 --seconds 10',
  ],
};

type SearchedRow = Exclude<WireRow, 'alone'>;

/** No answer ends a search before all its paths are there: rows are compared by what they write, not by what they save. */
const always = { threshold: 1 } as const satisfies Wish;
/** The last score of a path alone counts: a sample is one request to each server. */
const judged = { aggregation: 'last', choose: 'vote' } as const satisfies Wish;
const programs = { samples: 'self-consistency', judged: 'best-of-n', mcts: 'mcts', beam: 'beam' } as const satisfies {
  readonly [Row in SearchedRow]: Wish['program'];
};

/** A generator, and a reward model of its size: passes of 16,384 tokens, 0.003 ms each. */
const madeUpServers = [['wire-server'], ['scores-server', '16384', '0.003']] as const;

type WireSettings = ReturnType<typeof readWire>;

function readWire(args: readonly string[]) {
  const { values, wish, model } = readSearchArguments({ args: [...args], options: flags }, scope);
  const own = readModelFlags(values, false, model);
  const isJudged = ownModel(own).verifier.kind !== 'none';
  const rows = values.rows?.split(',').map((row) => oneOf('rows', row.trim(), wireRows));
  if (!isJudged && rows?.some((row) => row !== 'alone' && row !== 'samples'))
    raise('bad-setting', 'judged, mcts and beam need a reward model: give --verifier URL or --prm');
  const { json, rows: _rows, strands: _strands, help: _help, ...head } = values;
  return {
    own,
    wish: { ...always, ...wish, maxTokens: whole('max-tokens', values['max-tokens'], 1, 100_000, 'tokens') },
    questions: chooseQuestions({ ...everything, ...(values.questions && { file: values.questions }) }),
    strands: values.strands.split(',').map((each) => whole('strands', each.trim(), 1, 100_000, 'strands')),
    rows: rows ?? (isJudged ? wireRows.slice(1) : (['samples'] as const)),
    samples: whole('samples', values.samples, 1, 10_000, 'samples'),
    pace: { warmMs: 1000 * secondsOf('warm', values.warm), windowMs: 1000 * secondsOf('seconds', values.seconds) },
    json,
    head,
  };
}

const everything = { task: 'word-problem', size: 1, full: true } as const;

function secondsOf(flag: string, said: string): number {
  return flagOf(flag, said, { low: 0, high: 100_000, unit: 'seconds', why: '' });
}

function isMadeUp({ engines, model }: OwnModelOptions): boolean {
  return engines === undefined && model === undefined;
}

export async function run(args: readonly string[]): Promise<number> {
  const settings = readWire(args);
  const lines = settings.json === undefined ? [] : keptUnder<WireLine>(settings.json, JSON.stringify(settings.head));
  const madeUp = isMadeUp(settings.own)
    ? await Promise.all(madeUpServers.map(([name, ...own]) => startServer(name, own)))
    : [];
  try {
    const [engine, verifier] = madeUp;
    const servers = engine && { engines: [engine.url], verifiers: [verifier!.url] };
    const bench = new WireBench({ ...settings, own: { ...settings.own, ...servers } });
    for (const { strands, row, before } of rowsOf(settings)) {
      if (lines.some((line) => line.strands === strands && line.row === row && line.before === before)) continue;
      const line: WireLine = { strands, row, ...(before && { before }), ...(await bench.measure(row, strands)) };
      lines.push(line);
      if (settings.json !== undefined) appendFileSync(settings.json, `${JSON.stringify(line)}\n`);
      console.error(`${strands} ${row}: ${line.tokensPerSecond.toFixed(0)} tokens a second`);
    }
  } finally {
    for (const server of madeUp) server.stop();
  }
  console.log(printed(wireTable(lines), 'text'));
  return 0;
}

interface PlannedRow {
  readonly strands: number;
  readonly row: WireRow;
  readonly before?: SearchedRow;
}

/** The server alone before every row: what changes on the way happens to both. */
function rowsOf({ strands: counts, rows }: WireSettings): PlannedRow[] {
  return counts.flatMap((strands) =>
    rows.flatMap((row): PlannedRow[] => {
      return row === 'alone'
        ? [{ strands, row }]
        : [
            { strands, row: 'alone', before: row },
            { strands, row },
          ];
    }),
  );
}

class WireBench {
  readonly #settings: WireSettings;

  constructor(settings: WireSettings) {
    this.#settings = settings;
  }

  async measure(row: WireRow, strands: number) {
    const { own, pace } = this.#settings;
    const requests = new RequestCount(own.engines ?? [], own.verifiers ?? []);
    const servers = await this.#servers();
    try {
      const load = row === 'alone' ? await this.#alone(servers, strands) : await this.#searches(row, servers, strands);
      try {
        const figures = await measureWindow(load, requests, pace);
        return { ...figures, ...(row !== 'alone' && { abort: await abortTime(load, figures.running) }) };
      } finally {
        load.cancel();
        await load.close();
        if (servers.length > 0) await untilIdle(() => readServers(servers));
      }
    } finally {
      requests.end();
      for (const { connection } of servers) connection.close();
    }
  }

  async #servers(): Promise<FactualServer[]> {
    const { own } = this.#settings;
    const { named, keyEnv } = namedOf(ownModel(own));
    return Promise.all(
      (own.engines ?? []).map(async (url) => {
        const connection = new Connection({ url, ...keyIn(keyEnv, process.env) });
        const facts = await probe(connection, named);
        return { connection, facts, dialect: facts.dialect };
      }),
    );
  }

  async #alone(servers: readonly FactualServer[], strands: number): Promise<WireLoad> {
    const { questions, wish } = this.#settings;
    const model = await openModel(ownModel(withoutJudge(this.#settings.own)), process.env);
    const asked = new WireQuestions(model, questions, { ...wish, program: programs.samples });
    const next = () => asked.nextPlan();
    const load = servers.length > 0 ? askServers(servers, strands, next) : askEngine(model.engine, strands, next);
    return {
      ...load,
      async close() {
        await load.close();
        await closeModel(model);
      },
    };
  }

  async #searches(row: SearchedRow, servers: readonly FactualServer[], strands: number): Promise<WireLoad> {
    const { own, questions, wish, samples: rollouts } = this.#settings;
    const model = await openModel(ownModel(row === 'samples' ? withoutJudge(own) : own), process.env);
    const asked = new WireQuestions(model, questions, {
      ...(row === 'judged' ? judged : {}),
      ...wish,
      program: programs[row],
      rollouts,
    });
    return searchLoad(model, servers, strands, () => asked.nextSearch());
  }
}

function withoutJudge({ verifiers: _, kind: __, settings = {}, ...own }: OwnModelOptions): OwnModelOptions {
  const { verifier: ___, ...rest } = settings;
  return { ...own, prm: 'none', settings: rest };
}
