// `npm run lab -- confidence [FILE …]`: fits the chance that a voted answer is right where searches stop, and tests the fit.

import { basename } from 'node:path';
import { confidenceBy, confidenceOf, fitConfidence, type VotedStanding } from '@coppice/core/answer';
import { mean, Random, raise } from '@coppice/core/base';
import { confidentFrom } from '@coppice/core/log';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, readArguments, whole } from '../flags.ts';
import { type Calibration, calibrationOf, fitted, stopsAt, unscored, type VoteStops } from '../real/confidence-fit.ts';
import { recordedSamples } from '../real/sample-files.ts';
import { shuffled } from '../real/worth-course.ts';

const recorded = ['gsm8k', 'math500', 'carp', 'college-math-odd'].map(
  (set) => `lab/recorded/qwen2.5-coder-1.5b-${set}.trees.gz`,
);

const text = 'string';
const flags = {
  look: {
    type: text,
    takes: 'LIST',
    default: '',
    about: 'further files, to look at and not to fit on; several also pooled',
  },
  prices: {
    type: text,
    takes: 'LIST',
    default: '5.2e-4,2.6e-4,1.3e-4,6.5e-5,0',
    about: 'at which the line without a judge stops; 0 for all samples',
  },
  labelled: {
    type: text,
    takes: 'N',
    default: '0',
    about:
      'so many questions of each set, eight samples each, are labels of one’s own, as `doctor --questions` fits them; figures are of the others',
  },
  orders: { type: text, takes: 'N', default: '20', about: 'random orders of each question’s samples' },
  seed: { type: text, takes: 'N', default: '1', about: 'of orders' },
  json: { type: 'boolean', default: false, about: 'prints one object a row' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'confidence [FILE …] [--look LIST] [--json]',
  about:
    'Fits how likely a voted answer is right to recorded trees, each file with equal weight, and prints calibration: as fitted, fitted on the other files, as shipped.',
  groups: [['the fit', flags]],
  examples: [
    'confidence lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz --look lab/recorded/qwen2.5-coder-1.5b-math500.trees.gz',
  ],
};

interface RecordedSet {
  readonly name: string;
  readonly isFitted: boolean;
  readonly stops: VoteStops;
  readonly own?: ReturnType<typeof fitConfidence>;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], options: flags, allowPositionals: true });
  const prices = values.prices.split(',').map((each) => flagOf('prices', each, { low: 0, high: 1, unit: '', why: '' }));
  const orders = whole('orders', values.orders, 1, 1000, 'orders');
  const seed = whole('seed', values.seed, 0, 1_000_000, 'seed');
  const labelled = whole('labelled', values.labelled, 0, 1_000_000, 'questions');
  const own = positionals.length > 0 ? positionals : recorded;
  const others = values.look.split(',').filter((file) => file !== '' && !own.includes(file));
  const sets = [...own, ...others].map((file): RecordedSet => {
    const all = recordedSamples(file);
    const most = Math.max(...all.map(({ length }) => length));
    const questions = all.filter(({ length }) => length === most);
    if (most < 2) return raise('bad-setting', `${file} has too few samples to vote`);
    const name = basename(file).replace(/\.trees(\.gz)?$/, '');
    const stopsOf = (some: typeof questions) =>
      stopsAt(some, prices, orders, (...place) => new Random('orders', seed, ...place));
    const mixed = shuffled(questions.length, new Random('labelled', seed)).map((at) => questions[at]!);
    const labels = mixed.slice(0, labelled).map((each) => stopsOf([each.slice(0, 8)]).flat(2));
    const fit = fitConfidence(labels.map((stops) => stops.flatMap((stop) => [stop, unscored(stop)])));
    return { name, isFitted: own.includes(file), stops: stopsOf(mixed.slice(labelled)), own: fit };
  });
  const looked = sets.filter(({ isFitted }) => !isFitted);
  if (looked.length > 1) sets.push(pooled(looked));
  for (const signals of ['votes', 'votes and a score'] as const) {
    const read = sets.map((set) => (signals === 'votes' ? withoutScores(set) : set));
    const weights = weightsOf(read.filter(({ isFitted }) => isFitted));
    if (!values.json) console.log(`${signals}: ${weights.map((each) => each.toFixed(3)).join(', ')}`);
    for (const set of read) {
      const rest = read.filter((each) => each.isFitted && each !== set);
      const elsewhere = set.isFitted && rest.length > 0 ? weightsOf(rest) : undefined;
      const forms: Readonly<Record<string, (standing: VotedStanding) => number>> = {
        fitted: (standing) => confidenceBy(weights, standing),
        ...(elsewhere && { 'fitted on the others': (standing) => confidenceBy(elsewhere, standing) }),
        shipped: confidenceOf,
        ...(set.own && { [`own ${set.own}`]: (standing) => confidenceOf(standing, set.own) }),
      };
      for (const [form, confidence] of Object.entries(forms)) {
        for (const [at, stops] of set.stops.entries()) {
          const samples = mean(stops.flat().map(({ standing }) => standing.samples));
          const found = calibrationOf(stops, confidence, confidentFrom, new Random('perfect', seed));
          const row = { set: set.name, signals, form, price: prices[at]!, questions: stops[0]!.length, samples };
          console.log(values.json ? JSON.stringify({ ...row, ...found, weights }) : rowLine(row, found));
        }
      }
    }
  }
  return 0;
}

/** Questions of all, order by order. */
function pooled(sets: readonly RecordedSet[]): RecordedSet {
  const stops = sets[0]!.stops.map((orders, price) =>
    orders.map((_, order) => sets.flatMap((set) => set.stops[price]![order]!)),
  );
  return { name: sets.map(({ name }) => name).join(' + '), isFitted: false, stops };
}

function withoutScores({ stops, ...set }: RecordedSet): RecordedSet {
  return { ...set, stops: stops.map((orders) => orders.map((each) => each.map(unscored))) };
}

function weightsOf(sets: readonly RecordedSet[]) {
  return fitted(sets.map(({ stops }) => stops.flat(2)));
}

function rowLine(
  row: { readonly set: string; readonly form: string; readonly price: number; readonly samples: number },
  { error, perfect, said, right, low, high }: Calibration,
): string {
  const percent = (share: number) => (100 * share).toFixed(0);
  const sure =
    said === 0 ? 'never' : `in ${percent(said)} %, right in ${percent(right)} % [${percent(low)}, ${percent(high)}]`;
  const stop = `${row.price === 0 ? 'all samples' : `price ${row.price}`} (${row.samples.toFixed(1)})`;
  return `  ${row.set}, ${row.form}, ${stop}: error ${error.toFixed(3)}, a perfect one ${perfect.toFixed(3)}; ${confidentFrom} or more: ${sure}`;
}
