// The output of a response as it grows: one reasoning item, then one message, each with the events that OpenAI's clients
// put it together from. An item that is closed stays closed.

import type { TokenLogprob } from '../../wire/result-json.ts';
import { itemIds, type OutputItem } from './response-json.ts';

interface ItemEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export class OutputItems {
  readonly #ids: ReturnType<typeof itemIds>;
  #events: ItemEvent[] = [];
  #summary: string | undefined;
  #reasoning: string | undefined;
  #content: string | undefined;
  #refusal: string | undefined;
  #logprobs: readonly TokenLogprob[] = [];
  #reasoningStatus: ItemStatus | undefined;
  #messageStatus: ItemStatus | undefined;

  constructor(searchId: string) {
    this.#ids = itemIds(searchId);
  }

  get output(): OutputItem[] {
    return [
      ...(this.#reasoningStatus === undefined ? [] : [this.#reasoningItem()]),
      ...(this.#messageStatus === undefined ? [] : [this.#messageItem()]),
    ];
  }

  get contentLength(): number {
    return this.#content?.length ?? 0;
  }

  /** The events since the last call. */
  take(): ItemEvent[] {
    return this.#events.splice(0);
  }

  /** Told while nothing of the answer is known. */
  progress(text: string): void {
    if (!this.#openReasoning()) return;
    const at = { ...this.#atReasoning(), summary_index: 0 };
    if (this.#summary === undefined)
      this.#say('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
    this.#summary = (this.#summary ?? '') + text;
    this.#say('response.reasoning_summary_text.delta', { ...at, delta: text });
  }

  reasoning(text: string): void {
    if (text === '' || !this.#openReasoning()) return;
    const at = { ...this.#atReasoning(), content_index: 0 };
    if (this.#reasoning === undefined)
      this.#say('response.content_part.added', { ...at, part: { type: 'reasoning_text', text: '' } });
    this.#reasoning = (this.#reasoning ?? '') + text;
    this.#say('response.reasoning_text.delta', { ...at, delta: text });
  }

  content(text: string): void {
    if (text === '') return;
    this.#openMessage();
    if (this.#content === undefined)
      this.#say('response.content_part.added', { ...this.#atMessage(), part: outputText('') });
    this.#content = (this.#content ?? '') + text;
    this.#say('response.output_text.delta', { ...this.#atMessage(), delta: text, logprobs: [] });
  }

  refuse(refusal: string): void {
    this.#openMessage();
    this.#say('response.content_part.added', { ...this.#atMessage(), part: { type: 'refusal', refusal: '' } });
    this.#say('response.refusal.delta', { ...this.#atMessage(), delta: refusal });
    this.#refusal = refusal;
    this.close('completed');
  }

  /** `logprobs`: of the tokens of the answer, which are known with its end. */
  close(status: 'completed' | 'incomplete', logprobs: readonly TokenLogprob[] = []): void {
    this.#closeReasoning();
    if (this.#messageStatus !== 'in_progress') return;
    this.#messageStatus = status;
    this.#logprobs = logprobs;
    const at = this.#atMessage();
    const [part] = this.#messageParts();
    if (this.#refusal !== undefined) this.#say('response.refusal.done', { ...at, refusal: this.#refusal });
    else this.#say('response.output_text.done', { ...at, text: this.#content ?? '', logprobs });
    this.#say('response.content_part.done', { ...at, part });
    this.#say('response.output_item.done', { output_index: at.output_index, item: this.#messageItem() });
  }

  #openReasoning(): boolean {
    if (this.#reasoningStatus === undefined && this.#messageStatus === undefined) {
      this.#reasoningStatus = 'in_progress';
      this.#say('response.output_item.added', { output_index: 0, item: this.#reasoningItem() });
    }
    return this.#reasoningStatus === 'in_progress';
  }

  #closeReasoning(): void {
    if (this.#reasoningStatus !== 'in_progress') return;
    this.#reasoningStatus = 'completed';
    const at = this.#atReasoning();
    if (this.#summary !== undefined) {
      const summary = { ...at, summary_index: 0 };
      this.#say('response.reasoning_summary_text.done', { ...summary, text: this.#summary });
      this.#say('response.reasoning_summary_part.done', {
        ...summary,
        part: { type: 'summary_text', text: this.#summary },
      });
    }
    if (this.#reasoning !== undefined) {
      const part = { type: 'reasoning_text', text: this.#reasoning };
      this.#say('response.reasoning_text.done', { ...at, content_index: 0, text: this.#reasoning });
      this.#say('response.content_part.done', { ...at, content_index: 0, part });
    }
    this.#say('response.output_item.done', { output_index: 0, item: this.#reasoningItem() });
  }

  #openMessage(): void {
    this.#closeReasoning();
    if (this.#messageStatus !== undefined) return;
    this.#messageStatus = 'in_progress';
    this.#say('response.output_item.added', {
      output_index: this.#atMessage().output_index,
      item: this.#messageItem(),
    });
  }

  #atReasoning() {
    return { item_id: this.#ids.reasoning, output_index: 0 };
  }

  #atMessage() {
    return { item_id: this.#ids.message, output_index: this.#reasoningStatus === undefined ? 0 : 1, content_index: 0 };
  }

  #reasoningItem(): OutputItem {
    const [summary, text] = [this.#summary, this.#reasoning];
    return {
      id: this.#ids.reasoning,
      type: 'reasoning',
      summary: summary === undefined ? [] : [{ type: 'summary_text', text: summary }],
      content: text === undefined ? [] : [{ type: 'reasoning_text', text }],
      status: this.#reasoningStatus,
    };
  }

  #messageItem(): OutputItem {
    const content = this.#messageParts();
    return { id: this.#ids.message, type: 'message', role: 'assistant', status: this.#messageStatus, content };
  }

  #messageParts(): object[] {
    if (this.#refusal !== undefined) return [{ type: 'refusal', refusal: this.#refusal }];
    return this.#content === undefined ? [] : [outputText(this.#content, this.#logprobs)];
  }

  #say(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.#events.push({ type, ...fields });
  }
}

function outputText(text: string, logprobs: readonly TokenLogprob[] = []) {
  return { type: 'output_text', text, annotations: [], logprobs };
}
