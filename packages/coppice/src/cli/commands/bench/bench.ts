// `coppice bench`: answers a set of questions by several programs and prints one table. Each row gets the exits that it can use, tokens of
// both models are counted, and best-of-n runs at the tokens of the best search. A file of trials lets an interrupted run continue.

import {
  closeModel,
  type GoldQuestion,
  isRight,
  noteFor,
  openModel,
  ownModel,
  usualSearch,
} from '@coppice/core/answering';
import { runBlock } from '../../../bench/contest/block.ts';
import { contendersOf } from '../../../bench/contest/contenders.ts';
import type { Contender, Contest, Trial } from '../../../bench/contest/contest.ts';
import { type EqualTokens, equalTokens } from '../../../bench/contest/equal-tokens.ts';
import { pairing, pairingLine } from '../../../bench/contest/pairs.ts';
import { tally, unsolvedIn } from '../../../bench/contest/tally.ts';
import { deadlineLines, tallyTable } from '../../../bench/contest/tally-table.ts';
import { Trials } from '../../../bench/contest/trial-file.ts';
import { chooseQuestions } from '../../flags/question-flags.ts';
import { AnswerProgress } from '../../terminal/answer-progress.ts';
import { openingLog } from '../../terminal/opening-log.ts';
import { fit } from '../../terminal/terminal.ts';
import { type BenchSettings, configurationLine, configurationOf, readBench } from './bench-options.ts';

export { flags, help } from './bench-options.ts';

const blockQuestions = 20; // questions that a contender answers before the next contender

export async function run(args: readonly string[]): Promise<number> {
  const settings = readBench(args);
  const questions = chooseQuestions(settings);
  const kept = new Trials(settings.resume, configurationOf(settings), questions);
  const model = await openModel(ownModel(settings.own), process.env, openingLog);
  try {
    const contenders = contendersOf({ ...settings, usual: usualSearch(model) });
    for (const warning of model.warnings ?? []) console.error(`warning: ${warning}`);
    const contest: Contest = { model, settings, isCorrect: isRight };
    if (settings.full) process.stderr.write('the whole set: the time left is shown after the first answers\n');
    const progress = new AnswerProgress(questions.length * (contenders.length + 1), kept.count);
    const onTrial = (trial: Trial): void => {
      kept.add(trial);
      progress.tick(trial.contender, settings.json);
    };
    const answer = (rows: readonly Contender[]) => runAll(contest, rows, questions, kept, onTrial);
    await answer(contenders);
    const equal = await equalTokens(contenders, kept, answer);
    progress.end();
    print(settings, noteFor(model), questions, contenders, equal, kept);
    return 0;
  } finally {
    await closeModel(model);
  }
}

async function runAll(
  contest: Contest,
  contenders: readonly Contender[],
  questions: readonly GoldQuestion[],
  kept: Trials,
  onTrial: (trial: Trial) => void,
): Promise<void> {
  // A single contender takes no turns: blocks would only make it wait for their slowest search.
  const size = contenders.length === 1 ? Math.max(1, questions.length) : blockQuestions;
  for (let start = 0; start < questions.length; start += size) {
    const block = questions.slice(start, start + size);
    for (const contender of contenders) {
      const open = block.filter((question) => !kept.has(contender.name, question.id));
      if (open.length === 0) continue;
      await runBlock(contest, contender, open, onTrial);
    }
  }
}

function print(
  settings: BenchSettings,
  note: string,
  questions: readonly GoldQuestion[],
  contenders: readonly Contender[],
  equal: EqualTokens | undefined,
  kept: Trials,
): void {
  const rows = contenders.map(({ name }) => name);
  const names = equal === undefined ? rows : [...new Set([...rows, equal.row])];
  const unsolved = unsolvedIn(names.flatMap((name) => kept.of(name)));
  const tallies = names.map((name) => tally(name, kept.of(name), unsolved));
  const pairings = equal === undefined ? [] : names.map((name) => pairing(kept.of(name), kept.of(equal.row)));
  const configuration = configurationOf(settings);
  if (settings.json) {
    console.log(JSON.stringify({ ...configuration, note, contenders, tallies, equal, pairings }));
    return;
  }
  console.log(`${questions.length} questions, ${note}`);
  console.log(tallyTable(tallies));
  if (settings.wish.deadlineMs !== undefined) console.log(['', ...deadlineLines(tallies)].join('\n'));
  if (equal !== undefined) {
    console.log(`\nagainst ${equal.row}, which takes the tokens of ${equal.as}; intervals paired by question`);
    for (const each of pairings) if (each.contender !== equal.row) console.log(pairingLine(each));
  }
  console.log(fit(`\n${configurationLine(configuration)}`, process.stdout));
}
