// Whose requests go first where they wait for the engine (P1 §5.3.1). Admission keeps searches whole; what the engine has no
// room for waits in its queue, and there a search stands by one number, its urgency, which a decision gives it and which may
// change while it runs. Pure: how much work is left is estimated by whoever makes the snapshot.

export const orders = ['fcfs', 'longest-prefix', 'gang', 'sjf'] as const;
/**
 * `fcfs`: requests as they come. `longest-prefix`: those that find most of their path computed. `gang`: those of the search whose
 * turn it was first. `sjf`: those of the search that has least left to do, with ageing.
 */
export type Order = (typeof orders)[number];

/** Orders under which a search has an urgency; the others are the engine's, request by request. */
export type SearchOrder = Extract<Order, 'gang' | 'sjf'>;

export function isBySearch(order: Order): order is SearchOrder {
  return order === 'gang' || order === 'sjf';
}

/** What a search stands by. */
export interface QueueStanding {
  /** Its turn, in seconds since the process began. */
  readonly place: number;
  readonly ageSeconds: number;
  readonly priority: number;
  /** Tokens that it is expected to generate yet; missing where nobody asks. */
  readonly workLeft?: number;
  /** Nobody waits for it. */
  readonly idle?: boolean;
}

/** Behind everyone. */
export const lastUrgency = -(2 ** 19);
/** Hundredths of a doubling: whole numbers, as servers take them, tell one per cent of work apart. */
const perDoubling = 100;
/** A change of a tenth: less is not worth telling the engine. */
export const tellingUrgency = perDoubling * Math.log2(1.1);

/** Higher goes first. */
export function urgencyOf(order: SearchOrder, standing: QueueStanding, ageingSeconds: number): number {
  if (standing.idle === true) return lastUrgency;
  if (order === 'gang') return -standing.place;
  const { workLeft = 1, ageSeconds, priority } = standing;
  return (
    -perDoubling * Math.log2(Math.max(1, workLeft) * shrinking((ageSeconds / ageingSeconds + priority) / patience))
  );
}

/**
 * Times of `ageingSeconds` after which half of the work is forgiven. Shorter, and under overload old long searches go before
 * new short ones, which then miss their deadlines: with 1 the median wait was 2.5 times as long (docs/decisions/0108-request-order-deadlines-and-fairness.md).
 */
const patience = 10;

/**
 * Nobody starves: a search that has waited counts for half of its work, later for a third, and so on, so that each goes before
 * any newcomer in the end. A unit of priority is worth `ageingSeconds`, as in a turn.
 */
function shrinking(ages: number): number {
  return ages >= 0 ? 1 / (1 + ages) : 1 - ages;
}

/** Under `longest-prefix`: priorities first, then the path that the engine has computed. */
export function prefixPriority(priority: number, pathTokens: number): number {
  return priority * longestPath + Math.min(pathTokens, longestPath - 1);
}

const longestPath = 4096;
