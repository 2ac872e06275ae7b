// The one check of a search, before anything is journalled. First what was asked: values within their bounds. Then the plan: an engine that can
// do it, a program that the model can run, options that it has, rules that go with program and aggregation, a successor that could take over.

import { FaultError } from '../../base/fault.ts';
import { complaint, type Knob } from '../../base/knob.ts';
import { namedParts } from '../../config/named-options.ts';
import { knobOf, type SearchKnob, type Speaker, searchKnobNames } from '../../config/vocabulary.ts';
import type { JsonSchema } from '../../engine/engine.ts';
import { policyOf } from '../../policy/policies.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import { agentTurn } from '../../tree/readings/agent-turn.ts';
import { nameSetting, refuseSetting } from './refusal.ts';
import type { PlannedModel, PlanRequest, SearchPlan, Wish } from './search-plan.ts';

/** Checks what was asked, of whatever model. */
export function checkWish(wish: Wish, speaker: Speaker): void {
  nameSetting(speaker, () => checkValues(wish));
}

/** The same, and that a generation without search is asked for nothing that only a search has. */
export function checkAsked(wish: Wish): void {
  checkValues(wish);
  if (wish.effort === 'none') checkDirect(wish);
}

function checkValues(wish: Wish): void {
  const check = (name: string, knob: Knob, value: unknown) => {
    const wrong = value === undefined ? undefined : complaint(knob, value);
    if (wrong !== undefined) refuseSetting('invalid', name, wrong);
  };
  for (const name of searchKnobNames) check(name, knobOf(name), wish[name]);
  for (const [part, given] of Object.entries(wish)) {
    const own = typeof given === 'object' ? namedParts().get(part) : undefined;
    if (own === undefined) continue;
    for (const [option, value] of Object.entries(given as object)) {
      const path = `${part}.${option}`;
      if (!Object.hasOwn(own, option)) refuseSetting('invalid', path, `is no option of ${part}`);
      check(path, own[option]!, value);
    }
  }
}

/** Refuses settings that have no meaning for a generation without search. */
function checkDirect(wish: Wish): void {
  const meant: readonly SearchKnob[] = ['deadlineMs', 'priority', 'reasoning', 'thinking', 'maxThinkingTokens'];
  for (const name of searchKnobNames) {
    if (wish[name] === undefined || knobOf(name).client !== 'coppice' || meant.includes(name)) continue;
    refuseSetting('unsupported', name, "has no meaning with reasoning_effort 'none'");
  }
  const part = [...namedParts().keys()].find((each) => Object.hasOwn(wish, each));
  if (part !== undefined) refuseSetting('unsupported', part, "has no meaning with reasoning_effort 'none'");
}

/** Checks whether all of it goes together. Without search there is no program; `trouble` is that of the policy. */
export function checkPlan(
  plan: SearchPlan,
  request: PlanRequest,
  program: ProgramDefinition | undefined,
  trouble: string | undefined,
): void {
  checkTests(request);
  checkEngine(plan, program, request);
  checkMoney(plan, request.model);
  if (program !== undefined) checkSearch(plan, program, request);
  if (trouble !== undefined) refuseRules(plan, request.wish, trouble);
}

/** Code of clients runs on this machine only where the operator has said so; a caller in this process is the operator. */
function checkTests({ wish, model, speaker }: PlanRequest): void {
  const { verifier, name } = model.config;
  const isAllowed = speaker !== 'body' || (verifier.kind === 'command' && verifier.clientTests);
  if (wish.tests === undefined || isAllowed) return;
  const why = `is not taken by '${name}': its operator has not switched tests of clients on (verifier.clientTests)`;
  refuseSetting('unsupported', 'tests', why);
}

/** Checks that the engine can do it, for a search by `program` or for one generation without. */
function checkEngine(
  plan: SearchPlan,
  program: ProgramDefinition | undefined,
  { wish, model, others }: PlanRequest,
): void {
  const { shape, mode, reasoning } = plan;
  if (agentTurn(plan.prompt)) checkTurn(plan, model);
  requireLogprobs(plan, model);
  for (const name of plan.panel ?? []) requireLogprobs({ ...plan, model: name }, others?.get(name) ?? model);
  if (shape === undefined) return;
  const trouble = shapeTrouble(model, program, shape.schema) ?? (wish.stop?.length ? "'stop' would cut it" : undefined);
  if (trouble !== undefined)
    refuseSetting('unsupported', shape.isCall ? 'tools' : 'response_format', `cannot be honoured: ${trouble}`);
  if (mode === 'search' && reasoning === 'inline')
    refuseSetting('unsupported', 'reasoning', "is 'inline': an answer in a shape stands alone");
}

function checkTurn({ recordTokens }: SearchPlan, { engine, config }: PlannedModel): void {
  const why = `the engine of model '${config.name}' calls no tools: it needs a server with a parser of tool calls`;
  if (!engine.capabilities.turns) refuseSetting('unsupported', 'tools', `cannot be honoured: ${why}`);
  if (recordTokens) refuseSetting('unsupported', 'recordTokens', "cannot be 'on' beside tools: a turn is drawn whole");
}

/** Without a price, spending cannot be measured. */
function checkMoney({ moneyBudget, writers }: SearchPlan, { config }: PlannedModel): void {
  if (moneyBudget === undefined) return;
  const known = Object.entries(writers ?? { [config.name]: {} });
  const unpriced = known.filter(([, { price }]) => price === undefined).map(([name]) => `'${name}'`);
  if (unpriced.length === 0) return;
  const what = `is ${moneyBudget}; no price is configured for ${unpriced.join(', ')} (models[].price)`;
  refuseSetting('unsupported', 'moneyBudget', what);
}

function requireLogprobs({ logprobs, model }: SearchPlan, { engine }: PlannedModel): void {
  if (logprobs === undefined || engine.capabilities.pieces) return;
  const why = `the engine of model '${model}' tells no log probabilities of tokens`;
  refuseSetting('unsupported', 'logprobs', `cannot be honoured: ${why}`);
}

export function shapeTrouble(
  { engine, form, config }: PlannedModel,
  program: ProgramDefinition | undefined,
  schema: JsonSchema,
): string | undefined {
  if (form !== undefined) return `model '${config.name}' knows only the words of its own task`;
  // Their answers are put together in words of their own, not step by step.
  if (program?.prompts !== undefined) return `the program '${program.name}' has no last step to hold to a shape`;
  if (engine.shapeTrouble === undefined) return `the engine of model '${config.name}' holds no step to a schema`;
  return engine.shapeTrouble(schema);
}

/** A client has at most what the operator gave the model's searches: idle strands belong to all searches. */
function checkSpeculation(wish: Wish, speaker: Speaker, { config }: PlannedModel): void {
  const most = config.speculate ?? policyOf(config.policy).settings.speculate;
  if (speaker !== 'body' || wish.speculate === undefined || wish.speculate <= most) return;
  const what = `is ${wish.speculate}; at most ${most} is allowed (speculate of model '${config.name}')`;
  refuseSetting('invalid', 'speculate', what);
}

function checkNamed({ program }: SearchPlan, wish: Wish): void {
  const told = wish as Readonly<Record<string, unknown>>;
  const other = [...namedParts().keys()].find((part) => told[part] !== undefined && part !== program);
  if (other !== undefined)
    refuseSetting('unsupported', other, `has options of '${other}'; the program is '${program}'`);
}

/** Checks what only a search can be wrong in; its rules are checked when they are made. */
function checkSearch(plan: SearchPlan, program: ProgramDefinition, { wish, speaker, model }: PlanRequest): void {
  checkNamed(plan, wish);
  checkSpeculation(wish, speaker, model);
  if (!program.takesTemperature && (wish.temperature ?? 0) > 0) {
    refuseSetting('unsupported', 'temperature', `is above 0; the program '${plan.program}' has none`);
  }
  if (program.readsEntropy?.(plan.programOptions) && !model.engine.capabilities.entropy) {
    refuseSetting('unsupported', 'chain.probe', `is 'entropy'; the engine of model '${plan.model}' tells none`);
  }
}

/** A rule that does not go with the program or the aggregation, by the setting that asked for it. */
function refuseRules({ policy }: SearchPlan, wish: Wish, why: string): never {
  const name = (['policy', 'boundPrune', 'program'] as const).find((each) => wish[each] !== undefined) ?? 'policy';
  return refuseSetting('unsupported', name, `is '${wish[name] ?? policy}': ${why}`);
}

/** A search that may have to escalate is taken only if the model that takes over could take it as well. */
export function checkEscalation({ model, successor }: PlanRequest, planAnew: () => SearchPlan): void {
  const refuse = (why: string) => refuseSetting('unsupported', 'onUnaccepted', `is 'escalate' and ${why}`);
  if (successor === undefined) return refuse(`model '${model.config.name}' has no escalateTo`);
  const { name } = successor.config;
  try {
    planAnew();
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    refuse(`model '${name}' could not take over: ${error.fault.message}`);
  }
}
