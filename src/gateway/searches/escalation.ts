// A search without an accepted answer is handed on: the same chat, planned anew for the model that takes over.

import { escalatedPlan } from '../../answering/plan/plan.ts';
import type { SearchPlan } from '../../answering/plan/search-plan.ts';
import type { LimitsConfig } from '../../config/schema.ts';
import { askedIn } from '../dialects/body-wish.ts';
import type { ChatBody } from '../dialects/chat-body.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { LiveSearchFacts } from './live-search.ts';

export function planSuccessor(
  { plan, body, chat = body }: LiveSearchFacts,
  model: ServedModel,
  successor: ServedModel,
  limits: LimitsConfig,
  others: ServedModels,
): SearchPlan {
  const { seed, deadlineMs: defaultDeadlineMs, priority: maxPriority, idle } = plan;
  const asked = askedIn(chat as unknown as ChatBody, limits);
  const request = { ...asked, model, successor, others, limits, maxPriority, defaultDeadlineMs, seed, idle };
  return escalatedPlan(plan, request);
}
