// What goes to an engine's own endpoint instead of being searched: tools, whatever is not text, an answer in a shape that the
// engine cannot be held to step by step, and what asks for no search. Reads bodies that nobody has checked yet.

import { usualSearch } from '../../answering/plan.ts';
import { shapeTrouble } from '../../answering/plan-check.ts';
import type { JsonSchema } from '../../engine/engine.ts';
import type { Plain } from '../../journal/journal.ts';
import { type ProgramName, programNames } from '../../program/registry/programs.ts';
import type { ServedModel } from '../models/served-model.ts';
import { forcedCall, shapeIn } from '../plan/answer-format.ts';
import { isBeyondSearch } from '../plan/input-items.ts';
import { needsPassthrough } from '../plan/messages.ts';
import type { GatewayContext } from './context.ts';
import { type PassedModel, passable, type UpstreamPath } from './passthrough.ts';
import { modelNamed } from './plan-for.ts';

/** Endpoints of which some requests are searched and others are not. */
export type SearchedPath = Exclude<UpstreamPath, '/completions' | '/embeddings'>;

interface Asked {
  /** No search can do it. */
  readonly isBeyond: boolean;
  /** Reads the shape that its answer is to have; throws where it is none. */
  readonly shape?: () => { readonly schema: JsonSchema } | undefined;
  readonly stop?: unknown;
}

/** The engine's own endpoint, where there is one, it is allowed, and the request needs it. */
export function upstreamFor(context: GatewayContext, path: SearchedPath, value: unknown): PassedModel | undefined {
  const body = record(value);
  const model = modelNamed(context, body.model);
  const asked = readers[path](body);
  if (model === undefined || !(asked.isBeyond || isBeyondShape(model, body, asked))) return undefined;
  return passable(model);
}

const readers: Readonly<Record<SearchedPath, (body: Plain) => Asked>> = {
  '/chat/completions': (body) => {
    const { tools, functions, messages, reasoning_effort: effort, stop } = body;
    const isOffered = isFull(functions) || (isFull(tools) && forcedCall(body) === undefined);
    const isBeyond = isOffered || some(messages, needsPassthrough) || effort === 'none';
    return { isBeyond, shape: () => shapeIn(body), stop };
  },
  '/messages': ({ tools, messages, output_config: output, stop_sequences: stop }) => ({
    isBeyond: isFull(tools) || some(messages, hasOtherBlocks),
    shape: () => shapeIn({ response_format: record(output).format }),
    stop,
  }),
  // An earlier response and work in the background are ours alone.
  '/responses': ({ tools, input, previous_response_id: previous, background, text }) =>
    typeof previous === 'string' || background === true
      ? { isBeyond: false }
      : {
          isBeyond: isFull(tools) || some(input, isBeyondSearch),
          shape: () => shapeIn({ response_format: record(text).format }),
        },
};

/** A format that is wrong is not beyond us: it is refused where bodies are read. */
function isBeyondShape(model: ServedModel, { coppice }: Plain, { shape, stop }: Asked): boolean {
  const schema = schemaOrNone(shape);
  if (schema === undefined) return false;
  const named = programNames.find((each) => each === record(coppice).program);
  const program: ProgramName = named ?? usualSearch(model).program;
  return isFull(stop) || typeof stop === 'string' || shapeTrouble(model, program, schema) !== undefined;
}

function schemaOrNone(shape: Asked['shape']): JsonSchema | undefined {
  try {
    return shape?.()?.schema;
  } catch {
    return undefined;
  }
}

const searchedBlocks: readonly unknown[] = ['text', 'thinking', 'redacted_thinking'];

function hasOtherBlocks(message: unknown): boolean {
  return some(record(message).content, (block) => !searchedBlocks.includes(record(block).type));
}

function some(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.some(test);
}

function isFull(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function record(value: unknown): Plain {
  return typeof value === 'object' && value !== null ? (value as Plain) : {};
}
