// One served model: the engine that generates, the verifier that scores, the budget they share, and how a search of it
// runs unless its request says otherwise. No secret stands here: keys of remote servers come from named variables.

import { z } from 'zod';
import { routerNames } from '../engine/remote/replica/router-hints.ts';
import { panel } from '../program/whole-answers/panel.ts';
import { commandDefaults, sandboxKinds } from '../verifier/command/limits.ts';
import { testLanguages } from '../verifier/command/test-runners.ts';
import { fieldOf, fieldsOf, real, schemaOf, whole } from './knob.ts';
import { budgetKnob, budgetPerKnob, calibrationSetting, checkKnob, engineKnobs } from './machine-knobs.ts';
import { type NamedOptions, namedParts } from './named-options.ts';
import { replicas } from './replicas.ts';
import { modelKnobs, policySettingKnobs, samplingKnobs } from './vocabulary.ts';

const url = z.url({ protocol: /^https?$/ });

const simulated = z.strictObject({
  kind: z
    .literal('sim')
    .meta({ description: 'the simulated engine on the real clock: for trying out and for load tests' }),
  speed: real(1, 0.001, 10_000, 'factor', 'how much faster than the measured machine'),
});

const embedded = z.strictObject({
  kind: z
    .literal('llama')
    .meta({ description: 'the embedded engine: a GGUF file, or a model that ships with coppice' }),
  model: z.string().min(1).default('sapling').meta({ description: 'name of a shipped model, or path of a GGUF file' }),
  draft: z.string().min(1).optional().meta({
    description:
      'a small model of the same vocabulary, by name or path: drafts tokens where a trial at start says that it pays',
  }),
  ...fieldsOf(engineKnobs),
});

const remote = z
  .strictObject({
    kind: z.literal('openai').meta({ description: 'vLLM, SGLang, llama-server or any OpenAI-compatible server' }),
    urls: z
      .array(url)
      .min(1)
      .max(1024)
      .optional()
      .meta({ description: 'base URLs of replicas of one model, such as http://127.0.0.1:8000/v1' }),
    replicas: replicas.optional(),
    model: z.string().min(1).optional().meta({ description: 'as the server calls it; its only model where unset' }),
    dialect: z
      .enum(['vllm', 'sglang', 'llama-server', 'openai'])
      .optional()
      .meta({ description: 'found by probing where unset' }),
    apiKeyEnv: z.string().min(1).optional().meta({ description: "environment variable that holds the server's key" }),
    inFlight: z
      .int()
      .min(1)
      .max(65_536)
      .optional()
      .meta({ description: 'sequences per server; read from it, or found by trial, where unset' }),
    router: z.enum(routerNames).default('none').meta({
      description:
        'what stands behind the one url: a router is told which requests belong together, and routes; with none, or several urls, coppice does',
    }),
  })
  .refine(({ urls, replicas: listed }) => (urls === undefined) !== (listed === undefined), {
    error: 'has neither urls nor replicas, or both; give urls, or the list that replicas are from',
  });

/** Of a causal reward model, in this process or on a server. */
const verdictText = (description: string) => z.string().max(64).optional().meta({ description });

const plainVerifiers = ['none', 'sim', 'exact', 'confidence'] as const;

const verifier = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum(plainVerifiers).meta({
      description:
        'none: self-consistency with confidence, and the answer says so; sim: of the simulated engine; exact: the checkers of the shipped tasks, on the embedded engine; confidence: from the log probabilities of the engine itself',
    }),
  }),
  z.strictObject({
    kind: z.literal('prm').meta({
      description:
        'a process reward model: a shipped one, a GGUF file (beside any engine), a LoRA adapter of the embedded generator, or a server',
    }),
    model: z.string().min(1).default('sapling-prm').meta({
      description:
        "name or path for the embedded engine, of a GGUF file or of the folder of an adapter; the server's model name for a remote one",
    }),
    good: verdictText("the token that says a step is right; '+' where unset"),
    bad: verdictText("the token that says a step is wrong; '-' where unset"),
    marker: verdictText('appended to a step before it is read, for models trained with one'),
    urls: z
      .array(url)
      .min(1)
      .max(1024)
      .optional()
      .meta({ description: 'of a remote reward model, one per replica; `http` takes the whole address' }),
    format: z.enum(['qwen-prm', 'math-shepherd', 'rlhflow', 'plain', 'http']).default('qwen-prm').meta({
      description:
        'of a remote one: what its prompts look like; `plain`: question and steps, a line each; `http`: a scorer of your own',
    }),
    apiKeyEnv: z.string().min(1).optional().meta({ description: 'environment variable that holds its key' }),
  }),
  z.strictObject({
    kind: z.literal('judge').meta({ description: 'a language model that rates each step; slow, and no probability' }),
    urls: z
      .array(url)
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'servers of the judge; those of the engine where unset' }),
    model: z.string().min(1).optional().meta({ description: 'as the server calls it; its first where unset' }),
    apiKeyEnv: z.string().min(1).optional().meta({ description: 'environment variable that holds its key' }),
  }),
  z.strictObject({
    kind: z.literal('command').meta({
      description: 'a process of yours, or tests of functions, judges whole answers: JSON in, reward and feedback out',
    }),
    command: z.array(z.string().max(4096)).min(1).max(64).optional().meta({
      description: 'program and arguments; gets question, answer and steps, and writes {"reward", "feedback"}',
    }),
    language: z
      .enum(testLanguages)
      .optional()
      .meta({ description: 'in the place of a command: runs tests of functions' }),
    clientTests: z.boolean().default(false).meta({
      description: 'clients may send tests with a request (coppice.tests): code of theirs then runs on this machine',
    }),
    sandbox: z.enum(sandboxKinds).default('bubblewrap').meta({
      description: 'limits: without bubblewrap, code of answers has your network and files; on a machine to throw away',
    }),
    readable: z.array(z.string().min(1)).max(64).default([]).meta({
      description: "files and folders that the process may read beside the system's programs and its own arguments",
    }),
    timeoutMs: whole(
      commandDefaults.timeoutMs,
      100,
      3_600_000,
      'ms',
      'of one answer; an answer that takes longer is worth 0',
    ),
    memoryMiB: whole(commandDefaults.memoryMiB, 16, 1_048_576, 'MiB', 'of one process'),
    parallel: whole(commandDefaults.parallel, 1, 1024, 'processes', 'that run at a time'),
  }),
]);

const sampling = z
  .strictObject(fieldsOf(samplingKnobs))
  .prefault({})
  .meta({ description: 'of requests that do not say' });

const embedder = z
  .strictObject({
    url: url.meta({ description: 'base URL of a server with /v1/embeddings, such as http://127.0.0.1:8081/v1' }),
    model: z.string().min(1).optional().meta({ description: 'as the server calls it; its only model where unset' }),
    apiKeyEnv: z.string().min(1).optional().meta({ description: "environment variable that holds the server's key" }),
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

/** Of the program of that name: its options, and the models that it and `pairwise` ask. */
const panelOptions = z
  .strictObject({
    models: z.array(z.string()).min(1).max(16).optional().meta({
      description:
        'models that searches of this one may ask, by name, itself included where it is to answer too: the programs panel and pairwise ask them',
    }),
    synthesizer: z.string().optional().meta({
      description:
        'model of the panel that puts attempts together where they disagree (panel; where unset the vote decides), or compares them (pairwise; this one where unset)',
    }),
    answerTokens: schemaOf(panel.options.answerTokens).optional(),
    panelOrder: schemaOf(panel.options.panelOrder).optional(),
  })
  .meta({ description: 'several models answer one question' });

const fields = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/)
    .meta({ description: 'what clients ask for' }),
  engine: z.discriminatedUnion('kind', [simulated, embedded, remote]),
  verifier: verifier.default({ kind: 'none' }),
  embedder: embedder.optional(),
  budget: fieldOf(budgetKnob),
  budgetPer: fieldOf(budgetPerKnob),
  check: fieldOf(checkKnob),
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
  [calibrationSetting.name]: z.string().min(1).optional().meta({ description: calibrationSetting.why }),
  sampling,
  requestMs: whole(
    120_000,
    100,
    3_600_000,
    'ms',
    'one call of engine or verifier before it counts as failed; work that waits for a server is not counted',
  ),
  escalateTo: z
    .string()
    .optional()
    .meta({ description: 'model that takes over a futile search when its request says so' }),
  panel: panelOptions.optional(),
  price: price.optional(),
  passthrough: z
    .enum(['allow', 'forbid'])
    .default('allow')
    .meta({ description: 'requests with tools or images go to the remote engine unchanged' }),
  examples: z
    .array(z.strictObject({ title: z.string().max(80), question: z.string().max(4000) }))
    .max(50)
    .default([])
    .meta({ description: 'questions offered by the page' }),
};

type NamedFields = {
  [Name in Exclude<keyof NamedOptions, 'panel'>]-?: z.ZodOptional<z.ZodType<NonNullable<NamedOptions[Name]>>>;
};

/** One object for each program or rule with options, under its name. */
function namedFields(): NamedFields {
  const taken = ([part]: readonly [string, unknown]) => !Object.hasOwn(fields, part);
  const objects = [...namedParts()].filter(taken).map(([part, own]) => {
    const options = Object.entries(own).map(([name, { knob }]) => [name, schemaOf(knob).optional()]);
    return [part, z.strictObject(Object.fromEntries(options)).optional()];
  });
  return Object.fromEntries(objects) as NamedFields;
}

/** Made when it is first needed: programs and rules of packages are registered by then. */
export const model = z.lazy(() =>
  z.strictObject({ ...fields, ...fieldsOf(modelKnobs), ...fieldsOf(policySettingKnobs), ...namedFields() }),
);
