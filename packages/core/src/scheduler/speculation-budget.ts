// Says which searches may grow ahead of their program, and how much (P3 §4.3). In all: as many strands as make the work of all go faster, by the
// measured times of engine and verifier and by how often guesses were right. Between searches: by P3's Eq. 1 and 2. Numbers
// in, numbers out; that no primary strand is taken is the decision's affair (two-phase-scheduling.ts).

import { evenly } from '../base/arithmetic.ts';
import { lastWorthwhile, type Servers, steadily, stretchOf } from '../cost/closed-loop.ts';

export interface Guessing {
  /** Chance that the first, the second, … guess that a search has open comes to be asked for, as observed; it never rises. */
  readonly chances: readonly number[];
  readonly squeezed: boolean;
  readonly ridgeSequences?: number | undefined;
}

export interface SearchGuesses {
  /** C_q: speculative strands that it could use, those it has included. */
  readonly capacity: number;
  readonly open: number;
  /** Children that were guessed so far, those taken back included, and those of them that its program came to ask for. */
  readonly made: number;
  readonly right: number;
  /** S_KV: tokens of its tree, which guesses find in the cache. */
  readonly kvTokens: number;
}

/** Children of the prior: the P_q of a new search is the chance of all, as if seen in so many, until its own guesses say more. */
const priorChildren = 16;
/** S_w: what an 8B model's weights weigh in tokens of cache; 0.5B weighs 80,000 and 70B 430,000. A search has a few per cent. */
const weightTokens = 120_000;
/** τ of Eq. 2, for scores in units of strands. The paper gives no value; at 1, a strand more to be had is worth e times as much. */
const sharpness = 1;

/** Eq. 1, divided by S_w: C_q · P_q · (S_w + S_KV). */
export function scoreAhead({ capacity, made, right, kvTokens }: SearchGuesses, chance: number): number {
  const hitRate = (right + priorChildren * chance) / (made + priorChildren);
  return capacity * hitRate * (1 + kvTokens / weightTokens);
}

/**
 * Eq. 2: what each of the searches gets of `total` strands. The paper rounds down and leaves the rest; here the rest goes out one
 * by one, the highest score first. A search keeps what it has open while the total allows it: a guess that is cancelled for
 * another one is paid for twice.
 */
export function sharesAhead(searches: readonly SearchGuesses[], chance: number, total: number): number[] {
  const scores = searches.map((each) => scoreAhead(each, chance));
  const top = Math.max(...scores);
  const weights = scores.map((score, at) => (searches[at]!.capacity === 0 ? 0 : Math.exp(sharpness * (score - top))));
  const whole = weights.reduce((sum, each) => sum + each, 0);
  const order = searches.map((_, at) => at).sort((a, b) => scores[b]! - scores[a]! || a - b);
  const shares = searches.map(({ capacity }, at) =>
    whole === 0 ? 0 : Math.min(capacity, Math.floor((total * weights[at]!) / whole)),
  );
  const open = searches.map((each) => Math.min(each.open, each.capacity));
  const none = searches.map(() => 0);
  const capacities = searches.map(({ capacity }) => capacity);
  const kept = filled(open, none, order, total);
  return filled(capacities, filled(shares, kept, order, total), order, total);
}

/** Raises `from` towards `to`, one by one in the given order, while the sum stays within `total`. */
function filled(to: readonly number[], from: readonly number[], order: readonly number[], total: number): number[] {
  const left = total - from.reduce((sum, each) => sum + each, 0);
  const rooms = order.map((at) => Math.max(0, to[at]! - from[at]!));
  const extra = evenly(rooms, Math.max(0, left));
  const widths = [...from];
  order.forEach((at, rank) => {
    widths[at]! += extra[rank]!;
  });
  return widths;
}

/** The strands that speculation may take, and their cost for all searches. */
export interface AheadPlace {
  readonly primary: number;
  readonly idle: number;
  readonly searches: number;
  readonly open: number;
  readonly servers: Servers | undefined;
  /** Used before anything was measured; that of a GPU by default. */
  readonly ridgeSequences?: number | undefined;
}

/** A guess must be worth so many times what it costs before it is begun; one that has begun goes on while it is worth it at all. */
const margin = 1.5;
/** Before anything was measured: sequences of a strand. */
const usualSiblings = 4;
/** Ridge of an H200: from so many sequences on, arithmetic (0.68 of 989 TFLOP/s) takes longer than reading weights (0.72 of 4.8 TB/s). */
const gpuRidgeSequences = (0.68 * 989) / (0.72 * 4.8);

/** k_total: speculative strands that are worth it in all. What is open is kept within the margin, so that nothing flickers. */
export function totalAhead(place: AheadPlace, chances: readonly number[]): number {
  const { primary, idle, open } = place;
  if (idle <= 0 || primary === 0 || place.searches === 0) return 0;
  // P3's own k_total, where nothing was measured: the ridge of a roofline.
  const atRidge = Math.floor((place.ridgeSequences ?? gpuRidgeSequences) / usualSiblings);
  if (place.servers === undefined) return Math.min(idle, Math.max(0, atRidge - primary));
  const servers = steadily(place.servers);
  const begun = Math.min(idle, worthwhileAhead(place, servers, chances, margin));
  const kept = Math.min(idle, worthwhileAhead(place, servers, chances, 1));
  return Math.max(begun, Math.min(kept, open));
}

/**
 * With p primary strands and s speculative ones, right with a chance of h each, as much work is done in a round as p + Σh strands
 * need, and a round takes R(p + s). The last strand is worth it where it adds a larger share to the work than to the round. Chances fall
 * with each strand, and a round stretches ever faster.
 */
function worthwhileAhead(
  { primary, searches, idle }: AheadPlace,
  servers: Servers,
  chances: readonly number[],
  factor: number,
): number {
  const chanceAt = (rank: number) => chances[Math.min(rank, chances.length) - 1] ?? 0;
  return lastWorthwhile(0, idle, (ahead) => {
    const rank = Math.ceil(ahead / searches);
    let work = primary;
    for (let each = 1; each < rank; each += 1) work += searches * chanceAt(each);
    work += (ahead - searches * (rank - 1)) * chanceAt(rank);
    const strands = primary + ahead;
    return chanceAt(rank) / work >= (factor * stretchOf(servers, strands)) / strands;
  });
}
