// `npm run lab -- thresholds SEARCHES AGGREGATION [TREES]`: from the trees of a `vanilla` search, gives the cost and the right answers of each threshold
// of acceptance, and names the cheapest one within a point of the best. With a second file it writes the trees for `sim --trees`.

import { writeFileSync } from 'node:fs';
import { mean, raise } from '@coppice/core/base';
import { type CommandHelp, oneOf } from '../flags.ts';
import {
  aggregations,
  endsToldApart,
  type FirstPassage,
  firstPassage,
  type Grown,
  recordingOf,
} from '../real/grown-trees.ts';
import { headOf, keptLines } from '../real/kept-lines.ts';

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'thresholds SEARCHES AGGREGATION [TREES]',
  about:
    'Prints what thresholds of acceptance would have cost and given in trees that contest grew with policy vanilla; writes those trees for sim --trees.',
  groups: [],
  examples: ['thresholds train.jsonl minimum train.trees'],
};

const candidates = [
  0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95,
];
/** Points below the best that a cheaper threshold may be. */
const tolerance = 0.01;

interface ThresholdRow {
  readonly threshold: number;
  readonly right: number;
  readonly tokens: number;
  readonly accepted: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const [file, told, trees] = args;
  if (file === undefined || told === undefined)
    return raise(
      'bad-setting',
      'of which searches, scored how? npm run lab -- thresholds SEARCHES AGGREGATION [TREES]',
    );
  // Not guessed: a threshold of another aggregation accepts nearly everything or nothing.
  const aggregation = oneOf('AGGREGATION', told, aggregations);
  const grown = keptLines<Grown>(file);
  if (grown.length === 0) raise('bad-setting', `${file} holds no searches; npm run lab -- contest writes them`);
  const rows = candidates.map((threshold) =>
    rowOf(
      threshold,
      grown.map((each) => firstPassage(each, threshold, aggregation)),
    ),
  );
  console.log(`${grown.length} searches; the first answer of at least a threshold, by ${aggregation}`);
  for (const row of rows) console.log(lineOf(row));
  const best = Math.max(...rows.map(({ right }) => right));
  const chosen = rows.filter(({ right }) => right >= best - tolerance).sort((a, b) => a.tokens - b.tokens)[0]!;
  console.log(`chosen: ${chosen.threshold}`);
  const { share, pairs } = endsToldApart(grown);
  console.log(`ends of a tree told apart by their last rewards: ${share.toFixed(2)} of ${pairs} pairs`);
  if (trees === undefined) return 0;
  const {
    model = '',
    verifiers = '',
    seed = 1,
  } = JSON.parse(headOf(file)) as Record<string, string> & { seed?: number };
  writeFileSync(trees, `${recordingOf(model, verifiers, seed, grown).join('\n')}\n`);
  return 0;
}

function rowOf(threshold: number, found: readonly FirstPassage[]): ThresholdRow {
  const right = mean(found.map((each) => Number(each.right)));
  const accepted = mean(found.map((each) => Number(each.accepted)));
  return { threshold, right, accepted, tokens: mean(found.map(({ tokens }) => tokens)) };
}

function lineOf({ threshold, right, tokens, accepted }: ThresholdRow): string {
  const shares = `${(100 * right).toFixed(1)} % right, ${(100 * accepted).toFixed(1)} % accepted`;
  return `  ${threshold.toFixed(2)}: ${shares}, ${tokens.toFixed(0)} tokens`;
}
