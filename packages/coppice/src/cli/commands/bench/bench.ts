// `coppice bench`: a set of questions through several programs; one table. Each row gets the exits that it can use, tokens of both
// models are counted, and best-of-n runs at the tokens of the best search. A file of trials lets an interrupted run go on.

import {
  closeModel,
  type GoldQuestion,
  isRight,
  type OpenModel,
  openModel,
  ownModel,
  usualSearch,
} from '@coppice/core/answering';
import { raise } from '@coppice/core/base';
import { runBlock } from '../../../bench/contest/block.ts';
import { ablationOf, contendersOf, searching } from '../../../bench/contest/contenders.ts';
import type { Contender, Contest, Trial, VerifierMode } from '../../../bench/contest/contest.ts';
import { type EqualTokens, equalTokens } from '../../../bench/contest/equal-tokens.ts';
import { pairing, pairingLine } from '../../../bench/contest/pairs.ts';
import { tally, unsolvedIn } from '../../../bench/contest/tally.ts';
import { deadlineLines, tallyTable } from '../../../bench/contest/tally-table.ts';
import { Trials } from '../../../bench/contest/trial-file.ts';
import { growthLines } from '../../../bench/contest/trial-growth.ts';
import { chooseQuestions } from '../../flags/question-flags.ts';
import { AnswerProgress } from '../../terminal/answer-progress.ts';
import { openingLog } from '../../terminal/opening-log.ts';
import { type BenchSettings, configurationLine, configurationOf, readBench, withVerifier } from './bench-options.ts';

export { flags, help, settings } from './bench-options.ts';

const blockQuestions = 20; // questions that a contender answers before the next one has its turn

export async function run(args: readonly string[]): Promise<number> {
  const settings = readBench(args);
  const questions = chooseQuestions(settings);
  const kept = new Trials(settings.resume, configurationOf(settings), questions);
  const models = new Map<VerifierMode, OpenModel>();
  try {
    for (const mode of settings.scoredBy) {
      models.set(mode, await openModel(ownModel(withVerifier(settings.own, mode)), process.env, openingLog));
    }
    const contenders = entered(settings, models.get(settings.scoredBy[0]!)!);
    for (const warning of models.get(settings.scoredBy[0]!)?.warnings ?? []) console.error(`warning: ${warning}`);
    const contestOf = ({ verifier = 'both' }: Contender): Contest => {
      return { model: models.get(verifier)!, settings, isCorrect: isRight };
    };
    if (settings.full) process.stderr.write('the whole set: the time left is shown after the first answers\n');
    const progress = new AnswerProgress(questions.length * (contenders.length + 1), kept.count);
    const onTrial = (trial: Trial): void => {
      kept.add(trial);
      progress.tick(trial.contender, settings.json);
    };
    const answer = (rows: readonly Contender[]) => runAll(contestOf, rows, questions, kept, onTrial);
    await answer(contenders);
    const equal = await equalTokens(contenders, kept, answer);
    progress.end();
    const [model] = models.values();
    print(settings, model?.note ?? '', questions, contenders, equal, kept);
    return 0;
  } finally {
    await Promise.all([...models.values()].map(closeModel));
  }
}

function entered(settings: BenchSettings, model: OpenModel): Contender[] {
  const { ablate, scoredBy: verifiers } = settings;
  if (ablate === undefined) return contendersOf({ ...settings, verifiers, usual: usualSearch(model) });
  const searches = settings.entrants.filter((name) => searching.includes(name));
  if (searches.length === 0)
    raise('bad-setting', '--ablate is about searches: --programs must name mcts or best-first');
  return ablationOf(ablate, contendersOf({ ...settings, entrants: searches, policies: [ablate], verifiers }));
}

async function runAll(
  contestOf: (contender: Contender) => Contest,
  contenders: readonly Contender[],
  questions: readonly GoldQuestion[],
  kept: Trials,
  onTrial: (trial: Trial) => void,
): Promise<void> {
  // A single contender takes no turns: blocks would only wait for their slowest search.
  const size = contenders.length === 1 ? Math.max(1, questions.length) : blockQuestions;
  for (let start = 0; start < questions.length; start += size) {
    const block = questions.slice(start, start + size);
    for (const contender of contenders) {
      const open = block.filter((question) => !kept.has(contender.name, question.id));
      if (open.length === 0) continue;
      await runBlock(contestOf(contender), contender, open, onTrial);
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
  const grown = growthLines(tallies);
  if (grown.length > 0) console.log(['', ...grown].join('\n'));
  if (settings.wish.deadlineMs !== undefined) console.log(['', ...deadlineLines(tallies)].join('\n'));
  if (equal !== undefined) {
    console.log(`\nagainst ${equal.row}, which takes the tokens of ${equal.as}; intervals paired by question`);
    for (const each of pairings) if (each.contender !== equal.row) console.log(pairingLine(each));
  }
  console.log(`\n${configurationLine(configuration)}`);
}
