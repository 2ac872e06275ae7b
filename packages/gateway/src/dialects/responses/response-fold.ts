// Folds a search's log, a successor's included, into the events of a response: the same log gives the same events with the same numbers,
// live, after a crash, or for a client that resumes. Progress is the summary of a reasoning item, the steps before the answer are its
// text, the answer is a message. Sent events are never taken back.

import { type LoggedEvent, SearchFold } from '@coppice/core/log';
import { agentTurn, isFold } from '@coppice/core/tree';
import { chosenPath } from '../../result/chosen-path.ts';
import { pathLogprobs } from '../../result/logprobs.ts';
import { Progress } from '../../result/progress.ts';
import { makeResult } from '../../result/search-result.ts';
import { SharedText } from '../../result/shared-text.ts';
import type { ToldEnd } from '../../result/told-end.ts';
import { isHeldBack, shouldEscalate, unacceptedJson } from '../../result/unaccepted.ts';
import type { ResponseStatus } from '../../wire/reply-json.ts';
import type { ToldSearch, TypedEvent } from '../dialect.ts';
import { OutputItems } from './output-items.ts';
import { type OutputItem, type ResponseFacts, responseJson, statusOf } from './response-json.ts';

export interface ResponseEvent extends TypedEvent {
  readonly sequence_number: number;
}

export class ResponseFold {
  #facts: ResponseFacts;
  #log = new SearchFold();
  #shared: SharedText;
  readonly #progress: Progress;
  readonly #items: OutputItems;
  #status: ResponseStatus = 'queued';
  #given = 0;
  #broken = false;
  /** The search has ended and may have a successor, which only its record tells. */
  #isHeld = false;

  constructor(facts: ResponseFacts) {
    this.#facts = facts;
    this.#shared = new SharedText(this.#log, facts.plan);
    this.#progress = new Progress(this.#log, facts.plan);
    this.#items = new OutputItems(facts.id, facts.body.tools);
  }

  get output(): readonly OutputItem[] {
    return this.#items.output;
  }

  begin(): ResponseEvent[] {
    return this.#number([this.#whole('response.created')]);
  }

  apply(entry: LoggedEvent): ResponseEvent[] {
    const { event } = entry;
    this.#log.apply(entry);
    if (event.type === 'admitted' && this.#status === 'queued') {
      this.#status = 'in_progress';
      return this.#number([this.#whole('response.in_progress')]);
    }
    if (event.type === 'exited') this.#exit();
    else if (isFold(event)) this.#grow(entry.atMs);
    return this.#number(this.#items.take());
  }

  takeOver({ facts: { id, plan, escalatedFrom }, fold }: ToldSearch): ResponseEvent[] {
    this.#items.progress(`Model ${plan.model} takes over from ${escalatedFrom}.\n`);
    this.#facts = { ...this.#facts, plan, answeredBy: { id, escalatedFrom } };
    this.#log = fold;
    this.#shared = new SharedText(fold, plan);
    this.#isHeld = false;
    // A successor that was cancelled before it began has no exit.
    if (fold.exit !== undefined) this.#exit();
    return this.#number(this.#items.take());
  }

  finish(end: ToldEnd): ResponseEvent[] {
    this.#release(end);
    const told = this.#broken ? { ...end, state: 'failed' as const } : this.#told(end);
    this.#status = statusOf(told);
    return this.#number([...this.#items.take(), this.#whole(`response.${this.#status}`, told)]);
  }

  json(end: ToldEnd) {
    this.#release(end);
    const told = this.#told(end);
    return responseJson(this.#facts, statusOf(told), this.output, told, this.#log.exitedMs);
  }

  /** With `on_unaccepted: error` an unaccepted answer is a failure. */
  #told(end: ToldEnd): ToldEnd {
    const error = end.state === 'done' ? unacceptedJson(this.#facts.plan, end.outcome) : undefined;
    return error === undefined ? end : { ...end, state: 'failed', error };
  }

  #grow(atMs: number): void {
    const line = this.#progress.next(atMs);
    if (line !== undefined) this.#items.progress(line);
    if (!isHeldBack(this.#facts.plan) && !agentTurn(this.#facts.plan.prompt)) this.#give(this.#shared.take());
  }

  #exit(): void {
    const { exit, verdict } = this.#result().outcome;
    this.#isHeld = shouldEscalate(this.#facts.plan, exit.kind, verdict);
    this.#items.progress(`Ended as ${exit.kind} by the rule ${exit.rule}.\n`);
    if (!this.#isHeld) this.#close();
  }

  #release({ state }: ToldEnd): void {
    if (!this.#isHeld || state === 'queued' || state === 'running') return;
    this.#isHeld = false;
    this.#close();
  }

  #result() {
    return makeResult(this.#facts.plan, this.#log, 0, this.#facts.createdMs);
  }

  #close(): void {
    const { plan } = this.#facts;
    const { texts, outcome } = this.#result();
    if (outcome.exit.kind === 'failed') return;
    const path = chosenPath(plan, this.#log);
    this.#broken = !this.#shared.agrees(path);
    if (this.#broken) return;
    if (unacceptedJson(plan, outcome) !== undefined) return;
    if (texts.refusal !== null) return this.#items.refuse(texts.refusal);
    if (plan.mode === 'direct' || texts.calls || agentTurn(plan.prompt))
      this.#items.reasoning(texts.reasoning_content ?? '');
    else this.#give(this.#shared.finish(path));
    // Text that was sent as reasoning, or is in no step.
    this.#items.content((texts.content ?? '').slice(this.#items.contentLength));
    const logprobs = pathLogprobs(plan, path, outcome.complete)?.content ?? [];
    for (const call of texts.calls ?? []) this.#items.call(call);
    this.#items.close(outcome.finish_reason === 'length' ? 'incomplete' : 'completed', logprobs);
  }

  #give(pieces: readonly { readonly kind: 'reasoning' | 'content'; readonly text: string }[]): void {
    const { reasoning, mode } = this.#facts.plan;
    if (mode === 'direct') return;
    for (const { kind, text } of pieces) {
      if (kind === 'content' || reasoning === 'inline') this.#items.content(text);
      else this.#items.reasoning(text);
    }
  }

  #whole(type: string, end?: ToldEnd) {
    return { type, response: responseJson(this.#facts, this.#status, this.output, end, this.#log.exitedMs) };
  }

  #number(events: readonly { readonly type: string }[]): ResponseEvent[] {
    return events.map((event) => {
      const numbered = { ...event, sequence_number: this.#given };
      this.#given += 1;
      return numbered;
    });
  }
}
