// Journals a passed-through request, once it has ended, as a search of one node. The runtime makes its log
// (`runtime/search/passed-log.ts`).

import { makePlan, type SearchPlan } from '@coppice/core/answering';
import { fault } from '@coppice/core/base';
import type { GenerationUsage } from '@coppice/core/engine';
import type { Plain } from '@coppice/core/journal';
import type { Exit } from '@coppice/core/log';
import { logPassed, type Session } from '@coppice/core/runtime';
import type { Step } from '@coppice/core/tree';
import type { Caller } from '../http/keys.ts';
import type { ServedModel } from '../models/served-model.ts';
import { LiveSearch } from '../searches/live-search.ts';
import { endOf } from '../searches/search-end.ts';
import { newId, toAccept, toFinish } from '../searches/search-facts.ts';
import type { GatewayContext } from './context.ts';
import { type PassedAnswer, PassedReader } from './passed-answer.ts';

/** The engine's status; `gone`: the client left first; `none`: no complete answer came. */
type PassedStatus = number | 'gone' | 'none';

export class PassedExchange {
  readonly id: string;
  status: PassedStatus = 'none';
  readonly #context: GatewayContext;
  readonly #caller: Caller;
  readonly #model: ServedModel;
  readonly #body: Plain;
  readonly #session: Session | undefined;
  readonly #createdMs: number;
  #admittedMs: number | undefined;
  #reader = new PassedReader(null);

  constructor(context: GatewayContext, caller: Caller, model: ServedModel, body: Plain, session?: Session) {
    this.#context = context;
    this.#caller = caller;
    this.#model = model;
    this.#body = body;
    this.#session = session;
    this.#createdMs = context.clock.nowMs();
    this.id = newId('srch_', this.#createdMs);
  }

  begin(): void {
    this.#admittedMs = this.#context.clock.nowMs();
  }

  reader(contentType: string | null): PassedReader {
    this.#reader = new PassedReader(contentType);
    return this.#reader;
  }

  /** Journals the exchange. No client waits for it: errors of the journal go to the server's log. */
  end(): void {
    const admittedMs = this.#admittedMs;
    if (admittedMs === undefined) return;
    const { id } = this;
    const { journal, clock, log, usage } = this.#context;
    const { name: owner } = this.#caller;
    const [createdMs, endedMs] = [this.#createdMs, clock.nowMs()];
    const answer = this.#reader.end();
    const plan = this.#plan();
    const facts = { id, owner, plan, body: this.#body, createdMs, title: plan.title };
    const search = new LiveSearch({ ...facts, background: false, escalatedFrom: null });
    search.promptTokens = answer.promptTokens;
    const complain = (error: Error) => log.warn('journal', { search: id, message: error.message });
    journal.accept(toAccept(search)).catch(complain);
    journal.claim(id, 0, admittedMs).catch(complain);
    const { aggregation, sampling, model, writers } = plan;
    const times = { submittedMs: createdMs, admittedMs, endedMs };
    const said = saidOf(this.status, answer);
    const passed = { search: id, aggregation, sampling, model, writers, ...times, ...said, usage: usageOf(answer) };
    logPassed(passed, search.fold, (entry) => journal.append(1, entry));
    usage.spent(owner, { prompt: answer.promptTokens, completion: answer.completionTokens, verifier: 0 });
    journal.finish(id, 1, toFinish(search, endOf(search, endedMs, 1))).catch(complain);
  }

  /** A plan of one generation; the body keeps the rest of the request. */
  #plan(): SearchPlan {
    const { limits, admission } = this.#context.config;
    const title = titleOf(this.#body);
    return makePlan({
      question: { prompt: { kind: 'text', text: title }, title },
      wish: { effort: 'none' },
      speaker: 'code',
      model: this.#model,
      limits,
      maxPriority: this.#caller.maxPriority,
      defaultDeadlineMs: admission.deadlineMs,
      seed: 0,
      session: this.#session,
    });
  }
}

const titleLength = 120;

/** The user's last text. `body` may be of any API and is unchecked. */
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

function saidOf(status: PassedStatus, { text, isCut, completionTokens: tokens }: PassedAnswer) {
  const exit = (kind: Exit['kind']): Exit => ({ kind, rule: 'passed-through', evidence: { status } });
  if (status === 'gone')
    return { said: { fault: fault('cancelled', 'its client has gone') }, exit: exit('cancelled') } as const;
  if (status === 'none' || status >= 400) {
    const code = status === 'none' ? 'unavailable' : 'refused';
    return { said: { fault: fault(code, `the engine answered ${status}`) }, exit: exit('failed') } as const;
  }
  const step: Step = { text, tokens, meanLogprob: 0, end: isCut ? 'length' : 'eos' };
  return { said: { step }, exit: exit('exhausted') } as const;
}

function usageOf({ promptTokens, cachedTokens, completionTokens }: PassedAnswer): GenerationUsage {
  const computedTokens = Math.max(0, promptTokens - cachedTokens);
  return { computedTokens, cachedTokens, generatedTokens: completionTokens };
}
