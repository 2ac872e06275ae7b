// Answers one question in one call: a plan is made and checked as in the gateway and the commands, runs to its end, and what it found is given as
// plain data beside the tree. Never journals anything.

import { ownLimits } from '../answering/models/own-plan.ts';
import { makePlan } from '../answering/plan/plan.ts';
import { ownSettings, policyFor } from '../answering/plan/planned-policy.ts';
import { nameSetting } from '../answering/plan/refusal.ts';
import type { SearchPlan, Wish } from '../answering/plan/search-plan.ts';
import { type BuiltSearch, buildSearch, type OwnPolicy, requestOf } from '../answering/plan/search-request.ts';
import { askedQuestion } from '../answering/question.ts';
import { type Fault, raise } from '../base/fault.ts';
import { checkPartOptions, type PartOptions } from '../base/part.ts';
import { type NamedOptions, namedParts } from '../config/named-options.ts';
import { type Effort, efforts } from '../config/schema.ts';
import { type SearchSettings, searchKnobNames, withInternal } from '../config/vocabulary.ts';
import type { ExitRule, PruneRule } from '../exit/exit.ts';
import type { Answer, Cost, Exit } from '../log/end.ts';
import { type Verdict, verdictOf } from '../log/verdict.ts';
import { checkRules } from '../policy/check.ts';
import type { PolicyDefinition } from '../policy/definition.ts';
import type { PolicyName } from '../policy/policies.ts';
import type { ProgramDefinition } from '../program/definition.ts';
import { type ProgramName, programs } from '../program/registry/programs.ts';
import { lastMessage } from '../tree/node.ts';
import { agentTurn } from '../tree/readings/agent-turn.ts';
import type { Prompt } from '../tree/step.ts';
import type { Tree } from '../tree/tree.ts';
import { openNamed, ownPolicy } from './open-search-model.ts';
import type { EventListener, ModelRun, SearchModel } from './search-model.ts';
import { type SpeculativeListener, speculativeCalls, withoutHints } from './speculative-calls.ts';

type Settings = Partial<Omit<SearchSettings, 'program' | 'policy' | 'onUnaccepted' | 'reasoning'>>;

export interface SearchOptions extends Settings, NamedOptions {
  /** Price and most samples, as `reasoning_effort` of a request. */
  readonly effort?: Effort;
  /** Tests that judge each answer, of a verifier that runs tests (`CommandVerifier`). */
  readonly tests?: string;
  /** Opened by the caller, who closes it; else a shipped model or a GGUF file, opened and closed here. */
  readonly model?: SearchModel | string;
  readonly program?: ProgramName | ProgramDefinition;
  /** Options of a program of one's own. */
  readonly programOptions?: PartOptions;
  /** A name or a definition of one's own (`definePolicy`), whose widths and order act only if it is also the model's policy. */
  readonly policy?: PolicyName | PolicyDefinition;
  /** Options of the parts that a policy of one's own brings. */
  readonly policyOptions?: PartOptions;
  /** Rules of one's own, read before those of the policy. */
  readonly exits?: readonly ExitRule[];
  readonly prunes?: readonly PruneRule[];
  readonly onEvent?: EventListener;
  /**
   * Told while turns of an agent still vote: a call that leads so far, of a tool whose `annotations` say `readOnlyHint: true`. Whether it is
   * tried ahead is the caller's choice, as another turn may win.
   */
  readonly onSpeculativeCall?: SpeculativeListener;
  /** Ends the search with the best so far. */
  readonly signal?: AbortSignal;
}

export interface FoundAnswer {
  /** `accepted` by a checker or a named threshold; else by `confidence`. */
  readonly verdict: Verdict;
  /** The chosen path's answer; undefined where it gives none. */
  readonly answer: string | undefined;
  readonly steps: readonly string[];
  readonly score: number | undefined;
  /** How likely the answer is right, by the votes and its score; undefined where answers cannot be compared. */
  readonly confidence: number | undefined;
  /** False where no path was completed and `steps` is the best beginning of one. */
  readonly complete: boolean;
  readonly exit: Exit;
  readonly cost: Cost;
  readonly rollouts: number;
  readonly searchMs: number;
  readonly program: string;
  readonly policy: string;
  readonly seed: number;
  /**
   * Exit `failed`: why engine or verifier could not go on, or which part threw. Else what threw, since the model was
   * opened, in a part that all its searches share: a width rule or an order has been replaced then, and the answer stands.
   */
  readonly fault: Fault | undefined;
  readonly tree: Tree;
}

const besideSettings = [
  'model',
  'programOptions',
  'policyOptions',
  'exits',
  'prunes',
  'onEvent',
  'onSpeculativeCall',
  'signal',
];
const notHere: ReadonlySet<string> = new Set(['onUnaccepted', 'reasoning']);
/** Keys that JavaScript, and a value of a wider type, may misspell without a word of the compiler. */
const known: ReadonlySet<string> = new Set([
  'tests',
  'effort',
  ...besideSettings,
  ...searchKnobNames.filter((name) => !notHere.has(name)),
]);

function refuseUnknown({ effort, ...options }: Pick<SearchOptions, 'effort'>): void {
  if (effort !== undefined && !efforts.includes(effort))
    raise('bad-setting', `effort is '${effort}'; one of ${efforts.join(', ')}`);
  const unknown = Object.keys(options).find((name) => !known.has(name) && !namedParts().has(name));
  if (unknown === undefined) return;
  raise('bad-setting', `search has no option '${unknown}'; docs/library.md#options says which there are`);
}

/** Seed of a search that names none: the same question gives the same tree where the engine keeps to its seeds. */
const defaultSeed = 1;

export async function search(question: string | Prompt, options: SearchOptions = {}): Promise<FoundAnswer> {
  refuseUnknown(options);
  const { model = 'sapling', policy, policyOptions } = options;
  if (typeof model !== 'string') return searchOn(model, question, options);
  // A policy's name is a setting of the search, and is checked with the others.
  const own = typeof policy === 'object' && { policy, ...(policyOptions && { policyOptions }) };
  const opened = await openNamed(model, own || {});
  try {
    return await searchOn(opened, question, options);
  } finally {
    await opened.close();
  }
}

async function searchOn(model: SearchModel, question: string | Prompt, options: SearchOptions): Promise<FoundAnswer> {
  const policy = ownPolicyFor(model, options);
  const asked = typeof question === 'string' ? question : withoutHints(question);
  const built = withRules(build(model, asked, options, policy), options);
  const request = requestOf(built, model.nextId(), model.extract);
  const run = await model.run(request, listenerOf(question, options), options.signal);
  return found(built, policy?.definition.name ?? built.plan.policy, run);
}

function listenerOf(question: string | Prompt, { onEvent, onSpeculativeCall }: SearchOptions) {
  if (onSpeculativeCall === undefined) return onEvent;
  if (typeof question === 'string' || agentTurn(question) === undefined)
    raise('bad-setting', 'onSpeculativeCall needs a question that is a prompt with a turn of an agent');
  const speculate = speculativeCalls(question, onSpeculativeCall);
  const both: EventListener = (event, tree) => Promise.all([speculate(event, tree), onEvent?.(event, tree)]);
  return both;
}

function withRules(built: BuiltSearch, { exits = [], prunes = [] }: SearchOptions): BuiltSearch {
  const own = { exits: [...exits, ...built.rules.exits], prunes: [...prunes, ...built.rules.prunes] };
  const rules = { ...built.rules, ...own };
  checkRules(rules, built.program, built.plan.aggregation);
  return { ...built, rules };
}

/** A policy that is not in the list: the search's own, else the model's where the search names none. */
function ownPolicyFor(model: SearchModel, { policy, policyOptions }: SearchOptions): OwnPolicy | undefined {
  if (policy !== undefined || model.policy === undefined) return ownPolicy(policy, policyOptions);
  return { ...model.policy, options: { ...model.policy.options, ...policyOptions } };
}

function build(
  model: SearchModel,
  question: string | Prompt,
  options: SearchOptions,
  policy: OwnPolicy | undefined,
): BuiltSearch {
  const { program, programOptions = {} } = options;
  const { config } = model.parts;
  const asked = settingsOf(options);
  // A plan names policies of the list alone: of others it has the settings, and their own parts come in where it is built.
  const named = typeof options.policy === 'string' && { policy: options.policy };
  const own = policy && {
    ...withInternal(ownSettings(policy.definition, config)),
    policy: 'vanilla' as const,
  };
  const settings: Wish = { ...named, ...own, ...asked };
  if (typeof program !== 'object') {
    const [stray] = Object.keys(programOptions);
    if (stray !== undefined)
      raise(
        'bad-setting',
        `programOptions.${stray} needs a program of your own; options of ours are options of search`,
      );
    return buildSearch(planOf(model, question, { ...settings, program }), undefined, policy);
  }
  // Planned as the plainest program with the same needs: what that one cannot take, no own program is told either.
  if (programs().some((ours) => ours.name === program.name && ours !== program))
    raise('bad-setting', `coppice has a program '${program.name}': give yours another name`);
  checkPartOptions(`program '${program.name}'`, [program], programOptions, 'programOptions');
  const plain = program.needsVerifier ? 'best-of-n' : 'self-consistency';
  const planned = planOf(model, question, { ...settings, policy: 'vanilla', program: plain });
  const { choose } = planned;
  const { trouble, ...rules } = nameSetting('code', () => policyFor(settings, model.parts, { program, choose }));
  if (trouble !== undefined) raise('bad-setting', trouble);
  return buildSearch({ ...planned, ...rules, programOptions }, program, policy);
}

/** Without what is no setting of a plan, and what the plan names in its own way. */
function settingsOf(options: SearchOptions): Wish {
  const others = new Set([...besideSettings, 'program', 'policy']);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !others.has(name)));
}

function planOf(model: SearchModel, question: string | Prompt, wish: Wish): SearchPlan {
  const seed = wish.seed ?? defaultSeed;
  return makePlan({
    question: typeof question === 'string' ? askedQuestion(question) : { prompt: question, title: '' },
    wish: { ...wish, seed },
    speaker: 'code',
    model: model.parts,
    others: model.panel,
    limits: ownLimits,
    maxPriority: 100,
    defaultDeadlineMs: ownLimits.deadlineMs,
    seed,
  });
}

function found({ plan, program }: BuiltSearch, policy: string, { result, tree, fault }: ModelRun): FoundAnswer {
  const { answer, exit, cost, rollouts, arrivalMs, endedMs } = result;
  const { seed, scoring, threshold, accepts } = plan;
  const verdict = verdictOf({ answer, scoring, threshold, accepts });
  const facts = { exit, cost, rollouts, searchMs: endedMs - arrivalMs, program: program.name, policy, seed, tree };
  return { verdict, ...chosen(answer, tree), ...facts, fault };
}

type Chosen = Pick<FoundAnswer, 'answer' | 'steps' | 'score' | 'confidence' | 'complete'>;

function chosen(answer: Answer | undefined, tree: Tree): Chosen {
  if (answer === undefined)
    return { answer: undefined, steps: [], score: undefined, confidence: undefined, complete: false };
  const { score, confidence, complete } = answer;
  const steps = lastMessage(tree.node(answer.node)).flatMap(({ step }) => (step === undefined ? [] : [step.text]));
  return { answer: answer.answer, steps, score, confidence, complete };
}
