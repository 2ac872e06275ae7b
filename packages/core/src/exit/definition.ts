// The definition of an exit rule or a prune rule: a name, with options of its own. exits.ts and prune/prune-bound.ts list ours; a stranger's
// stand in a policy of their own (policy/definition.ts).

import type { Knobs } from '../base/knob.ts';
import { definedPart, type NamedPart, type NoOptions, type PartInput, type PlugIn } from '../base/part.ts';
import type { ExitRule, PruneRule } from './exit.ts';

export type ExitPart = PlugIn<ExitRule>;
export type PrunePart = PlugIn<PruneRule>;

export function defineExit<const Name extends string, const Options extends Knobs = NoOptions>(
  part: PartInput<ExitRule, Name, Options>,
): NamedPart<ExitRule, Name, Options> {
  return definedPart(part);
}

export function definePrune<const Name extends string, const Options extends Knobs = NoOptions>(
  part: PartInput<PruneRule, Name, Options>,
): NamedPart<PruneRule, Name, Options> {
  return definedPart(part);
}
