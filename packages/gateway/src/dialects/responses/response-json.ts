// Writes a response as JSON, and the ids of its parts, from the search's id, plan, body and the fold of its log alone.

import type { SearchPlan } from '@coppice/core/answering';
import { describeForClient } from '../../result/search-result.ts';
import type { ToldEnd } from '../../result/told-end.ts';
import { fixedFields, type ResponseStatus } from '../../wire/reply-json.ts';
import type { ResultFacts } from '../../wire/result-json.ts';
import { formatOf, type ResponseBody } from './response-body.ts';

export interface ResponseFacts {
  readonly id: string;
  readonly plan: SearchPlan;
  readonly body: ResponseBody;
  readonly createdMs: number;
  readonly background: boolean;
  readonly stored: boolean;
  readonly answeredBy?: { readonly id: string; readonly escalatedFrom: string | null };
}

export type OutputItem = Readonly<Record<string, unknown>>;

export function responseId(searchId: string): string {
  return searchId.replace(/^srch_/, 'resp_');
}

export function searchIdOf(name: string): string | undefined {
  return /^(resp|msg|rs)_[0-9a-f]{32}$/.test(name) ? name.replace(/^[a-z]+_/, 'srch_') : undefined;
}

export function itemIds(searchId: string): { readonly reasoning: string; readonly message: string } {
  return { reasoning: searchId.replace(/^srch_/, 'rs_'), message: searchId.replace(/^srch_/, 'msg_') };
}

export function statusOf({ state, outcome }: ToldEnd): ResponseStatus {
  if (state === 'queued') return 'queued';
  if (state === 'running') return 'in_progress';
  if (state !== 'done') return state;
  return outcome?.finish_reason === 'length' ? 'incomplete' : 'completed';
}

export function responseJson(
  facts: ResponseFacts,
  status: ResponseStatus,
  output: readonly OutputItem[],
  end?: ToldEnd,
  exitedMs?: number,
) {
  const { id, plan, body, createdMs, background, stored, answeredBy = { id, escalatedFrom: null } } = facts;
  const { outcome, texts, error } = end ?? {};
  return {
    ...fixedFields,
    id: responseId(id),
    created_at: Math.floor(createdMs / 1000),
    completed_at: status === 'completed' && exitedMs !== undefined ? Math.floor(exitedMs / 1000) : null,
    status,
    background,
    error: status === 'failed' ? { code: 'server_error', message: error?.message ?? 'the search failed' } : null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: plan.model,
    output,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    store: stored,
    temperature: body.temperature ?? plan.sampling.temperature,
    text: { format: formatOf(body) ?? { type: 'text' } },
    tools: [],
    top_p: plan.sampling.topP ?? 1,
    usage: outcome === undefined ? null : usageJson(outcome),
    user: body.user ?? null,
    metadata: body.metadata ?? {},
    coppice:
      outcome === undefined || texts === undefined
        ? null
        : describeForClient(answeredBy.id, plan, texts, outcome, answeredBy.escalatedFrom),
  };
}

function usageJson({ usage }: ResultFacts) {
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: usage.prompt_tokens_details,
    output_tokens: usage.completion_tokens,
    output_tokens_details: usage.completion_tokens_details,
    total_tokens: usage.total_tokens,
  };
}
