// Orders of requests that wait for the engine (P1 §5.3.1). Admission keeps searches whole; what the engine has no
// room for waits in its queue, and there a search stands by one number, its urgency, which a decision gives it and which may
// change while it runs. Pure: how much work is left is estimated where the snapshot is made.

import { definerOf, type PlugIn } from '../../base/part.ts';
import { ageingSeconds } from './weighted-fair-queueing.ts';

/** A rule without urgency and priority leaves requests as they come. */
export interface OrderRule {
  readonly name: string;
  /** It goes by expected work: standings have `workLeft`, and the turns of searches include what they are expected to take. */
  readonly readsWork?: boolean;
  /** Rank of all requests of a search, higher first. Idle searches are not asked: they stand behind all others. */
  urgency?(standing: QueueStanding): number;
  /** Rank of one request, higher first: by the priority of its search and the tokens of its path. */
  priority?(priority: number, pathTokens: number): number;
}

export type OrderPart = PlugIn<OrderRule>;

export const defineOrder = definerOf<OrderRule>();

export interface QueueStanding {
  /** Its turn, in seconds since the process began. */
  readonly place: number;
  readonly ageSeconds: number;
  readonly priority: number;
  /** Tokens that it is expected to generate yet; missing where the order does not go by it. */
  readonly workLeft?: number | undefined;
  readonly idle?: boolean;
}

/** Idle searches stand behind all others. */
export const lastUrgency = -(2 ** 19);
/** Hundredths of a doubling: whole numbers, as servers take them, tell one per cent of work apart. */
const perDoubling = 100;
/** A change of a tenth: less is not worth telling the engine. */
export const tellingUrgency = perDoubling * Math.log2(1.1);

export function urgencyOf(order: OrderRule, standing: QueueStanding): number {
  return standing.idle === true ? lastUrgency : (order.urgency?.(standing) ?? lastUrgency);
}

/** Ranks by the work that is left, on a logarithmic scale, with ageing. */
function shortestFirst({ workLeft = 1, ageSeconds, priority }: QueueStanding): number {
  const age = shrinking((ageSeconds / ageingSeconds + priority) / patience);
  return -perDoubling * Math.log2(Math.max(1, workLeft) * age);
}

/**
 * Times of `ageingSeconds` after which half of the work is forgiven. Shorter, and under overload old long searches go before
 * new short ones, which then miss their deadlines: with 1 the median wait was 2.5 times as long (docs/decisions/0108-request-order-deadlines-and-fairness.md).
 */
const patience = 10;

/** No search starves: waiting halves the work it counts for, then thirds it, and so on. A unit of priority is `ageingSeconds`. */
function shrinking(ages: number): number {
  return ages >= 0 ? 1 / (1 + ages) : 1 - ages;
}

/** Under `longest-prefix`: priorities first, then the path that the engine has computed. */
export function prefixPriority(priority: number, pathTokens: number): number {
  return priority * longestPath + Math.min(pathTokens, longestPath - 1);
}

const longestPath = 4096;

export const orderParts = [
  defineOrder({ name: 'fcfs', summary: 'requests as they come', make: () => ({ name: 'fcfs' }) }),
  defineOrder({
    name: 'longest-prefix',
    summary: 'requests that find most of their path computed',
    make: () => ({ name: 'longest-prefix', priority: prefixPriority }),
  }),
  defineOrder({
    name: 'gang',
    summary: 'requests of the search whose turn it was first',
    make: () => ({ name: 'gang', urgency: ({ place }) => -place }),
  }),
  defineOrder({
    name: 'sjf',
    summary: 'requests of the search that has least left to do, with ageing',
    make: () => ({ name: 'sjf', readsWork: true, urgency: shortestFirst }),
  }),
] as const;

export type OrderName = (typeof orderParts)[number]['name'];
export const orderNames: readonly OrderName[] = orderParts.map(({ name }) => name);
