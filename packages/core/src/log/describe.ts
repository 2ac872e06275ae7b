// Describes one line of the log in words, without the texts of the search: for the reader who steps through it, on the page, in a
// terminal and with a screen reader. Pure.

import type { Learned } from '../tree/events.ts';
import type { Manner, Step } from '../tree/step.ts';
import type { Evidence, Exit, ExitKind } from './end.ts';
import type { SearchEvent } from './events.ts';

/** `numbers`: whether the scheduler's figures stand behind its reason. */
export function describeEvent(event: SearchEvent, numbers = true): string {
  switch (event.type) {
    case 'submitted':
      return 'the search was submitted';
    case 'resumed':
      return 'the search was taken up again from its log';
    case 'admitted':
      return 'the search was admitted';
    case 'width':
      return `width is now ${event.primary}${event.speculative === 0 ? '' : ` and ${event.speculative} speculative`}${because(event.why, numbers)}`;
    case 'planted':
      return `the tree was planted, score is the ${event.aggregation} of rewards${fullness(event.fullAt)}${taught(event.learned)}`;
    case 'priced':
      return `a token is worth ${event.price.toExponential(1)} of an answer now${event.judge === undefined ? '' : `, one that the judge reads costs ${event.judge.cost.toPrecision(2)}`}${event.late ? ', and time is short' : ''}`;
    case 'opened':
      return `strand ${event.strand} opened at node ${event.node}`;
    case 'asked':
      return `strand ${event.strand} asked ${asked(event.manner)}for ${plural(event.indices.length, 'step')} below node ${event.node}${event.manner?.byUser ? ', after a turn of the user' : ''}`;
    case 'grown':
      return `node ${event.node} grew below node ${event.parent}${writer(event.step)}${reward(event.reward)}${words(event.feedback)}${growthEnd(event)}${meaning(event)}`;
    case 'adopted':
      return `a speculative step below node ${event.parent} was asked for and became node ${event.node}`;
    case 'merged':
      return `a step below node ${event.parent} was the same as node ${event.into}`;
    case 'withered':
      return `a step ${by(event.model)}below node ${event.parent} failed: ${event.code}`;
    case 'ghosted':
      return `a speculative step was kept${reward(event.reward)}`;
    case 'probing':
      return event.manner.read
        ? `strand ${event.strand} has the judge read the path to node ${event.node}`
        : `strand ${event.strand} asks ${event.manner.model ?? 'the model'} something at node ${event.node}`;
    case 'probed':
      return `a probe ${by(event.model)}at node ${event.node} ${event.reply === undefined ? `failed${event.code === undefined ? '' : `: ${event.code}`}` : `was answered in ${plural(event.reply.tokens, 'token')}${reward(event.reply.reward)}`}`;
    case 'moved':
      return `strand ${event.strand} moved to node ${event.node}`;
    case 'preempted':
      return `strand ${event.strand} was taken away for another search${because(event.why, numbers)}`;
    case 'pruned':
      return `strand ${event.strand} was pruned by ${event.rule}`;
    case 'closed':
      return `strand ${event.strand} closed: ${event.closing}`;
    case 'exited':
      return `the search ended: ${event.exit.kind}, by ${event.exit.rule}`;
    case 'cost':
      return 'engine and verifier have answered for everything: the cost is final';
    default:
      return (event satisfies never as { type: string }).type;
  }
}

export const endings: Readonly<Record<ExitKind, string>> = {
  accepted: 'a finished path reached the threshold',
  futile: 'no continuation is likely to reach the threshold',
  certain: 'the answers agree',
  settled: 'another sample was not worth its price',
  exhausted: 'the budget is spent, or nothing is left to grow',
  deadline: 'out of time',
  cancelled: 'cancelled by the one who asked',
  failed: 'engine or verifier could not go on',
};

/** Rules whose exit means something else than most exits of its kind. */
const endingsByRule: Readonly<Record<string, string>> = {
  rollouts: 'all rollouts are used',
  tokens: 'the token budget is spent',
  money: 'the money is spent',
  nodes: 'the tree has reached its largest size',
  'nothing-left': 'nothing is left to grow: every path is finished or cut',
  alike: 'its rollouts all have the same score: they teach nothing',
  absent: 'no model that it asks answers any more',
  wait: 'the deadline could not be kept, so it was given up in the queue',
};

export function describeExit({ kind, rule }: Exit): string {
  return endingsByRule[rule] ?? endings[kind];
}

function because(why: Evidence | undefined, numbers: boolean): string {
  if (why === undefined) return '';
  return `: ${reasonSentence(why)}${numbers ? ` (${reasonFigures(why).join(', ')})` : ''}`;
}

export function reasonFigures(why: Evidence): string[] {
  return Object.entries(why).map(([name, value]) => `${name} ${value}`);
}

/** Without its numbers: what the scheduler did for this search, and for what. */
export function reasonSentence({ rule, base, target, othersLack, idle }: Evidence): string {
  if (rule === 'idle')
    return `no client waits for it, so it has what is idle: ${idle} of the ${strands(base)} it can use`;
  if (othersLack !== undefined)
    return `other searches lacked ${strands(othersLack)} of their own, so it gave back what it had borrowed; it keeps ${target}`;
  if (Number(target) > Number(base)) {
    const gain = rule === 'worth' ? ', since they gain more than they slow the others down' : '';
    return `the scheduler lends it idle strands, ${target} instead of its own ${base}${gain}`;
  }
  return `it has its own ${strands(base)}, and borrows none`;
}

function strands(count: number | string | undefined): string {
  return plural(Number(count), 'strand');
}

function asked(manner: Manner | undefined): string {
  return manner?.model === undefined ? '' : `${manner.model} `;
}

function by(model: string | undefined): string {
  return model === undefined ? '' : `of ${model} `;
}

function writer({ model }: Step): string {
  return model === undefined ? '' : `, written by ${model}`;
}

function reward(value: number | undefined): string {
  return value === undefined ? '' : `, reward ${value.toFixed(2)}`;
}

/** Says that the verifier gave a reason: its words are texts of the search, and are not repeated here. */
function words(feedback: string | undefined): string {
  return feedback === undefined ? '' : ' with feedback';
}

function meaning({ key, group }: { readonly key: number; readonly group?: number | undefined }): string {
  if (group === undefined) return '';
  return group === key ? ', with an answer unlike those before' : ', with an answer that means the same as one before';
}

function growthEnd({ terminal, step }: { readonly terminal: boolean; readonly step: Step }): string {
  if (!terminal) return step.unshaped === undefined ? '' : ', and ended its answer, which is to be put into a shape';
  return step.end === 'eos' && step.unshaped === undefined ? ', and finished its path' : ', where its path is cut';
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function taught(learned: Learned | undefined): string {
  const sums = Object.entries(learned ?? {}).filter(([, { count }]) => count > 0);
  const said = sums.map(([name, { count, sum }]) => `${name} ${(sum / count).toFixed(2)} of ${Math.round(count)}`);
  return said.length === 0 ? '' : `; earlier searches taught it: ${said.join(', ')}`;
}

function fullness(fullAt: number | undefined): string {
  return fullAt === undefined ? '' : `, steps are drawn one by one and a node is full at ${fullAt}`;
}
