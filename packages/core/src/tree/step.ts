// A generated step and how it was asked for, as plain data that every engine fills in the same way.

/** `delimiter`: the model closed the step and may go on; `eos`: it ended its answer; `length`: the step was cut. */
export type StepEnd = 'delimiter' | 'eos' | 'length';

export interface Step {
  /** The delimiter is part of the text; the end-of-sequence token is not. */
  readonly text: string;
  /** Tokens generated for this step, delimiter or end-of-sequence token included. */
  readonly tokens: number;
  /** Mean log probability of these tokens under the model, for the prior P(s, a) of PUCT; 0 where an engine cannot say. */
  readonly meanLogprob: number;
  readonly end: StepEnd;
  /** The tokens themselves, from engines that continue by token id. */
  readonly tokenIds?: readonly number[];
  readonly logprobs?: readonly number[];
  /** Text of each token, on request; empty where its bytes wait for the next one, or end the answer. */
  readonly pieces?: readonly string[];
  /** The model has ended its answer, and the search wants one in a given shape: the next step is that, and ends the path. */
  readonly unshaped?: true;
  /** Entropy of the first token's distribution, in nats, on request. */
  readonly entropy?: number;
  /** Its writer, where the draw named a model; else the search's own model. */
  readonly model?: string;
  /** A message of the user's side before the step, such as feedback: the step begins a new message with its own text and answer. */
  readonly turn?: string;
  /** The thinking in it; missing where there is none. */
  readonly thought?: Thought;
  /** Characters at its beginning that were put into the path and not generated: `opening` of its manner, or the end of the thinking at its limit. */
  readonly forced?: number;
  /** Token ids that the model read and wrote, where the search records them. */
  readonly record?: TokenRecord;
}

/** Tokens that the model read before a step, as a change to those above it (`token-record.ts`), and those it wrote. */
export interface TokenRecord {
  /** Tokens of the path above that stand; the others were read otherwise, such as the end of an answer before a turn. */
  readonly kept: number;
  /** Put behind these, written by no model: the prompt, a turn of the user's side, words that open the step. */
  readonly composed?: readonly number[];
  /** Ids that the model wrote, where `tokenIds` does not say them. */
  readonly written?: readonly number[];
  /** Tokens that were drawn; the rest is what a cut inside a token has left. */
  readonly drawn?: number;
}

/** The beginning of a step that is thinking, tags included: part of the path, and no part of the answer. */
export interface Thought {
  readonly chars: number;
  readonly tokens: number;
  /** The thinking goes on behind the step. */
  readonly open?: true;
}

/** Compares tokens, not texts: a log whose texts are erased says the same. */
export function isAllThought({ thought, tokens }: Step): boolean {
  return thought !== undefined && (thought.open === true || thought.tokens >= tokens);
}

export interface Sampling {
  /** 0 is greedy. */
  readonly temperature: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  /** Other fields of the API that the engine takes, under the names that clients write. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** Details of a draw that is not the plain next step of its search, besides its sampling. */
export interface Manner {
  /** Model that writes it; the search's own by default. */
  readonly model?: string;
  /** Put behind the path before the model goes on; no part of what it says. */
  readonly suffix?: string;
  /** Words with which the step begins: they are put into the path as if the model had said them, and are part of its text. */
  readonly opening?: string;
  /** Keys of nodes whose words stand in the suffix, by name: `{attempts}`, and of the first `{feedback}` or `{turn}` (runtime/steps/words.ts). */
  readonly sources?: readonly number[];
  /** The suffix is a message of the user's side. A program that asks so adds children at any time: it does not expand once. */
  readonly byUser?: true;
  /** Strings that end it, in the place of the search's delimiters. */
  readonly stops?: readonly string[];
  readonly maxTokens?: number;
  readonly entropy?: true;
  /** A manner for each child index, where siblings are asked for in different ways. */
  readonly choices?: readonly Manner[];
  /** Probes of the node whose replies stand behind the path, each as a step of its own, before the suffix. */
  readonly after?: readonly number[];
  /** Probe: its reply is scored as a step would be. */
  readonly scored?: true;
  /** Probe: nothing is generated, the verifier scores the path up to here. */
  readonly read?: true;
  /** Probe: its reply names steps. Children: nothing is generated, they are the steps that a probe of their parent named. */
  readonly proposed?: true;
}

export function mannerAt(manner: Manner | undefined, index: number): Manner | undefined {
  return manner?.choices === undefined ? manner : manner.choices[index % manner.choices.length];
}

export const greedySampling: Sampling = { temperature: 0 };

/** The same fields of the API, at temperature 0. */
export function coldest({ extras }: Sampling): Sampling {
  return extras === undefined ? greedySampling : { ...greedySampling, extras };
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** As its client wrote it, where that is more than its text: calls, their results, images. Draws of turns read it. */
  readonly written?: Readonly<Record<string, unknown>>;
}

/** Fields of an engine's own chat endpoint, beside messages and sampling: the tools that a turn may call, and how. */
export type TurnFields = Readonly<Record<string, unknown>>;

/** The root of a tree: chat messages that the engine renders with the model's own template, or text taken as it is. */
export type Prompt =
  | {
      readonly kind: 'chat';
      readonly messages: readonly Message[];
      /** Variables of the template beside the messages, such as its switch for thinking; the template's own values unless said. */
      readonly template?: Readonly<Record<string, boolean>>;
      /** Set where the next message is a turn of an agent: a draw is the whole message, as the engine's own chat endpoint reads it (`turnText`). */
      readonly turn?: TurnFields;
    }
  | { readonly kind: 'text'; readonly text: string };
