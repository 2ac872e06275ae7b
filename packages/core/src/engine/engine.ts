// The contract of engines: generate one step below a path, for many paths at once. An engine owns its queue, batch and cache; it never sees
// a tree, a score or a policy. Every request is answered by exactly one `step` or `fault`; a cancelled one as soon as possible. Errors are
// data. Excluded: retries across engines, scoring, deciding what to grow. Conformance suite: testing/engine-cases.ts.

import type { Fault } from '../base/fault.ts';
import type { NodeKey } from '../tree/keys.ts';
import type { Prompt, Sampling, Step } from '../tree/step.ts';

/** Unique among all requests of a runtime, for engine and verifier alike. */
export type RequestId = number;

/** `primary`: a program needs it; `speculative`: it probably will. */
export type Lane = 'primary' | 'speculative';

export interface Urgency {
  readonly lane: Lane;
  /** Higher goes first within a lane. */
  readonly priority: number;
}

export function compareUrgency(a: Urgency, b: Urgency): number {
  if (a.lane !== b.lane) return a.lane === 'primary' ? -1 : 1;
  return b.priority - a.priority;
}

/** The same key is the same path in every request. A step with a `turn` and no text is a message of the user's side. */
export interface PathStep {
  readonly key: NodeKey;
  readonly step: Step;
}

/** Token ids mean something only to the model that made them: another `reader` gets the text. `own`: the writer of steps that name none. */
export function readableStep(step: Step, own: string | undefined, reader = own): Step {
  if (step.tokenIds === undefined || (step.model ?? own) === reader) return step;
  const { tokenIds: _, ...rest } = step;
  return rest;
}

export function readablePath(path: readonly PathStep[], own: string | undefined, reader = own): readonly PathStep[] {
  if (path.every(({ step }) => readableStep(step, own, reader) === step)) return path;
  return path.map(({ key, step }) => ({ key, step: readableStep(step, own, reader) }));
}

/** Parts of a step that the asker reads; an engine may leave the rest out. */
export interface StepNeeds {
  /** Without them `meanLogprob` may be 0. */
  readonly logprobs: boolean;
  readonly tokens: boolean;
  readonly seed: boolean;
  /** False if no step continues this one: its token ids may be left out. */
  readonly ids?: boolean;
  readonly entropy?: boolean;
  /** The text that each token adds; only with `logprobs`. */
  readonly pieces?: boolean;
  /** The token ids of prompt and path as the model read them (`read`). */
  readonly record?: boolean;
}

/** Plain prompts have no chat template: a turn is a paragraph of its own. */
export function plainTurn(turn: string): string {
  return `\n\n${turn.trim()}\n\n`;
}

export const allNeeds: StepNeeds = { logprobs: true, tokens: true, seed: true };

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Requests of several searches that are turns of one conversation belong with one replica. */
export interface SessionRoute {
  /** The same at every node and after a restart; no client can choose that of another. */
  readonly route: string;
  /** Servers share prefixes among requests of one salt alone. */
  readonly salt?: string | undefined;
}

/** Asks for one child below a path. Requests of one call with the same path are siblings. */
export interface GenerateRequest extends Urgency {
  readonly id: RequestId;
  readonly search: string;
  readonly session?: SessionRoute | undefined;
  readonly prompt: Prompt;
  readonly parent: NodeKey;
  readonly path: readonly PathStep[];
  readonly index: number;
  readonly sampling: Sampling;
  /** Equal among siblings of one expansion, which may share a call to a server. */
  readonly expansion?: number;
  readonly needs?: StepNeeds;
  /** Derived from the search's seed and the draw's key, so a child has the same seed alone and in company. */
  readonly seed: number;
  readonly delimiters: readonly string[];
  readonly maxTokens: number;
  /** The step is JSON of this schema and ends the answer. Only for engines with `shapeTrouble`. */
  readonly shape?: JsonSchema;
  /** Puts thinking that a server sends in a field of its own into the text. Without it thinking is left out. */
  readonly thinking?: ThinkingMarks;
  /** Read only by the panel (engine/panel). */
  readonly model?: string;
  /** Draws to the end of the answer, past the delimiters. Needs an engine with `wholes`. */
  readonly whole?: boolean;
  /** Exactly `maxTokens`, past the model's own end: for rehearsals. */
  readonly exact?: boolean;
}

/** `wholeTokens`: limit of thinking and answer together, for an engine that sends them in one piece. */
export interface ThinkingMarks {
  readonly open: string;
  readonly close: string;
  readonly wholeTokens: number;
}

export interface GenerationUsage {
  readonly computedTokens: number;
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  /** Fewer than `generatedTokens` if a twin computed the same; equal by default. */
  readonly decodedTokens?: number;
}

export type EngineMessage =
  /** `tokens` counts the request so far. The text is empty if no client reads it. */
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

export interface ReadTokens {
  readonly ids: readonly number[];
  /** Fewer than the step's tokens if it was cut inside one; all by default. */
  readonly drawn?: number | undefined;
}

/** `held`: the engine keeps it waiting; `taken`, the default: a server has it, and the runtime's timeout counts. */
export interface Custody {
  readonly type: 'held' | 'taken';
  readonly request: RequestId;
}

export function isCustody(message: { readonly type: string }): message is Custody {
  return message.type === 'held' || message.type === 'taken';
}

export function isAnswer<Message extends { readonly type: string }>(
  message: Message,
): message is Exclude<Message, { readonly type: 'token' | 'held' | 'taken' }> {
  return message.type === 'step' || message.type === 'score' || message.type === 'fault';
}

export interface EngineCapabilities {
  readonly name: string;
  /** Same request and seed give the same step in any batch. */
  readonly seeded: boolean;
  readonly logprobs: boolean;
  readonly entropy?: boolean;
  readonly pieces?: boolean;
  readonly streams: boolean;
  /** A request costs more than its tokens: paths that nothing reads before their end are asked for whole. */
  readonly wholes?: boolean;
  readonly priorities: boolean;
  /** The engine counts, and does not estimate. */
  readonly countsCache: boolean;
  readonly contextTokens: number | undefined;
  /** Sampling fields beyond temperature and top_p; by default top_k and min_p. */
  readonly takes?: readonly string[];
  /** It draws the next message of a prompt with `turn` whole, calls of tools read by its own parser. */
  readonly turns?: boolean;
  /** Fields that its own chat endpoint honours, for pass-through requests. */
  readonly passes?: readonly string[];
  readonly thinking?: TemplateThinking | undefined;
  /** Sequences with which a step takes about twice as long as with one. */
  readonly ridgeSequences?: number;
}

export interface TemplateThinking {
  readonly opens: boolean;
  /** `enable_thinking` or `thinking` changes what the template renders. */
  readonly switches: boolean;
}

export interface EngineLoad {
  readonly runningSequences: number;
  readonly waitingSequences: number;
  readonly sequenceLimit: number | undefined;
  readonly stepMs: number | undefined;
  readonly healthy: boolean;
  /** A sequence waits for memory: the cache is full of what is in use. */
  readonly squeezed?: boolean;
  /** Sequences in flight that the servers say they run, if they tell it. */
  readonly atServers?: number;
  /** Sums over all answers: from request to socket, and from there to the end. */
  readonly times?: Readonly<Record<'answers' | 'tokens' | 'heldMs' | 'servedMs', number>>;
  /** The same by the servers' own clocks, over all their clients; 0 where they tell none. */
  readonly queuedMs?: number;
  readonly computedMs?: number;
  readonly replicas?: Readonly<Record<'up' | 'out' | 'leaving', number>>;
  readonly listHealthy?: boolean;
  readonly drafting?: DraftRecord;
  /** Why it cannot work now, for people to read. */
  readonly trouble?: string;
}

export interface DraftRecord {
  /** Tokens a second with the draft model over those without. */
  readonly gain: number;
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
  /** Moves a request that waits; one that has begun goes on. Missing without a queue. */
  update?(request: RequestId, urgency: Urgency): void;
  /** Processes per server, this one included: each takes its part of the server's limit. Missing without servers. */
  divide?(sharersOf: (url: string) => number): void;
  /** Roots of the servers in use now. Missing without servers. */
  servers?(): readonly string[];
  /** `changed` is called when `load().replicas.up` changes. Missing without replicas. */
  watchReplicas?(changed: () => void): void;
  /** Why it cannot hold a step to a schema; undefined if it can. Missing if it holds no schemas. */
  shapeTrouble?(schema: JsonSchema): string | undefined;
  /** Takes new weights and keeps nothing of the old. Raises a fault while requests are open. Missing if servers do this. */
  reload?(): Promise<void>;
  release(search: string): void;
  load(): EngineLoad;
  close(): Promise<void>;
}
