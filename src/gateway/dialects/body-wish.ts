// What a body asks for, in the names of the vocabulary. Every field is honoured, refused by name, or asks for nothing.

import type { PlanRequest, Wish } from '../../answering/search-plan.ts';
import type { LimitsConfig } from '../../config/schema.ts';
import { bodyName, knobOf, searchKnobNames } from '../../config/vocabulary.ts';
import { refuse } from '../http/api-error.ts';
import { forcedCall, shapeIn } from './answer-format.ts';
import type { ChatBody } from './chat-body.ts';
import { readMessages } from './prompt.ts';

/** The parts of a plan that the client gives; the server adds model, limits and what the key may do. */
export function askedIn(body: ChatBody, limits: LimitsConfig): Pick<PlanRequest, 'question' | 'wish' | 'speaker'> {
  refuseWhatSearchCannot(body, body.reasoning_effort === 'none');
  return { question: readMessages(body.messages, limits), wish: wishOf(body), speaker: 'body' };
}

function wishOf(body: ChatBody): Wish {
  const own = body.coppice ?? {};
  const named = searchKnobNames.map((name) => {
    const written = bodyName(name);
    const value =
      knobOf(name).client === 'openai' ? (body as Readonly<Record<string, unknown>>)[written] : own[written];
    return [name, value ?? undefined];
  });
  return {
    ...(Object.fromEntries(named) as Wish),
    effort: body.reasoning_effort ?? undefined,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    answers: body.n ?? undefined,
    logprobs: body.logprobs ?? undefined,
    shape: shapeIn(body),
    stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? undefined),
  };
}

/** Whether a field asks for nothing, by name; what is not here asks for nothing only when it is absent or null. */
const asksNothing: Readonly<Record<string, (value: unknown) => boolean>> = {
  top_logprobs: (value) => value === 0,
  logit_bias: (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  tools: (value) => Array.isArray(value) && value.length === 0,
  tool_choice: (value) => value === 'none' || value === 'auto',
  parallel_tool_calls: (value) => typeof value === 'boolean',
  functions: (value) => Array.isArray(value) && value.length === 0,
  function_call: (value) => value === 'none' || value === 'auto',
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  audio: () => false,
  prediction: () => false,
  store: (value) => value === false,
  verbosity: (value) => value === 'medium',
  web_search_options: () => false,
};

function refuseWhatSearchCannot(body: ChatBody, direct: boolean): void {
  if ((body.n ?? 1) > 1 && direct)
    refuse(
      'unsupported_parameter',
      "'n' cannot be honoured with reasoning_effort 'none': one generation has one answer",
      'n',
    );
  const how = direct ? 'the engine behind this model' : 'a search';
  const isCall = forcedCall(body) !== undefined;
  for (const [name, isNothing] of Object.entries(asksNothing)) {
    if (isCall && (name === 'tools' || name === 'tool_choice')) continue;
    const value = (body as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || value === null || isNothing(value)) continue;
    refuse('unsupported_parameter', `'${name}' cannot be honoured by ${how}`, name);
  }
}
