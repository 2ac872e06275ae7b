// A futile search handed on: the same question under the ways of the model that takes over.

import type { LimitsConfig } from '../../config/schema.ts';
import type { ChatBody } from '../plan/chat-body.ts';
import { readMessages } from '../plan/messages.ts';
import { formOf, type SearchPlan } from '../plan/plan.ts';
import type { LiveSearchFacts } from './live-search.ts';
import type { ServedModel } from './served-model.ts';

/** The client's wishes stay (budget, sampling, deadline); what belongs to a model comes from the new one. */
export function escalatedPlan({ plan, body }: LiveSearchFacts, target: ServedModel, limits: LimitsConfig): SearchPlan {
  const { config, form, verifier } = target;
  const { messages, temperature } = body as unknown as ChatBody;
  const formed = formOf(readMessages(messages, limits).prompt, false, { model: config, form });
  const { policy, threshold, branching, choose } = config;
  const { prompt, delimiters, stepTokens, maxDepth } = formed;
  const hasVerifier = verifier !== undefined;
  return {
    ...plan,
    ...{ model: target.name, policy, threshold, branching, choose, prompt, delimiters, stepTokens, maxDepth },
    sampling: { ...plan.sampling, temperature: temperature ?? formed.temperature },
    program: hasVerifier ? config.program : 'self-consistency',
    scoring: hasVerifier ? 'verifier' : 'self-consistency',
    onFutile: 'answer',
  };
}
