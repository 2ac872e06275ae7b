// Table of the fields that no search reads. Fields that shape draws go to engines that take them. Fields that shape the reply are
// honoured or refused by name. All others are ignored, and named in a header and in the log.

import { isRecord } from '@coppice/core/base';
import type { Plain } from '@coppice/core/journal';
import { z } from 'zod';
import { refuseField } from '../http/api-error.ts';
import { parseBody } from '../http/checked-input.ts';
import { parseJson } from '../http/exchange.ts';
import { each } from '../wire/parts.ts';
import { hasItems, record } from './unchecked.ts';

type Test = (value: unknown) => boolean;

const finite = z.number().nullish();
/** Bounded because every log entry that asks for draws holds them. */
const mostBiases = 300;

/** Sent to engines whose dialect takes them (engine/remote/dialect), otherwise ignored. */
export const drawFields = {
  ...each(z.number().min(-2).max(2).nullish(), 'presence_penalty', 'frequency_penalty'),
  ...each(z.number().positive().nullish(), 'repetition_penalty', 'repeat_penalty'),
  logit_bias: z
    .record(z.string().max(16), z.number().min(-100).max(100))
    .refine((biases) => Object.keys(biases).length <= mostBiases, { error: `must have at most ${mostBiases} tokens` })
    .nullish(),
  bad_words: z.array(z.string().min(1).max(256)).max(mostBiases).nullish(),
  ...each(finite, 'repeat_last_n', 'typical_p', 'top_n_sigma', 'xtc_probability', 'xtc_threshold', 'dynatemp_range'),
  ...each(finite, 'mirostat', 'mirostat_tau', 'mirostat_eta'),
  ...each(finite, 'dry_multiplier', 'dry_base', 'dry_allowed_length', 'dry_penalty_last_n'),
} as const;

const is = (...usual: readonly unknown[]): Test => {
  return (value) => usual.includes(value);
};
const isEmpty: Test = (value) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;
const never: Test = () => false;
const isTyped = (...types: readonly string[]): Test => {
  return (value) => is(...types)(isRecord(value) ? value.type : value);
};

/** Fields that shape the reply or the prompt. The test is true for values that ask for nothing; any other value is refused. */
const shapingOfOpenAi: Readonly<Record<string, Test>> = {
  response_format: isTyped('text'),
  tool_choice: isTyped('none', 'auto'),
  parallel_tool_calls: (value) => typeof value === 'boolean',
  function_call: is('none', 'auto'),
  modalities: (value) => Array.isArray(value) && value.every(is('text')),
  n: is(1),
  logprobs: is(false),
  top_logprobs: is(0),
  ...each(isEmpty, 'tools', 'functions', 'stop'),
  ...each(never, 'web_search_options', 'audio', 'prompt', 'conversation', 'output_format'),
};

/** Fields of model servers and of Anthropic; an engine's own endpoint may honour some (EngineCapabilities.passes). */
const shapingOfServers: Readonly<Record<string, Test>> = {
  grammar: is(''),
  add_generation_prompt: is(true),
  ...each(never, 'guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'json_schema', 'regex', 'ebnf'),
  ...each(never, 'stop_regex', 'custom_logit_processor', 'lora_path', 'chat_template', 'container', 'inference_geo'),
  ...each(isEmpty, 'structured_outputs', 'logprob_token_ids', 'stop_token_ids', 'allowed_token_ids'),
  ...each(isEmpty, 'logits_processors', 'lora', 'documents', 'mcp_servers'),
  ...each(is(0), 'prompt_logprobs', 'n_probs'),
  ...each(is(false), 'echo', 'include_stop_str_in_output', 'return_tokens_as_token_ids'),
  ...each(is(false), 'return_hidden_states', 'continue_final_message'),
};
const shaping = { ...shapingOfOpenAi, ...shapingOfServers };

/** Values of ignored fields that ask for nothing; these are not named. */
const usual: Readonly<Record<string, Test>> = {
  ...each(is(false), 'store', 'use_beam_search'),
  verbosity: is('medium'),
  service_tier: is('auto', 'default', 'standard_only'),
  truncation: is('disabled'),
  ...each(is(1), 'best_of', 'length_penalty'),
  extra_body: isEmpty,
};

/** Flattens `extra_body`, and turns other names of a chat's schema into `response_format`. */
export function unfolded(path: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { extra_body: extra, ...rest } = value;
  const body = isRecord(extra) ? { ...rest, ...extra } : value;
  return path === '/v1/chat/completions' ? withFormat(body) : body;
}

/** Reads vLLM's old and new names, and that of SGLang and llama-server. Some clients send the schema as text. */
function withFormat(body: Plain): Plain {
  const structured = record(body.structured_outputs);
  const kinds = Object.keys(structured).filter((kind) => (structured[kind] ?? null) !== null);
  const isJson = kinds.length === 1 && is('json', 'json_object')(kinds[0]);
  const named = ['guided_json', 'json_schema'].find((each) => (body[each] ?? null) !== null);
  const name = named ?? (isJson ? 'structured_outputs' : undefined);
  if (name === undefined) return body;
  const { [name]: wanted, response_format: format = null, ...rest } = body;
  if (format !== null && !isTyped('text')(format))
    refuseField('unsupported_parameter', name, "cannot be used together with 'response_format'");
  if (structured.json_object === true) return { ...rest, response_format: { type: 'json_object' } };
  const given = name === 'structured_outputs' ? structured.json : wanted;
  const schema = typeof given === 'string' ? parsed(given) : given;
  if (!isRecord(schema)) refuseField('invalid_value', name, 'must hold a JSON schema');
  return { ...rest, response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}

function parsed(text: string): unknown {
  try {
    return parseJson(Buffer.from(text));
  } catch {
    return undefined;
  }
}

/** Fields of the table that ask for something. `body` is unchecked. */
function asked(of: Readonly<Record<string, Test>>, body: unknown): string[] {
  const found = Object.entries(record(body)).filter(([name, value]) => Object.hasOwn(of, name) && value !== null);
  return found.filter(([name, value]) => value !== undefined && !of[name]!(value)).map(([name]) => name);
}

export function passedIn(body: unknown): string[] {
  return asked(shapingOfServers, body);
}

export function parseSearched<Body>(schema: z.ZodType<Body>, value: unknown): Body {
  const body = parseBody(schema, value);
  refuseShaping(value, hasItems(record(value).tools) ? ['tools', 'tool_choice'] : []);
  return body;
}

export function refuseShaping(body: unknown, honoured: readonly string[], by = 'a search'): void {
  const name = asked(shaping, body).find((each) => !honoured.includes(each));
  if (name !== undefined) refuseField('unsupported_parameter', name, `cannot be honoured by ${by}`);
}

export function drawsIn(body: object): Record<string, unknown> {
  const fields = record(body);
  const named = Object.keys(drawFields).map((name) => [name, fields[name] ?? undefined] as const);
  return Object.fromEntries(named.filter(([name, value]) => value !== undefined && !isNeutral(name, value)));
}

function isNeutral(name: string, value: unknown): boolean {
  if (name === 'repetition_penalty' || name === 'repeat_penalty' || name === 'typical_p') return value === 1;
  return value === 0 || (typeof value === 'object' && isEmpty(value));
}

interface Shaped {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
  readonly options?: readonly Shaped[];
  unwrap?(): unknown;
}

/** Names of fields that a schema leaves out of a body, at any depth. */
export function ignoredIn(schema: unknown, value: unknown, within = ''): string[] {
  let at = schema as Shaped | undefined;
  while (at?.unwrap !== undefined && at.element === undefined) at = at.unwrap() as Shaped;
  if (Array.isArray(value)) {
    const { element } = at?.options?.find((each) => each.element !== undefined) ?? at ?? {};
    return [...new Set(value.flatMap((each) => ignoredIn(element, each, within)))];
  }
  const shape = at?.shape;
  if (shape === undefined || !isRecord(value)) return [];
  // With tools the engine reads the conversation itself.
  const passed = within === '' && hasItems(value.tools) ? ['messages', 'input'] : [];
  return Object.entries(value).flatMap(([name, each]) => {
    if (passed.includes(name)) return [];
    if (Object.hasOwn(shape, name)) return ignoredIn(shape[name], each, `${within}${name}.`);
    const isKnown =
      within === '' && (Object.hasOwn(shaping, name) || (Object.hasOwn(usual, name) && usual[name]!(each)));
    return each === null || isKnown ? [] : [`${within}${name}`];
  });
}
