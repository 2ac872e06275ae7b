// Reads an engine's text for its search: whether it is a step, whether an answer has its shape, and what a probe was told.

import { type Fault, fault } from '../../base/fault.ts';
import type { EngineMessage, JsonSchema } from '../../engine/engine.ts';
import type { ProbeReply } from '../../tree/events.ts';
import { answerText } from '../../tree/node.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import { recordOf } from '../../tree/readings/token-record.ts';
import type { Manner, Step } from '../../tree/step.ts';
import type { VerifierMessage } from '../../verifier/verifier.ts';
import type { Flight } from '../search/search.ts';
import { goesOnThinking, longestThought, thoughtRoom, thoughtStep } from './thinking-steps.ts';

/** Canonical JSON; undefined if the outermost value has not the shape. Engines enforce the schema itself. */
function shapedAnswer(text: string, schema: JsonSchema): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value, schema) ? JSON.stringify(sorted(value)) : undefined;
  } catch {
    return undefined;
  }
}

function fits(value: unknown, { type, required, anyOf }: JsonSchema): boolean {
  if (Array.isArray(anyOf)) return anyOf.some((each) => fits(value, each as JsonSchema));
  if (type !== 'object') return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !Array.isArray(required) || required.every((name) => Object.hasOwn(value, String(name)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function stepFor({ search, node, shape, manner, path }: Flight, given: Step): Step {
  const generated = manner?.model === undefined ? given : { ...given, model: manner.model };
  if (shape !== undefined) return generated;
  const turn = manner?.byUser ? path.at(-1)?.step.turn : undefined;
  const placed: Step = turn === undefined ? generated : { ...generated, turn };
  // Its server has told thinking apart, as far as it can.
  if (agentTurn(search.request.prompt)) return placed;
  const step = thoughtStep(search.request, node, manner, placed);
  return search.request.shape === undefined || step.end !== 'eos' ? step : { ...step, unshaped: true };
}

export function recorded(
  { search, node }: Flight,
  { step: given, read }: EngineMessage & { type: 'step' },
  step: Step,
): Step {
  if (search.request.recordTokens !== true || read === undefined || given.tokenIds === undefined) return step;
  return { ...step, record: recordOf(node, read.ids, given, step, read.drawn) };
}

export function answerOf({ search, node, shape }: Flight, step: Step): string | undefined {
  const { end, text, unshaped, thought, turn } = step;
  if (end !== 'eos' || unshaped || thought?.open) return undefined;
  if (shape !== undefined) return shapedAnswer(text, shape.schema);
  return search.request.extract((turn === undefined ? answerText(node) : '') + text.slice(thought?.chars ?? 0));
}

/** Read off the probe alone: the path may name other answers. A cut reply has none. */
export function replyTo(
  { suffix = '', byUser, model }: Manner,
  { text, tokens, end, entropy }: Step,
  extract: (text: string) => string | undefined,
  reward: number | undefined,
): ProbeReply {
  const whole = end !== 'length';
  const answer = whole ? extract((byUser ? '' : suffix) + text) : undefined;
  const found = {
    ...(answer === undefined ? {} : { answer }),
    ...(entropy === undefined ? {} : { entropy }),
    ...(model === undefined ? {} : { model }),
  };
  if (reward === undefined) return { text, tokens, whole, ...found };
  return { text, tokens, whole, ...found, reward, ...(end === 'eos' ? { ends: true } : {}) };
}

/** Steps beyond the search's delimiters have a limit of their own; others have the search's too. */
export function longestStep({ search, node, manner, shape, isProbe, wholeTokens }: Flight): number {
  if (wholeTokens !== undefined) return wholeTokens;
  const { stepTokens, thinking } = search.request;
  if (shape !== undefined) return shape.maxTokens;
  const thinks = thinking !== undefined && !isProbe && goesOnThinking(search.request, node, manner);
  const usual = thinks ? longestThought(thinking, node, manner) : stepTokens;
  if (manner?.maxTokens === undefined) return usual;
  if (manner.stops === undefined) return Math.min(manner.maxTokens, usual);
  return manner.maxTokens + (isProbe ? 0 : thoughtRoom(search.request, node, manner));
}

export function problemWithStep(step: Step, flight: Flight): Fault | undefined {
  const { tokens, text, end } = step;
  const most = longestStep(flight);
  if (!Number.isInteger(tokens) || tokens < 0) return fault('bad-step', `a step of ${tokens} tokens`);
  if (text === '' && end !== 'eos' && !flight.isProbe)
    return fault('bad-step', 'an empty step that does not end the answer');
  if (flight.shape !== undefined && end === 'eos' && shapedAnswer(text, flight.shape.schema) === undefined)
    return fault('bad-step', 'an answer that has not the shape that was asked for');
  // Set by engines that send thinking and answer in one piece.
  if (tokens <= most || step.thought !== undefined) return undefined;
  return fault('bad-step', `a step of ${tokens} tokens; at most ${most} were asked for (stepTokens)`);
}

/** Characters; feedback stands in every log. */
export const longestFeedback = 8192;

export function cutFeedback(feedback: string | undefined): string | undefined {
  return feedback === undefined || feedback.length <= longestFeedback
    ? feedback
    : `${feedback.slice(0, longestFeedback - 1)}…`;
}

type GivenScore = Extract<VerifierMessage, { type: 'score' }>;

export function problemWithScore({ reward, feedback = '' }: GivenScore): Fault | undefined {
  if (typeof feedback !== 'string')
    return fault('bad-reward', `the verifier gave feedback of type ${typeof feedback}; it is a text`);
  if (reward >= 0 && reward <= 1) return undefined;
  return fault('bad-reward', `the verifier gave a reward of ${reward}; rewards are from 0 to 1`);
}
