// Streams of searches by which `auto` learns, as a server does (core: log/agreement.ts), how far to trust its judge, in waves as it ships. Judges lie, a key lies
// about a judge, one question floods the others, questions drift, or the model repeats its mistakes: right answers against a plain vote at equal tokens.

import { Random } from '@coppice/core/base';
import { JudgeAudits } from '@coppice/core/log';
import { auditSamples, worthConstants } from '@coppice/core/tree';
import { majorityOf } from './worth-audit.ts';
import { type Stopped, stopAuto } from './worth-auto.ts';
import { courseOf, oneByOne, shippedWaves, shuffled, type VoteQuestion } from './worth-course.ts';
import { aheadAt, curvesOf, tokensOf, usualOf, type WorstGap, type WorthInterval, worstGap } from './worth-curves.ts';
import { type JudgeReplay, lyingQuestions } from './worth-judges.ts';
import { allArms, autoArm, emptyLevel, type Replayed, replayArms } from './worth-replay.ts';
import { budgetsTo, points } from './worth-table.ts';

type KeptAudit = NonNullable<ReturnType<typeof auditSamples>>;

/** A search of a stream: one of the questions that count, by its place, another one, or one whose audit its key has made up. */
interface Streamed {
  readonly owner: string;
  readonly at?: number;
  readonly question?: VoteQuestion;
  readonly forged?: KeptAudit;
}

interface QuestionStream {
  readonly name: string;
  readonly questions: readonly VoteQuestion[];
  /** The keys of those that count; ten in turn by default. */
  readonly owner?: (at: number) => string;
  /** Searches that come before those that count, and among them. */
  readonly before?: readonly Streamed[];
  readonly among?: readonly Streamed[];
  /** The operator's, who has labels; learnt without. */
  readonly trust?: number;
}

const keys = 10;
const medium = 1.3e-4;
const prices = [8, 4, 2, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 16].map((each) => each * medium);
/** Searches after which every search learns of the ones before; later so many searches learn at once. */
const [early, step] = [100, 25];

const owned = (owner: (at: number) => string, questions: readonly VoteQuestion[]): Streamed[] =>
  questions.map((question, at) => ({ owner: owner(at), question }));
const anyKey = (at: number) => `key ${at % keys}`;

/** What a key would say of a judge that is always right, or always wrong. */
function forgedAudit(isRight: boolean): KeptAudit {
  const bins = auditSamples([...'aaab'].map((meaning) => ({ meaning, score: 0.5 })))!.agreed.length;
  const at = (bin: number) => Array.from({ length: bins }, (_, each) => (each === bin ? 8 : 0));
  const [high, low] = [at(bins - 1), at(0)];
  return { pairs: 64, right: isRight ? 64 : 0, agreed: isRight ? high : low, differed: isRight ? low : high };
}

/** Half of the samples repeat the most frequent wrong answer of their question. */
function stubborn(question: VoteQuestion, random: Random): VoteQuestion {
  const { answers, tokens, scores, right } = question;
  const wrong = Array.from(right, (isRight, answer) =>
    isRight ? 0 : answers.filter((each) => each === answer).length,
  );
  const worst = wrong.indexOf(Math.max(...wrong));
  const copies = [...answers.keys()].filter((at) => answers[at] === worst && wrong[worst]! > 0);
  const from = Array.from(answers, (_, at) =>
    copies.length > 0 && random.chance(0.5) ? copies[random.integer(copies.length)]! : at,
  );
  return {
    right,
    answers: answers.map((_, at) => answers[from[at]!]!),
    tokens: tokens.map((_, at) => tokens[from[at]!]!),
    scores: scores.map((_, at) => scores[from[at]!]!),
  };
}

/** The split question on which the judge orders the fewest pairs as the vote does. */
function mostMisleading(questions: readonly VoteQuestion[]): VoteQuestion {
  const shareOf = (question: VoteQuestion) => {
    if (majorityOf(question) === undefined) return 1;
    const audit = auditSamples(samplesOf(question, [...question.answers.keys()], () => true));
    return audit === undefined ? 1 : audit.right / audit.pairs;
  };
  return questions.reduce((one, other) => (shareOf(other) < shareOf(one) ? other : one));
}

function samplesOf({ answers, scores }: VoteQuestion, drawn: readonly number[], isRead: (sample: number) => boolean) {
  return drawn.map((sample) => ({
    meaning: answers[sample]! < 0 ? undefined : String(answers[sample]),
    score: isRead(sample) ? scores[sample] : undefined,
  }));
}

/** `earlier`: questions of another set. */
function streamsOf({ questions, seed }: JudgeReplay, earlier: readonly VoteQuestion[]): QuestionStream[] {
  const lies = lyingQuestions({ questions, seed });
  const inverted = lies.inverted!;
  const mistaken = questions.map((each, at) => stubborn(each, new Random(seed, at)));
  const flood = (owner: (at: number) => string) => {
    const one = mostMisleading(questions);
    return owned(
      owner,
      questions.map(() => one),
    );
  };
  const liar = (isRight: boolean, liars = 1) =>
    questions.map((_, at) => ({ owner: `liar ${at % liars}`, forged: forgedAudit(isRight) }));
  const only = () => 'only';
  const most = (at: number) => (at % 20 === 0 ? 'now and then' : 'only');
  return [
    ...Object.entries(lies).map(([name, lying]) => ({ name, questions: lying })),
    { name: 'model repeats a mistake', questions: mistaken },
    { name: 'the same, trust set to 0.7', questions: mistaken, trust: 0.7 },
    { name: 'flood of one question, one key', questions, among: flood(() => 'flood') },
    { name: 'flood of one question, all keys', questions, among: flood(anyKey) },
    { name: 'after another set', questions, before: owned(anyKey, earlier) },
    { name: 'honest, slandered by a key', questions, among: liar(false) },
    { name: 'inverted, praised by a key', questions: inverted, among: liar(true) },
    { name: 'inverted, praised by two keys', questions: inverted, among: liar(true, 2) },
    { name: 'inverted, one other key praises', questions: inverted, owner: only, among: liar(true) },
    { name: 'inverted, one key asks 19 of 20', questions: inverted, owner: most },
    { name: 'honest, one key asks 19 of 20', questions, owner: most },
    { name: 'inverted, two keys', questions: inverted, owner: (at) => `key ${at % 2}` },
    { name: 'honest, two keys', questions, owner: (at) => `key ${at % 2}` },
  ];
}

function asStreamed(
  { questions, owner = anyKey, before = [], among = [] }: QuestionStream,
  random: Random,
): Streamed[] {
  const counted: Streamed[] = [...questions.keys()].map((at) => ({ owner: owner(at), at }));
  const mixed = [...counted, ...among];
  return [...before, ...shuffled(mixed.length, random).map((at) => mixed[at]!)];
}

/** Every price has searches and audits of its own. Gives what was found, the mean of what is trusted at the end at medium effort, and how far answers are behind the votes of the same samples, the most at any price. */
function replayStream(stream: QuestionStream, { cost, orders, seed }: JudgeReplay) {
  const { questions } = stream;
  const waves = shippedWaves(usualOf(questions));
  const levels = prices.map(() => emptyLevel(questions.length, orders));
  const randoms = questions.map((_, at) => new Random('orders', seed, at));
  const losses = prices.map(() => 0);
  let trusted = 0;
  for (let order = 0; order < orders; order += 1) {
    const random = new Random('stream', seed, order);
    const begun = questions.map(({ tokens }, at) => shuffled(tokens.length, randoms[at]!));
    const searches = asStreamed(stream, random).map(({ question, ...search }) => {
      const asked = search.at === undefined ? question : questions[search.at]!;
      const drawn = search.at === undefined ? shuffled(asked?.tokens.length ?? 0, random) : begun[search.at]!;
      return { ...search, course: asked && courseOf(asked, drawn, oneByOne) };
    });
    for (const [level, price] of prices.entries()) {
      const rows: { owner: string; audit: KeptAudit | undefined }[] = [];
      let audits = new JudgeAudits([]);
      let known: number | undefined;
      for (const [place, { owner, at, forged, course }] of searches.entries()) {
        if (place < early || place % step === 0) audits = new JudgeAudits(rows.toReversed());
        if (course === undefined) {
          rows.push({ owner, audit: forged });
          continue;
        }
        known = stream.trust ?? audits.for(owner).trust;
        const stopped = stopAuto(course, price, {
          trust: known ?? worthConstants.usualTrust,
          cost,
          waves,
          isNew: known === undefined,
        });
        rows.push({ owner, audit: auditOf(course.question, course.order, stopped) });
        if (at === undefined) continue;
        levels[level]!.right[at]! += stopped.right / orders;
        losses[level]! += (course.votes.right[stopped.ended! - 1]! - stopped.right) / (orders * questions.length);
        levels[level]!.spent[at]! += stopped.spent / orders;
      }
      if (price === medium) trusted += (known ?? worthConstants.usualTrust) / orders;
    }
  }
  return { levels, trusted, ownVote: Math.max(...losses) };
}

function auditOf(question: VoteQuestion, order: readonly number[], { ended = 0, isRead }: Stopped) {
  return auditSamples(samplesOf(question, order.slice(0, ended), (sample) => isRead?.[sample] === 1));
}

export interface StreamRow {
  readonly stream: string;
  /** s at the end, at medium effort. */
  readonly trusted: number;
  /** Behind a plain vote, the most at any budget; and points ahead of it at four and at eight samples' tokens. */
  readonly vote: WorstGap | undefined;
  readonly ahead: readonly (WorthInterval | undefined)[];
  /** Behind the plain votes of the samples that it drew itself, the most at any price, as a share. */
  readonly ownVote: number | undefined;
  /** Right answers of the plain vote at those budgets and of all samples. */
  readonly votes: readonly (number | undefined)[];
}

const shown = [4, 8];

/** `trust`: s of the last row, which learns nothing. */
export function streamRows(replay: JudgeReplay, trust: number, earlier: readonly VoteQuestion[]): StreamRow[] {
  const { questions: all, most, cost, orders, seed } = replay;
  const waves = shippedWaves(usualOf(all));
  const budgets = budgetsTo(most);
  const randomOf = (at: number) => new Random('orders', seed, at);
  const voteOf = () => allArms(most, { trust: undefined, cost }, usualOf(all)).slice(0, 1);
  const rowOf = (
    stream: string,
    trusted: number,
    questions: readonly VoteQuestion[],
    found: readonly Replayed[],
    ownVote?: number,
  ) => {
    const curves = curvesOf(tokensOf(questions), most, found, budgets, new Random('resamples', seed));
    const ahead = shown.map((budget) => aheadAt(curves, 'auto', 'vote', budget));
    const votes = [...shown, most].map((each) => curves.right[0]![budgets.indexOf(each)]);
    return { stream, trusted, vote: worstGap(curves, 'auto', ['vote']), ahead, ownVote, votes };
  };
  const learnt = streamsOf(replay, earlier).map((stream) => {
    const { levels, trusted, ownVote } = replayStream(stream, replay);
    const votes = replayArms(stream.questions, voteOf(), orders, randomOf);
    const auto = { arm: autoArm('auto', { trust, cost }), levels };
    return rowOf(stream.name, trusted, stream.questions, [...votes, auto], ownVote);
  });
  const sorted = replayArms(all, [...voteOf(), autoArm('auto', { trust, cost, waves })], 1, randomOf, byLength);
  return [...learnt, rowOf('short samples first', trust, all, sorted)];
}

function byLength({ tokens }: VoteQuestion): number[] {
  return [...tokens.keys()].sort((a, b) => tokens[a]! - tokens[b]!);
}

export function streamLines(rows: readonly StreamRow[]): string[] {
  return [
    `${'stream'.padEnd(34)}s at the end  most behind a vote (at)     ahead at ${shown.join(', ')}                           of its own samples  a vote at ${shown.join(', ')}, all`,
    ...rows.map(({ stream, trusted, vote, ahead, ownVote, votes }) => {
      const behind = vote ? `${points(vote)}, ${vote.samples}` : '–';
      return `${stream.padEnd(34)}${trusted.toFixed(2).padEnd(14)}${behind.padEnd(28)}${ahead.map((each) => (each ? points(each) : '–').padEnd(20)).join('')}${percent(ownVote).padEnd(20)}${votes.map(percent).join(', ')}`;
    }),
  ];
}

function percent(share: number | undefined): string {
  return share === undefined ? '–' : (100 * share).toFixed(1);
}
