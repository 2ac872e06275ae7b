// What is searched for a response: the conversation before it and its input, planned as a chat; refusals name the fields of
// a response.

import type { SearchPlan } from '../../../answering/search-plan.ts';
import type { Caller } from '../../http/keys.ts';
import type { GatewayContext } from '../context.ts';
import { planFor } from '../plan-for.ts';
import { type FieldNames, renamed } from '../renamed.ts';
import { historyOf, type StoredBody, saidIn } from './conversation.ts';
import { chatOf, itemsOf, type ResponseBody } from './response-body.ts';

/** The names of a chat's fields, as a response calls them. */
const names: FieldNames = [
  [/\bmax_completion_tokens\b/g, 'max_output_tokens'],
  [/\breasoning_effort\b/g, 'reasoning.effort'],
  [/\bmessages\b/g, 'input'],
  [/\blogprobs\b/g, 'include'],
  [/\bresponse_format\b/g, 'text.format'],
];

export interface PlannedResponse {
  readonly plan: SearchPlan;
  /** What is kept of its body. */
  readonly kept: StoredBody;
}

export async function planResponse(
  context: GatewayContext,
  caller: Caller,
  body: ResponseBody,
  defaultDeadlineMs: number,
): Promise<PlannedResponse> {
  const history = await historyOf(context, caller, body);
  const said = await saidIn(context, caller, itemsOf(body));
  const chat = chatOf(body, [...history, ...said]);
  const plan = renamed(names, () => planFor(context, chat, caller, defaultDeadlineMs));
  return { plan, kept: { ...body, history } };
}
