// Rules that stop a vote, replayed over recorded samples in random orders. Ties are not drawn: a tie counts as the share of right answers in it.
// The judge reads a sample when it has ended. A sample that is open when the search stops counts with the tokens that it had by then.

import type { Random } from '@coppice/core/base';
import { leadNeeded } from '@coppice/papers/rules';
import type { Sample } from './rivals.ts';
import { expectedNeed, type VoteStanding, worthOf } from './worth-line.ts';

/** How a vote stands: how far the leader is ahead, and the share of right answers among those that lead. */
interface VoteLead {
  readonly ahead: number;
  readonly right: number;
}

/** What can be known when one more sample has ended. */
export interface Look {
  readonly ended: number;
  /** Tokens, of open samples too. */
  readonly generated: number;
  /** Tokens of the samples that have ended. */
  readonly read: number;
  readonly scores: VoteLead;
  readonly votes: VoteLead;
  /** Best sample by score. */
  readonly best: VoteLead;
}

/** Samples begin in their order, so many open at a time, each writing one token at a time; a look at every end. */
export function looksOf(samples: readonly Sample[], open: number): Look[] {
  const waiting = [...samples];
  const flights: { sample: Sample; began: number; ends: number }[] = [];
  const ended: Sample[] = [];
  const looks: Look[] = [];
  let [now, read] = [0, 0];
  for (;;) {
    while (flights.length < open && waiting.length > 0) {
      const sample = waiting.shift()!;
      flights.push({ sample, began: now, ends: now + sample.tokens });
    }
    const next = flights.reduce((first, each) => (each.ends < first.ends ? each : first), flights[0]!);
    if (next === undefined) return looks;
    flights.splice(flights.indexOf(next), 1);
    now = next.ends;
    ended.push(next.sample);
    read += next.sample.tokens;
    const generated = flights.reduce((sum, { began }) => sum + now - began, read);
    looks.push({ ended: ended.length, generated, read, ...talliesOf(ended) });
  }
}

function talliesOf(samples: readonly Sample[]): Pick<Look, 'scores' | 'votes' | 'best'> {
  const groups = new Map<string, { score: number; votes: number; right: boolean }>();
  for (const { group, score, right } of samples) {
    if (group === undefined) continue;
    const found = groups.get(group) ?? { score: 0, votes: 0, right };
    found.score += score;
    found.votes += 1;
    groups.set(group, found);
  }
  const all = [...groups.values()];
  return {
    scores: tallyOf(all.map(({ score, right }) => ({ weight: score, right }))),
    votes: tallyOf(all.map(({ votes, right }) => ({ weight: votes, right }))),
    best: tallyOf(samples.map(({ score, right }) => ({ weight: score, right }))),
  };
}

/** Sums of the same scores in another order may differ by this much. */
const rounding = 1e-9;

function tallyOf(all: readonly { readonly weight: number; readonly right: boolean }[]): VoteLead {
  let [first, second, tied, right] = [0, 0, 0, 0];
  for (const each of all) {
    if (tied === 0 || each.weight > first + rounding) {
      [first, second, tied, right] = [each.weight, first, 1, Number(each.right)];
    } else if (each.weight >= first - rounding) {
      second = first;
      tied += 1;
      right += Number(each.right);
    } else second = Math.max(second, each.weight);
  }
  return { ahead: first - second, right: tied === 0 ? 0 : right / tied };
}

/** One way to stop, at one of its levels: a number of samples, a risk or a price. */
export interface Arm {
  readonly name: string;
  /** The rule that this one is with other samples open or in waves. */
  readonly variantOf?: string;
  readonly judged: boolean;
  readonly chooses: 'scores' | 'votes' | 'best';
  readonly open: number;
  /** From the hastiest on: none stops sooner than the one before it. */
  readonly levels: readonly number[];
  readonly goesOn: (standing: VoteStanding, level: number) => boolean;
  /** Samples of the first wave, and how many of those that are expected to be needed follow at a time; the rule looks after each wave. */
  readonly waves?: { readonly first: number; readonly part: number };
}

export interface Stopped {
  readonly right: number;
  readonly spent: number;
  readonly waves: number;
}

/** `from`: samples after which the rule looks first; without waves each sample is one. */
export function stop(
  looks: readonly Look[],
  arm: Arm,
  level: number,
  judgeCost: number,
  from = arm.waves?.first ?? 1,
): Stopped {
  const { chooses, judged, goesOn } = arm;
  const most = looks.length;
  let ended = Math.min(from, most);
  for (let waves = arm.waves === undefined ? ended : 1; ; waves += 1) {
    const look = looks[ended - 1]!;
    const spent = look.generated + (judged ? judgeCost * look.read : 0);
    const { right, ahead } = look[chooses];
    const standing = { ended, ahead, judged, spent };
    if (ended === most || !goesOn(standing, level)) return { right, spent, waves };
    ended += arm.waves === undefined ? 1 : Math.ceil(arm.waves.part * (expectedNeed(standing, level, most) - ended));
  }
}

/** Every level of one arm, question by question: means over the orders. */
export interface Replayed {
  readonly arm: Arm;
  readonly levels: readonly {
    readonly right: Float64Array;
    readonly spent: Float64Array;
    /** Number of waves of every search. */
    readonly waves: Uint8Array;
  }[];
}

/** All arms see a question's samples in the same orders, made by `randomOf(question)`. */
export function replayArms(
  questions: readonly (readonly Sample[])[],
  arms: readonly Arm[],
  judgeCost: number,
  orders: number,
  randomOf: (question: number) => Random,
): Replayed[] {
  const found = arms.map((arm) => {
    const levels = arm.levels.map(() => ({
      right: new Float64Array(questions.length),
      spent: new Float64Array(questions.length),
      waves: new Uint8Array(questions.length * orders),
    }));
    return { arm, levels };
  });
  const opens = [...new Set(arms.map(({ open }) => open))];
  for (const [question, samples] of questions.entries()) {
    const random = randomOf(question);
    for (let order = 0; order < orders; order += 1) {
      const mixed = shuffled(samples, random);
      const looks = new Map(opens.map((open) => [open, looksOf(mixed, open)]));
      for (const { arm, levels } of found) {
        let from: number | undefined;
        for (const [at, { right, spent, waves }] of levels.entries()) {
          const stopped = stop(looks.get(arm.open)!, arm, arm.levels[at]!, judgeCost, from);
          if (arm.waves === undefined) from = stopped.waves;
          right[question]! += stopped.right / orders;
          spent[question]! += stopped.spent / orders;
          waves[question * orders + order] = stopped.waves;
        }
      }
    }
  }
  return found;
}

export function shuffled<Each>(all: readonly Each[], random: Random): Each[] {
  const mixed = [...all];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = random.integer(at + 1);
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}

const risks = Array.from({ length: 24 }, (_, at) => 0.95 * 0.8 ** at);
const prices = Array.from({ length: 36 }, (_, at) => 0.005 * 0.77 ** at);

/** What is compared, each with at most `most` samples: uniform numbers of samples, `certain: lead`, and the line with a judge and without one. */
export function allArms(most: number): Arm[] {
  const counts = Array.from({ length: most }, (_, at) => at + 1);
  const uniform = { open: 1, levels: counts, goesOn: ({ ended }: VoteStanding, count: number) => ended < count };
  const goesOn = (standing: VoteStanding, price: number) => worthOf(standing) >= price;
  const worth: Arm = { name: 'worth', judged: true, chooses: 'scores', open: 1, levels: prices, goesOn };
  const blind: Arm = { ...worth, name: 'blind', judged: false, chooses: 'votes' };
  const far = ({ ahead }: VoteStanding, risk: number) => ahead < leadNeeded(risk);
  const lead: Arm = { ...worth, name: 'lead', levels: risks, goesOn: far };
  const variant = (arm: Arm, how: string, changed: Partial<Arm>): Arm => {
    return { ...arm, ...changed, name: `${arm.name}, ${how}`, variantOf: arm.name };
  };
  return [
    { ...uniform, name: 'vote', judged: false, chooses: 'votes' },
    { ...uniform, name: 'weighted vote', judged: true, chooses: 'scores' },
    { ...uniform, name: 'best of n', judged: true, chooses: 'best' },
    lead,
    worth,
    blind,
    ...[4, most].flatMap((open) => [lead, worth, blind].map((arm) => variant(arm, `${open} open`, { open }))),
    ...[worth, blind].map((arm) => variant(arm, '2 + half', { waves: { first: 2, part: 0.5 } })),
    ...[worth, blind].map((arm) => variant(arm, '4 + all', { waves: { first: 4, part: 1 } })),
  ];
}
