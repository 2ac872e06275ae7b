// The gain of drafts as tables: tokens per call of the target, acceptance by place, speed-up over the same block without drafts; and the gain of any chain
// or tree of drafts under greedy decoding, from ranks and the costs of decodes by rows. Pure.

import { type LabTable, tableOf } from '../experiment/table.ts';
import type { DraftLine, RankedAnswer } from './draft-rounds.ts';

/** Milliseconds of one decode by its rows, the tokens of one sequence. */
export interface DecodeCosts {
  readonly kind: 'cost';
  readonly threads: number;
  readonly rows: readonly number[];
  readonly target: readonly number[];
  readonly draft: readonly number[];
}

export function draftTable(lines: readonly DraftLine[]): LabTable[] {
  const cells = [...new Set(lines.map(cellOf))];
  return cells.map((cell) => {
    const own = lines.filter((line) => cellOf(line) === cell);
    const names = [...new Set(own.map(({ drafts }) => drafts))];
    const rows = names.map((name) => {
      return { name, lines: own.filter(({ drafts }) => drafts === name), plain: plainOf(own) };
    });
    return tableOf(columns, rows, cell);
  });
}

interface TableRow {
  readonly name: string;
  readonly lines: readonly DraftLine[];
  readonly plain: ReadonlyMap<number, DraftLine>;
}

const columns = [
  { heading: 'drafts', left: true, of: ({ name }: TableRow) => name },
  { heading: 'blocks', of: ({ lines }: TableRow) => lines.length },
  { heading: 'tokens', of: ({ lines }: TableRow) => sum(lines, ({ tokens }) => tokens) },
  { heading: 'tokens a call and sequence', of: ({ lines }: TableRow) => tokensACall(lines).toFixed(2) },
  { heading: 'accepted by place, %', left: true, of: ({ lines }: TableRow) => acceptance(lines) },
  { heading: 'ms a token', of: ({ lines }: TableRow) => (sum(lines, ms) / sum(lines, drawn)).toFixed(1) },
  { heading: 'times as fast', left: true, of: ({ lines, plain }: TableRow) => gains(lines, plain, ms) },
  {
    heading: 'by processor time',
    left: true,
    of: ({ lines, plain }: TableRow) => gains(lines, plain, ({ processorMs }) => processorMs),
  },
  { heading: 'same answers', left: true, of: ({ lines, plain }: TableRow) => sameAnswers(lines, plain) },
] as const;

function cellOf({ temperature, sequences }: DraftLine): string {
  return `temperature ${temperature}, ${sequences} ${sequences === 1 ? 'sequence' : 'sequences'}`;
}

function plainOf(lines: readonly DraftLine[]): ReadonlyMap<number, DraftLine> {
  return new Map(lines.filter(({ drafts }) => drafts === 'none').map((line) => [line.block, line]));
}

function ms(line: DraftLine): number {
  return line.ms;
}

function drawn({ tokens }: DraftLine): number {
  return tokens;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Of one sequence: a call gives one token of the target's own beside those that it accepted. The first token of an answer takes no call, since the prompt was read. */
function tokensACall(lines: readonly DraftLine[]): number {
  const later = sum(lines, ({ tokens, sequences }) => tokens - sequences);
  const accepted = sum(lines, ({ acceptedAt }) => sum(acceptedAt, Number));
  return later / (later - accepted);
}

function acceptance(lines: readonly DraftLine[]): string {
  const places = Math.max(0, ...lines.map(({ judgedAt }) => judgedAt.length));
  return Array.from({ length: places }, (_, at) => {
    const judged = sum(lines, ({ judgedAt }) => judgedAt[at] ?? 0);
    return ((100 * sum(lines, ({ acceptedAt }) => acceptedAt[at] ?? 0)) / judged).toFixed(0);
  }).join(' ');
}

/** Time a token of the plain engine over that of this one, in each block: geometric mean, least and most. */
function gains(
  lines: readonly DraftLine[],
  plain: ReadonlyMap<number, DraftLine>,
  cost: (line: DraftLine) => number,
): string {
  const ratios = lines.flatMap((line) => {
    const base = plain.get(line.block);
    return base === undefined || base === line ? [] : [(cost(base) * line.tokens) / (base.tokens * cost(line))];
  });
  if (ratios.length === 0) return '';
  const typical = Math.exp(sum(ratios, Math.log) / ratios.length);
  return `${typical.toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
}

/** Greedy answers that are the plain engine's to the last token, and where the others part from them. */
function sameAnswers(lines: readonly DraftLine[], plain: ReadonlyMap<number, DraftLine>): string {
  const pairs = lines.flatMap((line) => {
    const base = plain.get(line.block);
    if (line.temperature > 0 || base === undefined || base === line) return [];
    return line.written.map((own, at) => firstDifference(own, base.written[at] ?? []));
  });
  if (pairs.length === 0) return '';
  const parted = pairs.filter((at) => at !== undefined);
  const where = parted.length === 0 ? '' : `, others part at ${parted.sort((a, b) => a - b).join(', ')}`;
  return `${pairs.length - parted.length} of ${pairs.length}${where}`;
}

function firstDifference(one: readonly number[], other: readonly number[]): number | undefined {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at;
  return undefined;
}

/** Candidates at each depth of a draft, below each one of the depth before: [1, 1] is a chain of two. */
export interface DraftShape {
  readonly widths: readonly number[];
  /** A chain ends before a token that the draft model finds less likely than this. */
  readonly least?: number;
}

const chains = [1, 2, 3, 4, 6, 8].map((length): DraftShape => ({ widths: chain(length) }));
const carefulChains = [0.5, 0.7, 0.9].map((least): DraftShape => ({ widths: chain(8), least }));
const trees = [[2], [2, 1], [2, 2], [2, 1, 1], [3, 1, 1], [2, 1, 1, 1]].map((widths): DraftShape => ({ widths }));

function chain(length: number): readonly number[] {
  return Array.from({ length }, () => 1);
}

/** The gain of drafts of every shape on greedy answers, each alone: an upper bound, since a tree costs only its rows. */
export function shapeTable(answers: readonly RankedAnswer[], cost: DecodeCosts): LabTable {
  const plainMs = costOf(cost, cost.target, 1);
  const rows = [...chains, ...carefulChains, ...trees].map((shape) => {
    const { rounds, tokens, verified, ms } = replay(answers, shape, cost);
    return { shape, tokens: tokens / rounds, verified: verified / rounds, gain: (plainMs * tokens) / ms };
  });
  type ShapeRow = (typeof rows)[number];
  const shown = [
    { heading: 'candidates by depth', left: true, of: ({ shape }: ShapeRow) => wordsOf(shape) },
    { heading: 'rows verified', of: ({ verified }: ShapeRow) => verified.toFixed(1) },
    { heading: 'tokens a round', of: ({ tokens }: ShapeRow) => tokens.toFixed(2) },
    { heading: 'times as fast', of: ({ gain }: ShapeRow) => gain.toFixed(2) },
  ] as const;
  return tableOf(shown, rows, 'one greedy sequence, by ranks and by the cost of decodes');
}

function wordsOf({ widths, least }: DraftShape): string {
  return least === undefined ? widths.join(', ') : `up to ${widths.length}, each at least ${least} likely`;
}

/** Runs rounds over each answer: a round accepts tokens while the answer's next one is among the candidates, and adds one. */
export function replay(answers: readonly RankedAnswer[], shape: DraftShape, cost: DecodeCosts) {
  const total = { rounds: 0, tokens: 0, verified: 0, ms: 0 };
  for (const answer of answers) {
    for (let from = 0; from < answer.ranks.length; ) {
      const { offered, drafting } = draftAt(answer, from, shape);
      const left = answer.ranks.length - from;
      const gained = Math.min(acceptedAt(answer, from, shape.widths.slice(0, offered)) + 1, left);
      const verified = 1 + sum(levelsOf(shape.widths.slice(0, offered)), Number);
      total.rounds += 1;
      total.tokens += gained;
      total.verified += verified;
      total.ms += costOf(cost, cost.target, verified) + sum(drafting, (rows) => costOf(cost, cost.draft, rows));
      from += gained;
    }
  }
  return total;
}

/** How deep the draft goes, and the rows of the draft model's decodes. What it would say behind a wrong token is not known: it counts as drafted to the end. */
function draftAt({ ranks, sure }: RankedAnswer, from: number, { widths, least = 0 }: DraftShape) {
  const known = ranks.slice(from, from + widths.length);
  const wrong = known.findIndex((rank) => rank > 0);
  const unsure = sure.slice(from, from + widths.length).findIndex((probability) => probability < least);
  const ends = unsure >= 0 && (wrong < 0 || unsure <= wrong);
  const offered = ends ? unsure : widths.length;
  const decodes = Math.min(widths.length, offered + 1);
  return { offered, drafting: [1, ...levelsOf(widths)].slice(0, decodes) };
}

function acceptedAt({ ranks }: RankedAnswer, from: number, widths: readonly number[]): number {
  const missed = widths.findIndex((width, at) => (ranks[from + at] ?? Number.POSITIVE_INFINITY) >= width);
  return missed < 0 ? widths.length : missed;
}

/** Nodes at each depth. */
function levelsOf(widths: readonly number[]): number[] {
  return widths.map((_, depth) => widths.slice(0, depth + 1).reduce((nodes, width) => nodes * width, 1));
}

/** Between two measured numbers of rows, on the line between them. */
function costOf({ rows }: DecodeCosts, times: readonly number[], wanted: number): number {
  const above = rows.findIndex((each) => each >= wanted);
  if (above < 0) return (times.at(-1)! * wanted) / rows.at(-1)!;
  if (above === 0 || rows[above] === wanted) return times[above]!;
  const [low, high] = [rows[above - 1]!, rows[above]!];
  return times[above - 1]! + ((wanted - low) / (high - low)) * (times[above]! - times[above - 1]!);
}
