// A request that was passed through, as the journal keeps it: a search of one node, written when it is over. Its log is what the
// runtime would have written for a single sample, so that lists, the page and the fold need to know nothing of it.

import { makePlan } from '../../answering/plan.ts';
import type { SearchPlan } from '../../answering/search-plan.ts';
import type { Plain } from '../../journal/journal.ts';
import type { Answer, Cost, Exit } from '../../log/end.ts';
import type { SearchEvent } from '../../log/events.ts';
import { plantedEvent } from '../../tree/events.ts';
import { nodeKey, rootKey } from '../../tree/keys.ts';
import type { Step } from '../../tree/step.ts';
import type { Caller } from '../http/keys.ts';
import type { ServedModel } from '../models/served-model.ts';
import { LiveSearch } from '../searches/live-search.ts';
import { endOf } from '../searches/search-end.ts';
import { newSearchId, toAccept, toFinish } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';
import { type PassedAnswer, PassedReader } from './passed-answer.ts';

interface PassedRequest {
  readonly id: string;
  readonly caller: Caller;
  readonly model: ServedModel;
  readonly body: Plain;
  readonly createdMs: number;
  readonly admittedMs: number;
  /** The engine's own; `gone` where its client has, `none` where it never answered to the end. */
  readonly status: number | 'gone' | 'none';
  readonly answer: PassedAnswer;
}

/** One request on its way through: what is seen of it, and its search in the end. */
export class PassedExchange {
  readonly id: string;
  /** Set when the answer has been passed on to its end, or cannot be. */
  status: PassedRequest['status'] = 'none';
  readonly #context: GatewayContext;
  readonly #caller: Caller;
  readonly #model: ServedModel;
  readonly #body: Plain;
  readonly #createdMs: number;
  #admittedMs: number | undefined;
  #reader = new PassedReader(null);

  constructor(context: GatewayContext, caller: Caller, model: ServedModel, body: Plain) {
    this.#context = context;
    this.#caller = caller;
    this.#model = model;
    this.#body = body;
    this.#createdMs = context.clock.nowMs();
    this.id = newSearchId(this.#createdMs);
  }

  /** Its turn has come. */
  begin(): void {
    this.#admittedMs = this.#context.clock.nowMs();
  }

  reader(contentType: string | null): PassedReader {
    this.#reader = new PassedReader(contentType);
    return this.#reader;
  }

  end(): void {
    if (this.#admittedMs === undefined) return;
    const request = { id: this.id, caller: this.#caller, model: this.#model, body: this.#body, status: this.status };
    const times = { createdMs: this.#createdMs, admittedMs: this.#admittedMs };
    journalPassed(this.#context, { ...request, ...times, answer: this.#reader.end() });
  }
}

/** No client waits for it: what the journal refuses is told in the log. */
function journalPassed(context: GatewayContext, request: PassedRequest): void {
  const { journal, clock, log } = context;
  const { id, createdMs, admittedMs, answer } = request;
  const endedMs = clock.nowMs();
  const plan = planOf(context, request);
  const facts = { id, owner: request.caller.name, plan, body: request.body, createdMs, title: plan.title };
  const search = new LiveSearch({ ...facts, background: false, escalatedFrom: null });
  search.promptTokens = answer.promptTokens;
  const complain = (error: Error) => log.warn('journal', { search: id, message: error.message });
  journal.accept(toAccept(search, undefined)).catch(complain);
  journal.claim(id, 0, admittedMs).catch(complain);
  for (const [sequence, { event, atMs }] of logOf(request, plan, endedMs).entries()) {
    const entry = { search: id, sequence, atMs, event };
    search.fold.apply(entry);
    journal.append(1, entry);
  }
  const { promptTokens: prompt, completionTokens: completion } = answer;
  context.usage.spent(request.caller.name, { prompt, completion, verifier: 0 });
  journal.finish(id, 1, toFinish(search, endOf(search, endedMs, 1))).catch(complain);
}

/** One generation, as it would have been planned here; what was asked for beyond it stands in the body. */
function planOf({ config }: GatewayContext, { body, model, caller }: PassedRequest): SearchPlan {
  const title = titleOf(body);
  return makePlan({
    question: { prompt: { kind: 'text', text: title }, title },
    wish: { effort: 'none' },
    speaker: 'code',
    model,
    limits: config.limits,
    maxPriority: caller.maxPriority,
    defaultDeadlineMs: config.admission.deadlineMs,
    seed: 0,
  });
}

const titleLength = 120;

/** The last text that a user wrote, wherever the API has it. Reads what nothing has checked. */
function titleOf({ messages, input, prompt }: Plain): string {
  const said = [messages, input, prompt].find((each) => each !== undefined);
  const items: readonly unknown[] = Array.isArray(said) ? said : [said];
  const texts = items.flatMap((item) => {
    const { role = 'user', content = item } = (item ?? {}) as Plain;
    if (role !== 'user') return [];
    const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
    return parts.map((part) => (typeof part === 'string' ? part : ((part ?? {}) as Plain).text));
  });
  const last = texts.findLast((text) => typeof text === 'string' && text.trim() !== '');
  return typeof last === 'string' ? last.trim().slice(0, titleLength).toWellFormed() : 'passed through';
}

function logOf(request: PassedRequest, plan: SearchPlan, endedMs: number): { event: SearchEvent; atMs: number }[] {
  const { createdMs, admittedMs } = request;
  const early = [{ type: 'submitted' }, plantedEvent(plan.aggregation)] as const;
  const begun = [
    { type: 'admitted' },
    { type: 'opened', strand: 0, node: 0 },
    { type: 'asked', strand: 0, node: 0, indices: [0], sampling: plan.sampling },
  ] as const;
  return [
    ...early.map((event) => ({ event, atMs: createdMs })),
    ...begun.map((event) => ({ event, atMs: admittedMs })),
    ...endingOf(request).map((event) => ({ event, atMs: endedMs })),
  ];
}

function endingOf({ status, answer: { text, isCut, completionTokens }, answer: said }: PassedRequest): SearchEvent[] {
  const cost = costOf(said);
  const exit = (kind: Exit['kind']): Exit => ({ kind, rule: 'passed-through', evidence: { status } });
  if (typeof status === 'string' || status >= 400)
    return [
      { type: 'closed', strand: 0, closing: 'failed' },
      { type: 'exited', exit: exit(status === 'gone' ? 'cancelled' : 'failed'), cost },
      { type: 'cost', cost },
    ];
  const step: Step = { text, tokens: completionTokens, meanLogprob: 0, end: isCut ? 'length' : 'eos' };
  const key = nodeKey(rootKey, step);
  const answer: Answer = { node: 1, text, answer: undefined, score: undefined, complete: !isCut };
  return [
    { type: 'grown', node: 1, key, parent: 0, index: 0, step, terminal: true },
    { type: 'moved', strand: 0, node: 1 },
    { type: 'closed', strand: 0, closing: 'completed' },
    { type: 'exited', exit: exit('exhausted'), answer, cost },
    { type: 'cost', cost },
  ];
}

function costOf({ promptTokens, cachedTokens, completionTokens }: PassedAnswer): Cost {
  const computed = Math.max(0, promptTokens - cachedTokens);
  const engine = { committedTokens: completionTokens, promptTokens: computed, cachedTokens, engineCalls: 1 };
  const none = {
    discardedTokens: 0,
    speculativeTokens: 0,
    verifierTokens: 0,
    verifierCachedTokens: 0,
    verifierCalls: 0,
  };
  return { ...engine, ...none };
}
