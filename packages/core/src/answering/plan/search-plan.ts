// The request for a search, and the plan of it. A plan is plain data: it is journalled, and the same plan makes
// the same search after a restart.

import type { ReadAnswer } from '../../answer/asked.ts';
import type { NamedOptions } from '../../config/named-options.ts';
import type { FormQuestion } from '../../config/plugin.ts';
import type { Effort, LimitsConfig, ModelConfig } from '../../config/schema.ts';
import type { InternalOptions, SearchKnob, SearchSettings, Speaker } from '../../config/vocabulary.ts';
import type { Engine, EngineCapabilities, JsonSchema } from '../../engine/engine.ts';
import type { ScoreAcceptance, ScoredBy } from '../../log/verdict.ts';
import type { PolicyOptions } from '../../policy/knobs.ts';
import type { PolicyName } from '../../policy/policies.ts';
import type { Choice } from '../../program/choice.ts';
import type { ProgramName } from '../../program/registry/programs.ts';
import type { AnswerShape, SearchFacts, Session } from '../../runtime/search/request.ts';
import type { Aggregation } from '../../tree/aggregate.ts';
import type { Prompt, Sampling } from '../../tree/step.ts';
import type { VerifierCapabilities } from '../../verifier/verifier.ts';

/** Every choice of one search: what the runtime reads of it (SearchFacts), and what program, rules and answer are made of. */
export interface SearchPlan extends SearchFacts {
  readonly model: string;
  /** The operator's name of the model's weights; unset while they are those of the start. */
  readonly weights?: string | undefined;
  /** `direct`: one generation without search, as `reasoning_effort: none` asks; and by default where nothing could choose between several. */
  readonly mode: 'search' | 'direct';
  readonly program: ProgramName;
  readonly programOptions: Readonly<Record<string, number | string>>;
  /** Texts of the program, as they were when the plan was made. */
  readonly prompts?: Readonly<Record<string, string>> | undefined;
  /** Models of a program that asks several: those that answer, and the one that puts answers together. */
  readonly panel?: readonly string[] | undefined;
  readonly synthesizer?: string | undefined;
  readonly policy: PolicyName;
  readonly policyOptions: PolicyOptions;
  readonly scoring: ScoredBy;
  readonly rollouts: number;
  readonly threshold: number;
  /** Whether a score at the threshold accepts; plans of older journals lack it, and mean `named`. */
  readonly accepts?: ScoreAcceptance | undefined;
  readonly tokenBudget: number;
  /** Least worth of a token while nobody waits, where the program is priced. */
  readonly price?: number | undefined;
  /** Most that the engines' tokens may cost; any sum where unset. */
  readonly moneyBudget?: number | undefined;
  readonly nodes: number;
  readonly deadlineMs: number;
  readonly repeatable: boolean;
  /** Sampling of all paths but a greedy one. */
  readonly sampling: Sampling;
  readonly aggregation: Aggregation;
  readonly branching: number;
  readonly choose: Choice;
  readonly maxDepth: number;
  /** Strings of the client that end the text it is told of a search; no step and no path ends at them. */
  readonly stops?: readonly string[] | undefined;
  /** Most tokens of one path, and so of the text that is given back: a path that reaches it is cut. */
  readonly maxTokens?: number | undefined;
  readonly answers?: number | undefined;
  /** Schema of a path's last step, and the words before it. */
  readonly shape?: PlannedShape | undefined;
  /** The client's reply where no answer was accepted; plans of older journals lack it, and mean `best`. */
  readonly onUnaccepted?: SearchSettings['onUnaccepted'] | undefined;
  readonly reasoning: SearchSettings['reasoning'];
  readonly title: string;
}

export interface PlannedShape extends Omit<AnswerShape, 'maxDepth'> {
  /** The answer is `{"name", "arguments"}`: the call of a function. */
  readonly isCall?: true | undefined;
}

export interface WishedShape {
  readonly schema: JsonSchema;
  /** Told to the model before it answers. */
  readonly about: unknown;
  readonly isCall?: true | undefined;
}

/** A request in the names of the vocabulary; the model or the server says what is missing. */
export type Wish = { readonly [Name in SearchKnob]?: SearchSettings[Name] | undefined } & NamedOptions & {
    /** `none` asks for a generation without search. */
    readonly effort?: Effort | 'none' | undefined;
    readonly answers?: number | undefined;
    /** Strings that end the text that is told; without search the generation itself. */
    readonly stop?: readonly string[] | undefined;
    /** Sampling fields that the vocabulary has no name for, as the client wrote them; the engine gets those that it takes. */
    readonly extras?: Readonly<Record<string, unknown>> | undefined;
    readonly logprobs?: boolean | undefined;
    readonly shape?: WishedShape | undefined;
    readonly tests?: string | undefined;
    /** Options of an experiment or of a policy from outside; they overrule the model's. No user's words get here. */
    readonly internal?: InternalOptions | undefined;
  };

/** Facts of an opened model that a plan needs. */
export interface PlannedModel {
  readonly config: ModelConfig;
  readonly weights?: string | undefined;
  readonly engine: Pick<Engine, 'shapeTrouble'> & {
    readonly capabilities: Partial<
      Pick<EngineCapabilities, 'contextTokens' | 'entropy' | 'pieces' | 'takes' | 'thinking' | 'turns' | 'wholes'>
    >;
  };
  readonly verifier?: { readonly capabilities: Pick<VerifierCapabilities, 'aggregation' | 'exact'> } | undefined;
  readonly embedder?: { readonly name: string } | undefined;
  readonly extract?: ReadAnswer | undefined;
  /** Set where it takes no conversation. */
  readonly form?: FormQuestion | undefined;
}

export interface PlanRequest {
  /** The conversation as it came, or a bare text; `title` is a line for people. */
  readonly question: { readonly prompt: Prompt; readonly title: string };
  readonly wish: Wish;
  /** In whose words a refusal names a setting. */
  readonly speaker: Speaker;
  readonly model: PlannedModel;
  /** The model that the configuration names for searches without an accepted answer. */
  readonly successor?: PlannedModel | undefined;
  readonly others?: ReadonlyMap<string, PlannedModel> | undefined;
  readonly limits: LimitsConfig;
  readonly maxPriority: number;
  readonly defaultDeadlineMs: number;
  /** Seed of a request that names none. */
  readonly seed: number;
  readonly idle?: boolean | undefined;
  readonly session?: Session | undefined;
}
