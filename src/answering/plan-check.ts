// The one check of a search, before anything is journalled: values within their bounds and limits, a program that the model
// can run, options that it has, rules that go with program and aggregation, and a successor that could take over. A refusal names the
// setting as the caller wrote it: a fault like any other for commands; the gateway makes a 400 of it that names the field.

import { FaultError, fault } from '../base/fault.ts';
import { complaint } from '../base/knob.ts';
import { removalOf } from '../config/removed-settings.ts';
import {
  knobOf,
  programSettingKnobs,
  type SearchKnob,
  type Speaker,
  searchKnobNames,
  writtenName,
} from '../config/vocabulary.ts';
import type { JsonSchema } from '../engine/engine.ts';
import { checkRules } from '../policy/check.ts';
import { optionsOf } from '../policy/create.ts';
import type { PolicyOptions } from '../policy/knobs.ts';
import { type PolicyName, policyOf } from '../policy/policies.ts';
import { type ProgramName, programOf, programs, programWith } from '../program/registry/programs.ts';
import type { PlannedModel, PlanRequest, SearchPlan, Wish } from './search-plan.ts';
import { rulesOf } from './search-request.ts';

/** `invalid`: the value is out of bounds. `unsupported`: it asks for something that this search cannot do. */
export type RefusalKind = 'invalid' | 'unsupported';
export type RefusedSetting = SearchKnob | 'effort' | 'question';

export class Refusal extends FaultError {
  readonly kind: RefusalKind;
  /** As the caller wrote it, without quotes. */
  readonly setting: string;

  constructor(kind: RefusalKind, setting: string, message: string) {
    super(fault('bad-setting', message));
    this.kind = kind;
    this.setting = setting;
  }
}

/** `what` goes on from the name: "is 3; it must be …". */
export function refuseSetting(kind: RefusalKind, name: RefusedSetting, speaker: Speaker, what: string): never {
  const setting = name === 'question' ? questionName(speaker) : writtenName(name, speaker);
  throw new Refusal(kind, setting, `${speaker === 'body' ? `'${setting}'` : setting} ${what}`);
}

function questionName(speaker: Speaker): string {
  return speaker === 'body' ? 'messages' : 'the question';
}

export function checkWish(wish: Wish, speaker: Speaker): void {
  for (const name of Object.keys(wish)) {
    const removed = removalOf(name, name);
    if (removed !== undefined) throw new Refusal('unsupported', name, removed);
  }
  for (const name of searchKnobNames) {
    if (wish[name] === undefined) continue;
    const wrong = complaint(knobOf(name), wish[name]);
    if (wrong !== undefined) refuseSetting('invalid', name, speaker, wrong);
  }
}

/** What was asked for where it is no more than allowed, undefined where nothing was. */
export function atMost(
  { wish, speaker }: PlanRequest,
  name: 'rollouts' | 'tokenBudget' | 'deadlineMs' | 'priority',
  limit: number,
  setting: string,
): number | undefined {
  const asked = wish[name];
  if (asked === undefined || asked <= limit) return asked;
  return refuseSetting('invalid', name, speaker, `is ${asked}; at most ${limit} is allowed (${setting})`);
}

/** A client has at most what the operator gave the model's searches: what is idle belongs to everybody. */
function checkSpeculation({ wish, speaker, model: { config } }: PlanRequest): void {
  const most = config.speculate ?? policyOf(config.policy).settings.speculate;
  if (speaker !== 'body' || wish.speculate === undefined || wish.speculate <= most) return;
  const what = `is ${wish.speculate}; at most ${most} is allowed (speculate of model '${config.name}')`;
  refuseSetting('invalid', 'speculate', speaker, what);
}

/** The program that was asked for, or the model's own; without a verifier only one that needs none. */
export function chooseProgram({ wish, speaker, model }: Pick<PlanRequest, 'wish' | 'speaker' | 'model'>): ProgramName {
  const { config, verifier } = model;
  const program = wish.program ?? config.program;
  if (verifier !== undefined || !programOf(program).needsVerifier) return program;
  if (wish.program === undefined) return 'self-consistency';
  const what = `is '${program}', which needs a verifier; model '${config.name}' has none`;
  return refuseSetting('unsupported', 'program', speaker, what);
}

export function checkPlan(plan: SearchPlan, request: PlanRequest): void {
  requireLogprobs(plan, request.model);
  requireShape(plan, request);
  if (plan.mode === 'direct') return;
  const { wish, speaker } = request;
  const program = programOf(plan.program);
  for (const name of Object.keys(programSettingKnobs) as SearchKnob[]) {
    if (wish[name] === undefined || Object.hasOwn(program.options, name)) continue;
    const owners = programs.filter(({ options }) => Object.hasOwn(options, name)).map((each) => each.name);
    refuseSetting('unsupported', name, speaker, `belongs to ${owners.join(', ')}; the program is '${plan.program}'`);
  }
  checkSpeculation(request);
  if (!program.takesTemperature && (wish.temperature ?? 0) > 0) {
    refuseSetting('unsupported', 'temperature', speaker, `is above 0; the program '${plan.program}' has none`);
  }
  if (wish.groupSimilarity !== undefined && plan.groupSimilarity === undefined) {
    const what = `is ${wish.groupSimilarity}; model '${plan.model}' has no embedder, which would say what answers mean`;
    refuseSetting('unsupported', 'groupSimilarity', speaker, what);
  }
  if (program.readsEntropy?.(plan.programOptions) && !request.model.engine.capabilities.entropy) {
    refuseSetting('unsupported', 'probe', speaker, `is 'entropy'; the engine of model '${plan.model}' tells none`);
  }
  if ((plan.answers ?? 1) > 1 && plan.policyOptions.certain !== 'off') {
    const what = `is '${plan.policyOptions.certain}', which ends a search once one answer is certain; ${plan.answers} different ones are wanted (n)`;
    refuseSetting('unsupported', 'certain', speaker, what);
  }
  checkRulesOf(plan, request);
}

function requireLogprobs({ logprobs, model }: SearchPlan, { engine }: PlannedModel): void {
  if (logprobs === undefined || engine.capabilities.pieces) return;
  throw new Refusal(
    'unsupported',
    'logprobs',
    `'logprobs' cannot be honoured: the engine of model '${model}' tells no log probabilities of tokens`,
  );
}

/** Why an answer of this schema cannot be searched for; undefined where it can. */
export function shapeTrouble(
  { engine, form, config }: PlannedModel,
  program: ProgramName,
  schema: JsonSchema,
): string | undefined {
  if (form !== undefined) return `model '${config.name}' knows only the words of its own task`;
  // Their answers are put together in words of their own, not step by step.
  if (programOf(program).prompts !== undefined) return `the program '${program}' has no last step to hold to a shape`;
  if (engine.shapeTrouble === undefined) return `the engine of model '${config.name}' holds no step to a schema`;
  return engine.shapeTrouble(schema);
}

/** As a chat calls it: only bodies ask for one. */
function requireShape(plan: SearchPlan, { model, speaker, wish }: PlanRequest): void {
  if (plan.shape === undefined) return;
  const field = plan.shape.isCall ? 'tools' : 'response_format';
  const refuse = (why: string) => {
    throw new Refusal('unsupported', field, `'${field}' cannot be honoured: ${why}`);
  };
  const trouble = shapeTrouble(model, plan.program, plan.shape.schema);
  if (trouble !== undefined) refuse(trouble);
  if (wish.stop?.length) refuse("'stop' would cut it");
  if (plan.mode === 'search' && plan.reasoning === 'inline')
    refuseSetting('unsupported', 'reasoning', speaker, "is 'inline': an answer in a shape stands alone");
}

/** Every knob of the policy, refused in the speaker's words where two contradict each other. */
export function optionsFor(
  policy: PolicyName,
  settings: Partial<PolicyOptions>,
  { speaker }: Pick<PlanRequest, 'speaker'>,
): PolicyOptions {
  try {
    return optionsOf(policy, settings);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return refuseSetting('unsupported', 'policy', speaker, `is '${policy}': ${error.fault.message}`);
  }
}

function checkRulesOf(plan: SearchPlan, { wish, speaker }: PlanRequest): void {
  try {
    const program = programWith(plan.program, plan.programOptions);
    checkRules(rulesOf(plan), program, plan.aggregation);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const asked = (['policy', 'boundPrune', 'program'] as const).find((name) => wish[name] !== undefined);
    const isCertain = error.fault.message.includes(`rule '${plan.policyOptions.certain}'`);
    const name = isCertain && wish.certain !== undefined ? 'certain' : (asked ?? 'policy');
    refuseSetting('unsupported', name, speaker, `is '${wish[name] ?? plan.policy}': ${error.fault.message}`);
  }
}

/** What has no meaning for a generation without search. */
export function checkDirect({ wish, speaker }: PlanRequest): void {
  const meant: readonly SearchKnob[] = ['deadlineMs', 'priority', 'reasoning'];
  for (const name of searchKnobNames) {
    if (wish[name] === undefined || knobOf(name).client !== 'coppice' || meant.includes(name)) continue;
    refuseSetting('unsupported', name, speaker, "has no meaning with reasoning_effort 'none'");
  }
}

/** A search that may have to escalate is taken only if the model that takes over could take it as well. */
export function checkEscalation({ model, successor, speaker }: PlanRequest, planAnew: () => SearchPlan): void {
  const refuse = (why: string) => refuseSetting('unsupported', 'onFutile', speaker, `is 'escalate' and ${why}`);
  if (successor === undefined) return refuse(`model '${model.config.name}' has no escalateTo`);
  const { name } = successor.config;
  if (successor.verifier === undefined) {
    return refuse(
      `model '${name}', which would take over, has no verifier: it could not tell a better answer from a worse one`,
    );
  }
  try {
    planAnew();
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    refuse(`model '${name}' could not take over: ${error.fault.message}`);
  }
}
