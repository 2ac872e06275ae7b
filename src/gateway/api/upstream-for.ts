// What goes to an engine's own endpoint instead of being searched: what its dialect says no search can do, and an answer in a shape that
// the engine cannot be held to step by step. Reads bodies that nothing has checked yet.

import { usualSearch } from '../../answering/plan.ts';
import { shapeTrouble } from '../../answering/plan-check.ts';
import type { JsonSchema } from '../../engine/engine.ts';
import type { Plain } from '../../journal/journal.ts';
import { programNames, programOf } from '../../program/registry/programs.ts';
import type { Beyond, InboundDialect } from '../dialects/dialect.ts';
import { isFull, record } from '../dialects/unchecked.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { GatewayContext } from './context.ts';
import { type PassedModel, passable } from './passthrough.ts';
import { modelNamed } from './plan-for.ts';

/** The engine's own endpoint, where there is one, it is allowed, and the request needs it. */
export function upstreamFor(context: GatewayContext, dialect: InboundDialect, value: unknown): PassedModel | undefined {
  const body = record(value);
  const model = modelNamed(context, body.model);
  const asked = dialect.beyond(body);
  if (model === undefined || !(asked.isBeyond || isBeyondShape(model, body, asked))) return undefined;
  return passable(model);
}

/** A format that is wrong is not beyond us: it is refused where bodies are read. */
function isBeyondShape(model: ServedModel, { coppice }: Plain, { shape, stop }: Beyond): boolean {
  const schema = schemaOrNone(shape);
  if (schema === undefined) return false;
  const named = programNames.find((each) => each === record(coppice).program);
  const program = programOf(named ?? usualSearch(model).program);
  return isFull(stop) || typeof stop === 'string' || shapeTrouble(model, program, schema) !== undefined;
}

function schemaOrNone(shape: Beyond['shape']): JsonSchema | undefined {
  try {
    return shape?.()?.schema;
  } catch {
    return undefined;
  }
}
