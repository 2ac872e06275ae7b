// The contract of engines: generate one step below a path, for many paths at once. An engine owns its queue, its batch
// and its cache; it never sees a tree, a score or a policy. Every request is answered by exactly one `step` or `fault`
// message; `token` messages may come before. After `cancel`, the engine stops the work as soon as it can and answers
// with a `cancelled` fault, unless the step was already on its way. Errors are data, never exceptions.
// An engine that lets work wait outside its servers says so (`held`) and says when a server has it (`taken`): the
// runtime's time limit of a request counts only from `taken` on. How long work may be held is the engine's own affair.
// Excluded: retries across engines (replicas are one engine), scoring, deciding what to grow.
// Its conformance suite is testing/engine-cases.ts.

import type { Fault } from '../base/fault.ts';
import type { NodeKey } from '../tree/keys.ts';
import type { Prompt, Sampling, Step } from '../tree/step.ts';

/** Unique among all requests of a runtime, for engine and verifier alike. */
export type RequestId = number;

/** `primary`: a program needs it; `speculative`: it probably will. Speculative work yields first. */
export type Lane = 'primary' | 'speculative';

/** Where a request stands among those that wait. */
export interface Urgency {
  readonly lane: Lane;
  /** Higher goes first within a lane. */
  readonly priority: number;
}

/** Negative where `a` goes first, 0 where other things decide. */
export function compareUrgency(a: Urgency, b: Urgency): number {
  if (a.lane !== b.lane) return a.lane === 'primary' ? -1 : 1;
  return b.priority - a.priority;
}

/**
 * A step with the key of its node: the same key is the same path, in whichever request it stands. One with a `turn` and no text is a
 * message of the user's side: it ends what the assistant said before, and the model replies to it as its chat template says.
 */
export interface PathStep {
  readonly key: NodeKey;
  readonly step: Step;
}

/** What the asker reads of a step beside its text and tokens. What is not needed, an engine may leave out to be faster. */
export interface StepNeeds {
  /** Log probabilities of the step's tokens; without them `meanLogprob` may be 0. */
  readonly logprobs: boolean;
  /** `token` messages: a client watches the text grow. */
  readonly tokens: boolean;
  /** The seed must be obeyed: the search is to be repeatable. */
  readonly seed: boolean;
  /** The entropy of the first token, by an engine that can tell it; off unless said. */
  readonly entropy?: boolean;
  /** How sure the model was of each token, by an engine that tells the likeliest candidates; off unless said. */
  readonly confidence?: boolean;
  /** What each token adds to the text, by an engine that can tell it; off unless said, and only with `logprobs`. */
  readonly pieces?: boolean;
  /** The token ids of prompt and path as the model read them (`read`), by an engine that knows them; off unless said. */
  readonly record?: boolean;
}

/** A turn behind a prompt that is plain text, which no chat template renders: a paragraph of its own. */
export function plainTurn(turn: string): string {
  return `\n\n${turn.trim()}\n\n`;
}

export const allNeeds: StepNeeds = { logprobs: true, tokens: true, seed: true };

/** What an answer is held to, as JSON Schema writes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One sequence: one child below a path. Requests handed over in one call with the same path are siblings. */
export interface GenerateRequest extends Urgency {
  readonly id: RequestId;
  /** Searches share no prefix unless the engine finds one by itself. */
  readonly search: string;
  readonly prompt: Prompt;
  /** The node below which the child is wanted: the last of the path, or the root. */
  readonly parent: NodeKey;
  readonly path: readonly PathStep[];
  readonly index: number;
  readonly sampling: Sampling;
  /** Equal among siblings of one expansion, which may share a call to a server; samples that are strands have their own. */
  readonly expansion?: number;
  /** All of them unless said. */
  readonly needs?: StepNeeds;
  /** Follows from the search's seed and the draw's key: the same child has the same seed, alone or in company. */
  readonly seed: number;
  /** Strings that end a step; kept in its text. */
  readonly delimiters: readonly string[];
  readonly maxTokens: number;
  /** The step is JSON of this schema and ends the answer; delimiters are empty then. Only of an engine with `shapeTrouble`. */
  readonly shape?: JsonSchema;
  /** How thinking that a server sends in a field of its own is put into the text. Missing where it is left out. */
  readonly thinking?: ThinkingMarks;
  /** Who is to write it, where the search's draw names a model: read by what joins several engines (engine/panel), by no other. */
  readonly model?: string;
  /** Exactly `maxTokens`, whatever the model would end at: for rehearsals. Delimiters are empty then. */
  readonly exact?: boolean;
}

/** Tags around a model's thinking, and the limit of thinking and answer together for an engine that gets them only in one piece. */
export interface ThinkingMarks {
  readonly open: string;
  readonly close: string;
  readonly wholeTokens: number;
}

export interface GenerationUsage {
  /** Prompt and path tokens that had to be computed for this request. */
  readonly computedTokens: number;
  /** Prompt and path tokens that were found in a cache. */
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  /** Generated tokens that were computed for this request: fewer where a twin had computed the same. All of them unless said. */
  readonly decodedTokens?: number;
  /** False where an engine cannot count and the figures are estimates or what had arrived before a cancel. */
  readonly exact: boolean;
}

export type EngineMessage =
  /** `tokens`: all of the request so far, not those of this text alone. The text is empty where no client reads it. */
  | { readonly type: 'token'; readonly request: RequestId; readonly text: string; readonly tokens: number }
  | Custody
  | {
      readonly type: 'step';
      readonly request: RequestId;
      readonly step: Step;
      readonly usage: GenerationUsage;
      readonly read?: ReadTokens | undefined;
    }
  | { readonly type: 'fault'; readonly request: RequestId; readonly fault: Fault; readonly usage?: GenerationUsage };

/** What a model read before it wrote a step. */
export interface ReadTokens {
  /** Prompt and path. */
  readonly ids: readonly number[];
  /** Only so many tokens of the step were drawn, where a cut inside a token has left others; all of them unless said. */
  readonly drawn?: number | undefined;
}

/** Who has a request: the engine, which keeps it waiting (`held`), or a server (`taken`). A request without either message counts as taken. */
export interface Custody {
  readonly type: 'held' | 'taken';
  readonly request: RequestId;
}

export function isCustody(message: { readonly type: string }): message is Custody {
  return message.type === 'held' || message.type === 'taken';
}

/** Whether a message of an engine or a verifier is the one that answers its request. */
export function isAnswer<Message extends { readonly type: string }>(
  message: Message,
): message is Exclude<Message, { readonly type: 'token' | 'held' | 'taken' }> {
  return message.type === 'step' || message.type === 'score' || message.type === 'fault';
}

export interface EngineCapabilities {
  readonly name: string;
  /** Same request and seed, same step, whatever else is in the batch. */
  readonly seeded: boolean;
  readonly logprobs: boolean;
  /** Tells the entropy of a first token where it is asked for. */
  readonly entropy?: boolean;
  /** Tells how sure the model was of each token where it is asked for. */
  readonly confidence?: boolean;
  /** Tells the tokens of a step as text, one by one with their log probabilities, where it is asked for. */
  readonly pieces?: boolean;
  /** Sends `token` messages. */
  readonly streams: boolean;
  /** Tells a delimiter from the end of the answer by itself. */
  readonly seesStops: boolean;
  readonly priorities: boolean;
  /** Reports computed and cached tokens as the engine counted them. */
  readonly countsCache: boolean;
  readonly contextTokens: number | undefined;
  /** Sampling fields of the API that it takes beyond temperature and top_p; where it does not say, top_k and min_p. */
  readonly takes?: readonly string[];
  /** Fields that shape a reply and that its own chat endpoint honours, for requests that are passed through. */
  readonly passes?: readonly string[];
  /** What the model's chat template says of thinking; missing where the engine cannot see it. */
  readonly thinking?: TemplateThinking | undefined;
  /** Sequences with which a step takes about twice as long as with one, where the engine knows before it is measured. */
  readonly ridgeSequences?: number;
}

export interface TemplateThinking {
  /** It begins the thinking before the model's first token. */
  readonly opens: boolean;
  /** It has a switch: `enable_thinking` or `thinking` among its variables changes what it renders. */
  readonly switches: boolean;
}

export interface EngineLoad {
  readonly runningSequences: number;
  readonly waitingSequences: number;
  /** Sequences it runs at a time; undefined where unknown. */
  readonly sequenceLimit: number | undefined;
  /** Recent mean time of one decode step; undefined before the first. */
  readonly stepMs: number | undefined;
  readonly healthy: boolean;
  /** A sequence waits for memory: the cache is full of what is in use. Missing where it cannot tell. */
  readonly squeezed?: boolean;
  /** Its replicas by what they do now; missing where it has none. */
  readonly replicas?: Readonly<Record<'up' | 'out' | 'leaving', number>>;
  /** False while the list of its replicas is empty or cannot be read; missing where they are not listed. */
  readonly listHealthy?: boolean;
  /** Of a draft model that was tried when the engine was opened; missing where none was. */
  readonly drafting?: DraftRecord;
  /** Why it cannot work now, for people to read; missing while it can. */
  readonly trouble?: string;
}

export interface DraftRecord {
  /** Tokens a second with it over those without, in the trial. */
  readonly gain: number;
  /** The trial said that it pays. */
  readonly isUsed: boolean;
  readonly draftedTokens: number;
  readonly acceptedTokens: number;
}

export interface Engine {
  readonly capabilities: EngineCapabilities;
  /** Called once, before any request. Messages may be posted from inside `generate` and `cancel`. */
  connect(post: (message: EngineMessage) => void): void;
  generate(requests: readonly GenerateRequest[]): void;
  cancel(requests: readonly RequestId[]): void;
  /**
   * A request that waits stands elsewhere from now on, such as speculation that has become wanted; what has begun goes on as
   * it is. An engine without a queue of its own leaves this out.
   */
  update?(request: RequestId, urgency: Urgency): void;
  /**
   * How many processes use a server, this one included: of a limit that the server has, each takes its part. An engine of
   * this process alone leaves this out.
   */
  divide?(sharersOf: (url: string) => number): void;
  /** Roots of the servers that it uses now; they may come and go. An engine of this process alone leaves this out. */
  servers?(): readonly string[];
  /** `changed` is called when another number of its replicas may get work (`load().replicas.up`). An engine without replicas leaves this out. */
  watchReplicas?(changed: () => void): void;
  /**
   * Why it cannot hold a step to a schema; undefined where it can, as far as it knows before it is asked. An engine that can hold
   * none to any leaves this out.
   */
  shapeTrouble?(schema: JsonSchema): string | undefined;
  /**
   * Its weights have changed: it computes with the new ones from now on, and keeps nothing of the old. Raises a fault, and stays as it is, while
   * something is asked of it. An engine whose servers see to that themselves leaves this out.
   */
  reload?(): Promise<void>;
  /** The search has ended: whatever is kept for its prefixes may go. */
  release(search: string): void;
  load(): EngineLoad;
  close(): Promise<void>;
}
