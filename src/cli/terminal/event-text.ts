// Every event of a search in one line of words, for `replay`.

import type { SearchEvent } from '../../log/events.ts';
import { plainLine } from './terminal.ts';

export function eventText(event: SearchEvent): string {
  switch (event.type) {
    case 'submitted':
    case 'resumed':
    case 'admitted':
      return event.type;
    case 'width':
      return `width ${event.primary} primary, ${event.speculative} speculative`;
    case 'planted':
      return `planted, scores by ${event.aggregation}`;
    case 'opened':
      return `strand ${event.strand} opens at node ${event.node}`;
    case 'asked':
      return `strand ${event.strand} asks for ${event.indices.length} steps below node ${event.node}`;
    case 'grown':
      return `node ${event.node} below ${event.parent}${rewardText(event.reward)}: ${plainLine(event.step.text) || '(end)'}`;
    case 'adopted':
      return `the step kept for child ${event.index} of node ${event.parent} becomes node ${event.node}`;
    case 'merged':
      return `the same step again below ${event.parent}: joins node ${event.into}`;
    case 'withered':
      return `child ${event.index} of node ${event.parent} failed (${event.code})`;
    case 'ghosted':
      return `a step that nobody has asked for is kept: ${plainLine(event.step.text)}`;
    case 'moved':
      return `strand ${event.strand} moves to node ${event.node}`;
    case 'closed':
      return `strand ${event.strand} ${event.closing}`;
    case 'preempted':
      return `strand ${event.strand} preempted`;
    case 'pruned':
      return `strand ${event.strand} pruned by ${event.rule}`;
    case 'exited':
      return `exit: ${event.exit.kind} (${event.exit.rule})${answerText(event.answer?.answer)}`;
  }
}

function rewardText(reward: number | undefined): string {
  return reward === undefined ? '' : `, reward ${reward.toFixed(2)}`;
}

function answerText(answer: string | undefined): string {
  return answer === undefined ? '' : `, answer ${plainLine(answer)}`;
}
