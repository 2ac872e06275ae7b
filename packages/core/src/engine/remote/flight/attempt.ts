// An HTTP request for one job: decodes the answer and tells each child's step as soon as it is complete. Ends exactly once, by `done` or
// `fail`, and says nothing after `abort`.

import { type Fault, FaultError, fault } from '../../../base/fault.ts';
import { BoundedBody, tooMuch } from '../../../remote/bounded-body.ts';
import type { Connection, Stream } from '../../../remote/connection.ts';
import { faultOf, quote } from '../../../remote/failure.ts';
import { parseJson } from '../../../remote/json.ts';
import { SseParser } from '../../../remote/sse.ts';
import type { Step } from '../../../tree/step.ts';
import type { GenerationUsage } from '../../engine.ts';
import type { Call, Dialect, ServerFacts, Update, WireUsage } from '../dialect/dialect.ts';
import { PartialStep } from './partial-step.ts';
import type { Child } from './queue.ts';
import { thinksApart } from './refusable.ts';

interface AttemptListener {
  head(headers: Readonly<Record<string, unknown>>): void;
  firstToken(afterMs: number): void;
  token(child: Child, text: string, tokens: number): void;
  step(child: Child, step: Step, usage: GenerationUsage): void;
  done(): void;
  fail(fault: Fault): void;
}

interface AttemptOptions {
  readonly connection: Connection;
  readonly dialect: Dialect;
  readonly facts: ServerFacts;
  readonly call: Call;
  readonly children: readonly Child[];
  readonly headers: Readonly<Record<string, string>>;
  readonly hints: Readonly<Record<string, unknown>>;
  readonly nowMs: () => number;
  readonly stepMs: () => number | undefined;
}

export class Attempt {
  readonly children: readonly Child[];
  readonly startedMs: number;
  readonly #options: AttemptOptions;
  readonly #listener: AttemptListener;
  readonly #parser: SseParser;
  readonly #steps: readonly PartialStep[];
  readonly #told: boolean[];
  #sumUsage: WireUsage | undefined;
  readonly #body: BoundedBody;
  #bytesLeft: number;
  readonly #stream: Stream;
  readonly #cuts: boolean;
  #over = false;
  firstMs: number | undefined;
  lastMs: number;

  constructor(options: AttemptOptions, listener: AttemptListener) {
    const { call, children, connection, dialect, facts } = options;
    this.#options = options;
    this.#listener = listener;
    this.children = children;
    this.#cuts = call.whole !== true && call.stops.length < children[0]!.request.delimiters.length;
    this.#steps = children.map(
      ({ request }) =>
        new PartialStep(call.whole ? [] : request.delimiters, this.#cuts, request.thinking, call.maxTokens),
    );
    this.#parser = new SseParser(messageBytes(call));
    this.#body = new BoundedBody(wholeBytes(call));
    this.#bytesLeft = streamBytes(call);
    this.#told = children.map(() => false);
    this.startedMs = options.nowMs();
    this.lastMs = this.startedMs;
    const { path, body } = dialect.encode(call, facts);
    const whole = call.delivery === 'whole';
    this.#stream = connection.stream(path, { ...body, ...options.hints }, options.headers, {
      head: (headers) => listener.head(headers),
      data: (chunk) => this.#guard(() => (whole ? this.#piece(chunk) : this.#chunk(chunk))),
      end: () => this.#guard(() => this.#end()),
      fail: (reason) => this.fail(reason),
    });
  }

  get running(): number {
    return this.#told.filter((told) => !told).length;
  }

  /** Tokens of the longest sibling: the server has taken as many steps. */
  get longestTokens(): number {
    return Math.max(...this.#steps.map(({ tokens }) => tokens));
  }

  get sendsTokens(): boolean {
    return this.#options.call.delivery === 'tokens';
  }

  get call(): Call {
    return this.#options.call;
  }

  /** Counts what was received or, if tokens come late, as many as the time allows. */
  usage(child: Child): GenerationUsage {
    const { call, nowMs, stepMs } = this.#options;
    const usage = this.#steps[this.children.indexOf(child)]!.usage(call.tokenIds?.length);
    if (this.sendsTokens) return usage;
    const passed = Math.floor((nowMs() - this.startedMs) / (stepMs() ?? Number.POSITIVE_INFINITY));
    const generatedTokens = Math.min(call.maxTokens, Math.max(usage.generatedTokens, passed));
    return { ...usage, generatedTokens };
  }

  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#close();
  }

  #piece(chunk: Uint8Array): void {
    this.lastMs = this.#options.nowMs();
    if (!this.#body.add(chunk)) this.#tooMuch(wholeBytes(this.call));
  }

  #chunk(chunk: Uint8Array): void {
    this.#bytesLeft -= chunk.length;
    this.#data(this.#parser.push(chunk));
    if (this.#bytesLeft < 0 && !this.#over) this.#tooMuch(streamBytes(this.call));
  }

  #tooMuch(limitBytes: number): never {
    throw new FaultError(tooMuch(`to a request for ${this.call.maxTokens} tokens it`, limitBytes));
  }

  #data(events: readonly string[]): void {
    this.lastMs = this.#options.nowMs();
    for (const event of events) {
      if (this.#over) return;
      if (event === '[DONE]') this.#complete(true);
      else this.#read(event);
    }
    if (!this.#over) this.#complete(false);
  }

  #read(event: string): void {
    const { dialect, call } = this.#options;
    for (const update of dialect.decode(parseJson(event, 'an event'), call)) {
      const before = this.#steps[update.index]?.tokens ?? 0;
      this.#fold(update);
      // A server that repeats all tokens sends so much more.
      if (update.cumulative && this.#steps[update.index]!.tokens > before) this.#bytesLeft += event.length;
    }
  }

  #fold(update: Update): void {
    const step = this.#steps[update.index];
    const child = this.children[update.index];
    if (step === undefined || child === undefined) {
      throw new FaultError(fault('protocol', `the server wrote choice ${update.index} of ${this.children.length}`));
    }
    if (update.thought !== undefined && child.request.thinking !== undefined && this.call.whole !== true)
      throw new FaultError(fault('unsupported', `it sends ${thinksApart}`));
    const text = step.fold(this.#countsTogether() ? this.#withoutUsage(update) : update);
    if (this.firstMs === undefined && step.tokens > 0) {
      this.firstMs = this.lastMs;
      this.#listener.firstToken(this.lastMs - this.startedMs);
    }
    if (text !== '') this.#listener.token(child, text, step.tokens);
  }

  #countsTogether(): boolean {
    return this.#options.dialect.sumsUsage && this.children.length > 1;
  }

  #withoutUsage({ usage, ...update }: Update): Update {
    if (usage !== undefined) this.#sumUsage = usage;
    return update;
  }

  /** A step is complete with its usage, or once nothing more will come. */
  #complete(last: boolean): void {
    this.#steps.forEach((step, index) => {
      // The listener may have aborted the rest.
      if (this.#over || this.#told[index] === true || !step.ended) return;
      if (!(last || this.#cuts || step.isCut || step.counted || this.#endsFirst(index))) return;
      this.#told[index] = true;
      this.#listener.step(this.children[index]!, step.step(), this.#usageOf(index));
    });
    if (this.#over || !this.#told.every(Boolean)) return;
    this.#over = true;
    // A stream that we cut goes on unless it is closed.
    if (!last && (this.#cuts || this.#steps.some(({ isCut }) => isCut))) this.#close();
    this.#listener.done();
  }

  /** Siblings counted together get their count with the last of them. */
  #endsFirst(index: number): boolean {
    return this.#countsTogether() && this.#told.some((told, at) => !told && at !== index && !this.#steps[at]!.ended);
  }

  /** The last of siblings counted together carries the prompt; the others found it computed. */
  #usageOf(index: number): GenerationUsage {
    const promptTokens = this.#options.call.tokenIds?.length ?? this.#sumUsage?.promptTokens ?? 0;
    const usage = this.#steps[index]!.usage(promptTokens);
    if (!this.#countsTogether()) return usage;
    const last = this.#told.every(Boolean);
    const cachedTokens = last ? Math.min(this.#sumUsage?.cachedTokens ?? 0, promptTokens) : promptTokens;
    return { ...usage, computedTokens: promptTokens - cachedTokens, cachedTokens };
  }

  /** Siblings without token ids share the count of all by their characters. */
  #shareCount(all: number): void {
    const lengths = this.#steps.map((step) => step.step().text.length);
    const perCharacter = all / lengths.reduce((sum, each) => sum + each, 0);
    this.#steps.forEach((step, index) => {
      const generatedTokens = Math.max(1, Math.round(perCharacter * lengths[index]! || 0));
      const usage = { promptTokens: undefined, cachedTokens: undefined, generatedTokens };
      if (step.ended) step.fold({ index, text: '', usage });
    });
  }

  #end(): void {
    if (this.#over) return;
    if (this.call.delivery === 'whole') {
      this.#read(this.#body.text());
      if (this.#countsTogether() && this.call.ids === false) this.#shareCount(this.#sumUsage?.generatedTokens ?? 0);
    } else this.#data(this.#parser.end());
    if (!this.#over) this.#complete(true);
    if (!this.#over) this.fail(this.#unfinished());
  }

  #unfinished(): Fault {
    const silent = this.#steps.filter((step) => step.tokens === 0 && !step.ended).length;
    const some = silent > 0 && this.#steps.some((step) => step.ended);
    if (some)
      return fault('unsupported', `${this.#where()} left out ${silent} of ${this.children.length} siblings (n)`);
    return fault('protocol', `${this.#where()} ended its answer before the step was complete`);
  }

  #guard(act: () => void): void {
    try {
      act();
    } catch (error) {
      const reason = faultOf(error);
      this.fail({ ...reason, message: `${this.#where()}: ${quote(reason.message, this.#options.connection)}` });
    }
  }

  fail(reason: Fault): void {
    if (this.#over) return;
    this.#over = true;
    this.#close();
    this.#listener.fail(reason);
  }

  #close(): void {
    const { dialect, call, connection } = this.#options;
    const abort = dialect.abort?.(call);
    if (abort !== undefined) connection.call('POST', abort.path, abort.body).catch(() => undefined);
    this.#stream.abort();
  }

  #where(): string {
    return `${this.#options.connection.url} (${this.#options.dialect.name})`;
  }
}

const envelopeBytes = 1024 * 1024;
const bytesPerPromptToken = 8;
const bytesPerToken = 2048;
const bytesPerEvent = 8192;

function messageBytes({ tokenIds = [], maxTokens }: Call): number {
  return envelopeBytes + bytesPerPromptToken * tokenIds.length + bytesPerToken * maxTokens;
}

function wholeBytes(call: Call): number {
  return messageBytes(call) + bytesPerToken * (call.siblings - 1) * call.maxTokens;
}

function streamBytes(call: Call): number {
  return messageBytes(call) + bytesPerEvent * call.siblings * call.maxTokens;
}
