// What is searched for a message: its body as a chat; refusals name the fields of a message.

import type { SearchPlan } from '../../../answering/search-plan.ts';
import type { Caller } from '../../http/keys.ts';
import type { ChatBody } from '../../plan/chat-body.ts';
import type { GatewayContext } from '../context.ts';
import { planFor } from '../plan-for.ts';
import { type FieldNames, renamed } from '../renamed.ts';
import { chatOf, type MessageBody } from './message-body.ts';

/** The names of a chat's fields, as a message calls them. */
const names: FieldNames = [
  [/\bmax_completion_tokens\b/g, 'max_tokens'],
  [/\breasoning_effort\b/g, 'output_config.effort'],
  [/'stop'|^stop$/g, 'stop_sequences'],
  [/\bresponse_format\b/g, 'output_config.format'],
];

/** `kept` is the chat: what the journal keeps of it. */
export function planMessage(
  context: GatewayContext,
  caller: Caller,
  body: MessageBody,
  defaultDeadlineMs: number,
): { readonly plan: SearchPlan; readonly kept: ChatBody } {
  const kept = chatOf(body, context.config.limits.tokens);
  return { plan: renamed(names, () => planFor(context, kept, caller, defaultDeadlineMs)), kept };
}
