// The schema of one served model: the engine that generates, the verifier that scores, the budget they share, and how a search of it
// runs unless its request says otherwise. No secret stands here: keys of remote servers come from named variables.

import { z } from 'zod';
import type { NumberKnob } from '../base/knob.ts';
import { panel } from '../program/whole-answers/panel.ts';
import { checkNames } from '../verifier/checked-verifier.ts';
import { fieldOf, fieldsOf, schemaOf, whole } from './knob.ts';
import { type NamedOptions, namedParts } from './named-options.ts';
import { keyVariable, oneKindOf, type Sections } from './sections.ts';
import { modelKnobs, policySettingKnobs, samplingKnobs } from './vocabulary.ts';

export const budgetKnob = {
  default: 32,
  low: 1,
  high: 100_000,
  whole: true,
  unit: 'strands',
  why: 'M: open at a time over all searches, on each replica where replicas are listed; near the knee of the engine, see `coppice doctor`; where unset 128 on model servers, 32 in this process',
} as const satisfies NumberKnob;

interface Budgeted {
  readonly budget?: number | undefined;
  readonly engine: { readonly kind: string };
}

/** P0's M. A server runs as many sequences in a step little longer than that of a few. */
const strandsOfServer = 128;

export function budgetOf({ budget, engine }: Budgeted): number {
  return budget ?? (engine.kind === 'openai' ? strandsOfServer : budgetKnob.default);
}

/** Checks of a step before the verifier is asked. */
export const checkKnob = {
  default: 'none',
  values: checkNames,
  unit: 'what',
  why: "arithmetic: a step with a false equation scores 0. lines: the task's own checker as well, whose true lines score 1",
} as const;

const trustKnob = {
  low: 0,
  high: 1,
  unit: 'power of odds',
  why: "weight of the verifier's scores in a vote; at 0 it reads nothing; where unset, by how far they have agreed with votes so far",
} as const;

const url = z.url({ protocol: /^https?$/ });

const sampling = z
  .strictObject(fieldsOf(samplingKnobs))
  .prefault({})
  .meta({ description: 'of requests that do not say' });

const embedder = z
  .strictObject({
    url: url.meta({ description: 'base URL of a server with /v1/embeddings, such as http://127.0.0.1:8081/v1' }),
    model: z.string().min(1).optional().meta({ description: 'as the server calls it; its only model where unset' }),
    apiKeyEnv: keyVariable,
  })
  .meta({ description: "an embedding model: answers in the model's own words are grouped by what they mean" });

const priceOf = (why: string) => schemaOf({ low: 0, high: 1e6, unit: 'money for a million tokens', why });

const price = z
  .strictObject({
    prompt: priceOf('what it reads: prompts and paths'),
    cached: priceOf('what it reads from a cache; as prompt where unset').optional(),
    generated: priceOf('what it writes'),
  })
  .meta({ description: 'of its engine, in any one currency: what moneyBudget counts by, and answers say' });

/** Options of the program `panel`. */
const panelOptions = z
  .strictObject({
    models: z.array(z.string()).min(1).max(16).optional().meta({
      description: 'models that searches of this one may ask, by name, itself included where it is to answer too',
    }),
    synthesizer: z.string().optional().meta({
      description: 'model of the panel that puts attempts together where they disagree; where unset the vote decides',
    }),
    answerTokens: schemaOf(panel.options.answerTokens).optional(),
  })
  .meta({ description: 'several models answer one question' });

const fields = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'is no name of a model: up to 128 letters, digits and . _ : / -')
    .meta({ description: 'what clients ask for' }),
  embedder: embedder.optional(),
  budget: schemaOf(budgetKnob).optional(),
  check: fieldOf(checkKnob),
  trust: schemaOf(trustKnob).optional(),
  delimiters: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(4)
    .default(['\n\n'])
    .meta({ description: 'strings that end a step; four is the most that every server takes' }),
  thinkingTags: z
    .array(z.string().min(1).max(64))
    .length(2)
    .default(['<think>', '</think>'])
    .meta({ description: 'what begins and what ends the thinking of a reasoning model in its own text' }),
  stepPrompt: z.string().max(20_000).optional().meta({
    description:
      'added behind the system message of every search; where unset, prompts/answer.txt where a question asks for a short answer; an empty text adds nothing',
  }),
  prompts: z.string().min(1).optional().meta({
    description:
      'folder with prompts of your own in the place of those that programs and the judge ship with (probe.txt, value.txt and so on)',
  }),
  sampling,
  requestMs: whole(
    120_000,
    100,
    3_600_000,
    'ms',
    'one call of engine or verifier, or without a token of a stream, before it counts as failed; work that waits for a server is not counted',
  ),
  escalateTo: z
    .string()
    .optional()
    .meta({ description: 'model that takes over a futile search when its request says so' }),
  panel: panelOptions.optional(),
  price: price.optional(),
  tools: z.enum(['pass', 'vote', 'forbid']).default('pass').meta({
    description:
      'what becomes of requests with tools whose calls are not forced: pass gives them, and images, to the remote engine unchanged, unless an effort above minimal is asked for; vote searches every turn; forbid passes nothing',
  }),
  examples: z.array(z.string().max(4000)).max(50).default([]).meta({ description: 'questions offered by the page' }),
};

type NamedFields = {
  [Name in Exclude<keyof NamedOptions, 'panel'>]-?: z.ZodOptional<z.ZodType<NonNullable<NamedOptions[Name]>>>;
};

/** An object of options for each program that has some, under its name. */
function namedFields(): NamedFields {
  const taken = ([part]: readonly [string, unknown]) => !Object.hasOwn(fields, part);
  const objects = [...namedParts()].filter(taken).map(([part, own]) => {
    const options = Object.entries(own).map(([name, knob]) => [name, schemaOf(knob).optional()]);
    return [part, z.strictObject(Object.fromEntries(options)).optional()];
  });
  return Object.fromEntries(objects) as NamedFields;
}

/** In the order in which the example is printed: what it is called, what it is made of, how it searches. */
export function modelSchema({ engines, verifiers }: Sections) {
  const { name, ...rest } = fields;
  const verifier = oneKindOf(verifiers).default({ kind: 'none' });
  const searching = { ...fieldsOf(modelKnobs), ...fieldsOf(policySettingKnobs), ...namedFields() };
  return z.strictObject({ name, engine: oneKindOf(engines), verifier, ...rest, ...searching });
}
