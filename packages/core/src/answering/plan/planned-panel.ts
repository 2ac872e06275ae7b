// Writers of a search: for a program that asks several models, those of its model's panel, each with the question in its own form; and
// the model itself where its tokens have a price. A panel that names what is not here is refused before anything is journalled.

import type { ProgramDefinition } from '../../program/definition.ts';
import type { Prompt } from '../../tree/step.ts';
import { refuseSetting } from './plan-check.ts';
import type { PlannedModel, PlanRequest, SearchPlan } from './search-plan.ts';

export function panelOf(
  { model, others }: PlanRequest,
  program: ProgramDefinition | undefined,
  promptFor: (member: PlannedModel) => Prompt,
): Pick<SearchPlan, 'panel' | 'synthesizer' | 'writers'> {
  const { name, price } = model.config;
  const { models: panel, synthesizer } = model.config.panel ?? {};
  const own = { [name]: { price } };
  // Without a panel such a program asks its own model alone.
  if (!program?.asksModels || panel === undefined) {
    return { ...(price && { writers: own }), ...(program?.asksModels && synthesizer !== undefined && { synthesizer }) };
  }
  const named = new Set(synthesizer === undefined ? panel : [...panel, synthesizer]);
  named.delete(name);
  const writers = Array.from(named, (each) => {
    const member = memberOf(others, each, name);
    return [each, { prompt: promptFor(member), price: member.config.price }] as const;
  });
  return { panel, synthesizer, writers: { ...own, ...Object.fromEntries(writers) } };
}

function memberOf(others: PlanRequest['others'], member: string, name: string): PlannedModel {
  const found = others?.get(member);
  if (found !== undefined) return found;
  const known = [...(others?.keys() ?? [])].join(', ');
  const what = `asks the panel of model '${name}', which names '${member}': there is no such model`;
  return refuseSetting('unsupported', 'program', known === '' ? what : `${what}; there are ${known}`);
}
