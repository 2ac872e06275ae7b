// `npm run lab -- served FILE RATES --url URL`: sends questions at random moments to a running `coppice serve`, the same for each of its models. Every
// line of the file is an answer, written as it arrives; answers of a cell (a model at a rate) that the file holds are not requested again.

import { appendFileSync } from 'node:fs';
import { readQuestions } from '@coppice/core/answering';
import { mean, Random, raise } from '@coppice/core/base';
import { verdicts } from '@coppice/core/log';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, readArguments, whole } from '../flags.ts';
import { arrivals, mixed } from '../open-load/arrivals.ts';
import { arrivalTable } from '../real/arrival-table.ts';
import { keptUnder } from '../real/kept-lines.ts';
import { heldRate, liveTable, type ReplayedRight } from '../real/live-table.ts';
import { percentage } from '../real/percentage.ts';
import { recordedSamples } from '../real/sample-files.ts';
import { askAtMoments, type ServedLine } from '../real/served-questions.ts';
import { auditOf } from '../real/worth-audit.ts';
import { questionOf, shippedWaves } from '../real/worth-course.ts';
import { curvesOf, rightAt, tokensOf, usualOf } from '../real/worth-curves.ts';
import { trustOf } from '../real/worth-judges.ts';
import { autoArm, replayArms } from '../real/worth-replay.ts';
import { parseLoad } from '../service/index.ts';

const flags = {
  url: { type: 'string', takes: 'URL', default: 'http://127.0.0.1:8181/v1', about: 'the gateway' },
  models: { type: 'string', takes: 'LIST', about: 'its models; points are against the first' },
  questions: { type: 'string', takes: 'FILE', about: 'JSONL with question and answer' },
  size: {
    type: 'string',
    takes: 'N',
    default: '1000000',
    about: 'so many of them, spread evenly; the next seed asks others',
  },
  body: { type: 'string', takes: 'JSON', default: '{}', about: 'what each request says besides model and messages' },
  name: { type: 'string', takes: 'TEXT', default: '', about: 'of this body, behind the names of the models' },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of order and moments; from 1' },
  replay: {
    type: 'string',
    takes: 'FILE',
    about: 'recorded samples: what they give for as many tokens stands beside each row',
  },
  within: {
    type: 'string',
    takes: 'SECONDS',
    about: 'names the largest rate that the first model holds with this p90',
  },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'served FILE RATES --models LIST [options]',
  about: 'Asks a running gateway so many questions a second (3/s,9/s), model after model, and keeps every answer.',
  groups: [['how', flags]],
  examples: ['served live.jsonl 4/s,12/s --models boost,default --questions gsm8k.jsonl'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({
    args: [...args],
    options: flags,
    allowPositionals: true,
  });
  const [file, given] = positionals;
  if (file === undefined || given === undefined || values.models === undefined || values.questions === undefined)
    return raise('bad-setting', 'npm run lab -- served FILE RATES --models LIST --questions FILE');
  const seed = whole('seed', values.seed, 1, 1_000_000, 'seed');
  const all = readQuestions(values.questions);
  const size = Math.min(all.length, whole('size', values.size, 1, 1_000_000, 'questions'));
  const shift = ((seed - 1) % 3) / 3;
  const chosen = Array.from({ length: size }, (_, at) => all[Math.floor(((at + shift) * all.length) / size)]!);
  const questions = mixed(seed, chosen);
  const body = JSON.parse(values.body) as Record<string, unknown>;
  const kept = keptUnder<ServedLine>(file, JSON.stringify({ questions: values.questions }));
  const replay = values.replay === undefined ? undefined : replayedRight(values.replay);
  let unanswered = 0;
  for (const text of given.split(',')) {
    const { name, factor: perSecond, of } = parseLoad(text.trim());
    if (of !== 'clock') return raise('bad-setting', `the rate is '${text}'; it must be as 3/s`);
    const load = seed === 1 ? name : `${name} seed ${seed}`;
    for (const model of values.models.split(',')) {
      const contender = [model, values.name].filter((each) => each !== '').join(' ');
      const asked = new Set(kept.filter((line) => isOf(line, load, contender)).map(({ question }) => question));
      const missing = questions.filter(({ id }) => !asked.has(id));
      const row = { url: values.url, model, body };
      unanswered += await askAtMoments(row, missing, arrivals(seed, missing.length, perSecond), (answer) => {
        const line = { contender, load, perSecond, ...answer };
        appendFileSync(file, `${JSON.stringify(line)}\n`);
        kept.push(line);
      });
      console.error(`${load} ${contender}`);
    }
  }
  if (kept.length > 0)
    for (const line of [...arrivalTable(kept), ...verdictLines(kept), ...liveTable(kept, replay)]) console.log(line);
  const held = values.within && heldRate(kept, flagOf('within', values.within, seconds));
  if (held !== undefined && held !== '') console.log(`holds ${held} a second`);
  if (unanswered === 0) return 0;
  console.error(`${unanswered} questions got no reply: is the gateway up? The same command asks them again`);
  return 1;
}

const seconds = { low: 0.001, high: 3600, unit: 'seconds', why: '' };

function isOf(line: ServedLine, load: string, contender: string): boolean {
  return line.load === load && line.contender === contender;
}

/** The default in waves, as `worth` replays it; a token that the judge reads costs as much as a generated one. */
function replayedRight(file: string): ReplayedRight {
  const questions = recordedSamples(file).map(questionOf);
  const usual = usualOf(questions);
  const settings = { trust: trustOf(auditOf(questions)), cost: 1, waves: shippedWaves(usual) };
  const replayed = replayArms(questions, [autoArm('auto', settings)], 20, (at) => new Random('orders', 1, at));
  const [curve] = curvesOf(tokensOf(questions), questions[0]!.tokens.length, replayed, [], new Random(1), 0).curves;
  return (tokens) => rightAt(curve!, tokens / usual);
}

function verdictLines(lines: readonly ServedLine[]): string[] {
  return [...Map.groupBy(lines, ({ load, contender }) => `${load} ${contender}`)].map(([cell, own]) => {
    const parts = verdicts.flatMap((verdict) => {
      const said = own.filter((line) => line.verdict === verdict);
      if (said.length === 0) return [];
      const right = mean(said.map(({ correct }) => Number(correct)));
      return [`${verdict} ${percentage(said.length / own.length)} % (right ${percentage(right)} %)`];
    });
    return `${cell}: ${mean(own.map(({ samples }) => samples)).toFixed(1)} samples; ${parts.join(', ')}`;
  });
}
