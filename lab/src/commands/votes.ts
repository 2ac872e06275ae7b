// `npm run lab -- votes TEST TRAIN --drawn … --confidences …`: votes over recorded samples that end early by DeepConf, by a lead and by both, against the vote
// of all samples. DeepConf's settings are chosen on TRAIN; TEST alone is told. Sets are named as their files of questions are. Without confidences
// only the lead is told.

import { basename } from 'node:path';
import { readQuestions } from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { type CommandFlags, type CommandHelp, helpFlag, readArguments, whole } from '../flags.ts';
import { type VoteFiles, votedSamples } from '../real/recorded-votes.ts';
import type { VoteRules } from '../real/vote-replay.ts';
import { chooseDeepConf, rowLine, settingsLine, type VotedQuestion, voteRows } from '../real/vote-table.ts';

const text = 'string';
const flags = {
  drawn: { type: text, multiple: true, takes: 'FILE', about: 'solutions, as training/real writes them' },
  confidences: { type: text, multiple: true, takes: 'FILE', about: 'how sure the model was of their tokens' },
  scored: { type: text, multiple: true, takes: 'FILE', about: 'the reward model’s scores, for lead' },
  samples: { type: text, takes: 'N', default: '32', about: 'of each question; those with fewer are left out' },
  open: { type: text, takes: 'N', default: '1', about: 'samples that are open at a time' },
  most: { type: text, takes: 'N', default: '1000000', about: 'questions of each set' },
  loss: { type: text, takes: 'POINTS', default: '0.25', about: 'most that DeepConf may lose on training questions' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'votes TEST [TRAIN] --drawn FILE … [--confidences FILE …] [--scored FILE …]',
  about: 'Replays votes over recorded samples under DeepConf, a lead and both, and prints what they save.',
  groups: [['the samples', flags]],
  examples: ['votes gsm8k.jsonl gsm8k-train.jsonl --drawn solutions-0.jsonl --confidences confidences-0.gz'],
};

/** Of the lead that ends a vote by rewards. */
const risk = 0.1;

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], options: flags, allowPositionals: true });
  const [test, train] = positionals;
  const files = { drawn: values.drawn ?? [], confidences: values.confidences ?? [], scored: values.scored ?? [] };
  const isSure = files.confidences.length > 0;
  if (test === undefined || (isSure && train === undefined) || files.drawn.length === 0)
    return raise('bad-setting', `of what? npm run lab -- ${help.usage}`);
  const count = whole('samples', values.samples, 2, 10_000, 'samples');
  const most = whole('most', values.most, 1, 1_000_000, 'questions');
  const open = whole('open', values.open, 1, 10_000, 'samples');
  const loss = Number(values.loss) / 100;
  if (!Number.isFinite(loss)) return raise('bad-setting', `--loss is '${values.loss}'; it must be a number of points`);
  const given = (file: string) => {
    const found = questionsOf(file, files, count).slice(0, most);
    if (found.length > 1) return found;
    return raise('bad-setting', `too few questions of ${file} have ${count} samples: ${found.length} (--samples)`);
  };
  const tests = given(test);
  const trains = isSure ? given(train!) : [];
  tell(tests, trains, open, loss, false);
  if (tests[0]!().every(({ steps }) => steps[0]?.reward !== undefined)) tell(tests, trains, open, loss, true);
  return 0;
}

/** One table of plain votes, and one of votes by rewards where there are any. */
function tell(
  tests: readonly VotedQuestion[],
  trains: readonly VotedQuestion[],
  open: number,
  loss: number,
  scored: boolean,
) {
  const plain: VoteRules = { open, scored, choose: 'vote' };
  const risks = scored ? [risk] : [];
  const arms: [string, VoteRules][] = [[scored ? 'weighted vote of all' : 'vote of all', plain]];
  if (!scored && trains.length > 0) arms.push(['vote of all by confidence', { ...plain, choose: 'confident' }]);
  for (const leadRisk of risks) arms.push([`lead at ${leadRisk}`, { ...plain, leadRisk }]);
  for (const leadRisk of trains.length > 0 ? [undefined, ...risks] : []) {
    // DeepConf weighs votes by confidence; with rewards they weigh more.
    const others: VoteRules = { ...plain, leadRisk, choose: scored ? 'vote' : 'confident' };
    const found = chooseDeepConf(trains, others, loss);
    const name = leadRisk === undefined ? 'deepconf' : `deepconf and lead at ${leadRisk}`;
    console.log(
      `training, ${name}: ${found === undefined ? `none loses at most ${100 * loss} points` : rowLine(settingsLine(found.deepconf), found.row)}`,
    );
    if (found !== undefined)
      arms.push([`${name}, ${settingsLine(found.deepconf)}`, { ...others, deepconf: found.deepconf }]);
  }
  const rows = voteRows(
    tests,
    arms.map(([, each]) => each),
  );
  console.log(
    `${tests.length} test questions, ${trains.length} training questions, ${open} samples open at a time; tokens of the generator, loss in points`,
  );
  for (const [at, [name]] of arms.entries()) console.log(rowLine(name, rows[at]!));
}

function questionsOf(file: string, files: VoteFiles, count: number): VotedQuestion[] {
  const questions = readQuestions(file);
  const found = votedSamples(basename(file, '.jsonl'), questions, files);
  return [...found.values()]
    .filter(({ length }) => length >= count)
    .map(
      ({ make }) =>
        () =>
          make(count),
    );
}
