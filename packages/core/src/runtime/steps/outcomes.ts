// The outcome of a flight, as its program is told: a step, the reply to a probe, or a fault.

import type { Fault } from '../../base/fault.ts';
import type { ChildOutcome, Outcome } from '../../program/program.ts';
import type { ProbeReply } from '../../tree/events.ts';
import type { Step } from '../../tree/step.ts';
import type { Flight } from '../search/search.ts';
import { answerOf, replyTo } from './replies.ts';

export function stepOutcome(flight: Flight, step: Step, { reward, feedback }: StepScore = {}): Outcome {
  const { search, node, index, manner = {} } = flight;
  if (flight.isProbe) {
    const read: ProbeReply = { text: '', tokens: 0, whole: true, ...(reward === undefined ? {} : { reward }) };
    const reply = manner.read ? read : replyTo(manner, step, search.request.extract, reward);
    return { probe: true, node: node.id, index, reply };
  }
  const answer = answerOf(flight, step);
  return placed(flight, { ok: true, node: node.id, index, form: flight.form, step, reward, feedback, answer });
}

export function faultOutcome(flight: Flight, problem: Fault): Outcome {
  const { node, index, step, manner } = flight;
  // A failure at the verifier blames no model.
  const writer = step === undefined && manner?.model !== undefined ? { model: manner.model } : {};
  if (!flight.isProbe) return placed(flight, { ok: false, node: node.id, index, fault: problem, ...writer });
  return { probe: true, node: node.id, index, ...(writer.model === undefined ? {} : { ...writer, fault: problem }) };
}

export function isBelowGhost({ search, node }: Flight): boolean {
  return search.tree.nodes[node.id] !== node;
}

function placed(flight: Flight, outcome: ChildOutcome): Outcome {
  return isBelowGhost(flight) ? { ...outcome, below: flight.node } : outcome;
}

export interface StepScore {
  readonly reward?: number | undefined;
  readonly feedback?: string | undefined;
}
