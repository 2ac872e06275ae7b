// Builds the output of a response: a reasoning item, then a message, with the events from which OpenAI's clients assemble it. A closed
// item stays closed.

import type { TokenLogprob, TurnCall } from '../../wire/result-json.ts';
import type { TypedEvent } from '../dialect.ts';
import { callId } from '../turn-body.ts';
import { itemIds, type OutputItem } from './response-json.ts';
import { calledAs, namedTools } from './response-turns.ts';

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

const reasoningTexts = {
  summary: {
    type: 'summary_text',
    index: 'summary_index',
    part: 'response.reasoning_summary_part',
    text: 'response.reasoning_summary_text',
  },
  content: {
    type: 'reasoning_text',
    index: 'content_index',
    part: 'response.content_part',
    text: 'response.reasoning_text',
  },
} as const;
type ReasoningText = keyof typeof reasoningTexts;

export class OutputItems {
  readonly #ids: ReturnType<typeof itemIds>;
  #events: TypedEvent[] = [];
  readonly #reasoning: { summary?: string; content?: string } = {};
  #content: string | undefined;
  #refusal: string | undefined;
  #logprobs: readonly TokenLogprob[] = [];
  readonly #searchId: string;
  readonly #tools: ReturnType<typeof namedTools>;
  readonly #calls: OutputItem[] = [];
  #reasoningStatus: ItemStatus | undefined;
  #messageStatus: ItemStatus | undefined;

  /** `tools`: as the client wrote them. */
  constructor(searchId: string, tools: unknown) {
    this.#ids = itemIds(searchId);
    this.#searchId = searchId;
    this.#tools = namedTools(tools);
  }

  get output(): OutputItem[] {
    return [
      ...(this.#reasoningStatus === undefined ? [] : [this.#reasoningItem()]),
      ...(this.#messageStatus === undefined ? [] : [this.#messageItem()]),
      ...this.#calls,
    ];
  }

  get contentLength(): number {
    return this.#content?.length ?? 0;
  }

  take(): TypedEvent[] {
    return this.#events.splice(0);
  }

  progress(text: string): void {
    this.#growReasoning('summary', text);
  }

  reasoning(text: string): void {
    if (text !== '') this.#growReasoning('content', text);
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

  /** Sends a call whole, after the text: the search decides on it at its end. */
  call(call: TurnCall): void {
    this.close('completed');
    const at = this.#calls.length;
    const { type, own, field, text } = calledAs(this.#tools, call);
    const item_id = `${field === 'input' ? 'ctc' : 'fc'}_${this.#searchId.replace(/^srch_/, '')}_${at}`;
    const item = { id: item_id, type, call_id: callId(this.#searchId, at), ...own };
    const place = { output_index: this.#atMessage().output_index + Number(this.#messageStatus !== undefined) + at };
    const event = `response.${field === 'input' ? 'custom_tool_call_input' : 'function_call_arguments'}`;
    this.#say('response.output_item.added', { ...place, item: { ...item, [field]: '', status: 'in_progress' } });
    this.#say(`${event}.delta`, { item_id, ...place, delta: text });
    this.#say(`${event}.done`, { item_id, ...place, name: own.name, [field]: text });
    const done = { ...item, [field]: text, status: 'completed' };
    this.#calls.push(done);
    this.#say('response.output_item.done', { ...place, item: done });
  }

  /** `logprobs` of the answer are known at its end. */
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

  #growReasoning(kind: ReasoningText, text: string): void {
    if (this.#reasoningStatus === undefined && this.#messageStatus === undefined) {
      this.#reasoningStatus = 'in_progress';
      this.#say('response.output_item.added', { output_index: 0, item: this.#reasoningItem() });
    }
    if (this.#reasoningStatus !== 'in_progress') return;
    const names = reasoningTexts[kind];
    const at = this.#atReasoning(kind);
    const before = this.#reasoning[kind];
    if (before === undefined) this.#say(`${names.part}.added`, { ...at, part: { type: names.type, text: '' } });
    this.#reasoning[kind] = (before ?? '') + text;
    this.#say(`${names.text}.delta`, { ...at, delta: text });
  }

  #closeReasoning(): void {
    if (this.#reasoningStatus !== 'in_progress') return;
    this.#reasoningStatus = 'completed';
    for (const kind of ['summary', 'content'] as const) {
      const names = reasoningTexts[kind];
      const at = this.#atReasoning(kind);
      const text = this.#reasoning[kind];
      if (text === undefined) continue;
      this.#say(`${names.text}.done`, { ...at, text });
      this.#say(`${names.part}.done`, { ...at, part: { type: names.type, text } });
    }
    this.#say('response.output_item.done', { output_index: 0, item: this.#reasoningItem() });
  }

  #openMessage(): void {
    this.#closeReasoning();
    if (this.#messageStatus !== undefined) return;
    this.#messageStatus = 'in_progress';
    const { output_index } = this.#atMessage();
    this.#say('response.output_item.added', { output_index, item: this.#messageItem() });
  }

  #atReasoning(kind: ReasoningText) {
    return { item_id: this.#ids.reasoning, output_index: 0, [reasoningTexts[kind].index]: 0 };
  }

  #atMessage() {
    return { item_id: this.#ids.message, output_index: this.#reasoningStatus === undefined ? 0 : 1, content_index: 0 };
  }

  #reasoningItem(): OutputItem {
    const parts = (kind: ReasoningText) => {
      const text = this.#reasoning[kind];
      return text === undefined ? [] : [{ type: reasoningTexts[kind].type, text }];
    };
    const texts = { summary: parts('summary'), content: parts('content') };
    return { id: this.#ids.reasoning, type: 'reasoning', ...texts, status: this.#reasoningStatus };
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
