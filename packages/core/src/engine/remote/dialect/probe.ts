// Finds a server's dialect, version, model, context and limits, from pages that only one kind has. What it cannot see is undefined.

import { FaultError, raise } from '../../../base/fault.ts';
import { isRecord } from '../../../base/record.ts';
import type { Connection, Reply } from '../../../remote/connection.ts';
import { faultOfStatus, quote } from '../../../remote/failure.ts';
import { parseJson } from '../../../remote/json.ts';
import { count, records, text } from '../../../remote/wire-values.ts';
import type { DialectName, ServerFacts } from './dialect.ts';
import { ranksOn } from './gauges.ts';

export interface ProbeOptions {
  readonly dialect?: DialectName | undefined;
  readonly model?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly generates?: boolean;
}

/** The first request after a server's start may have to compile for a minute. */
const sampleMs = 120_000;

interface ListedModel {
  readonly id: string;
  readonly owner: string;
  readonly loadedFrom?: string | undefined;
  readonly contextTokens: number | undefined;
  readonly trainedTokens?: number | undefined;
}

export async function probe(connection: Connection, options: ProbeOptions = {}): Promise<ServerFacts> {
  const models = await listModels(connection, options);
  const dialect = options.dialect ?? (await detect(connection, models, options));
  const model = chooseModel(connection, models, options.model);
  switch (dialect) {
    case 'vllm':
      return probeVllm(connection, model, options);
    case 'sglang':
      return probeSglang(connection, model, options);
    case 'llama-server':
      return probeLlamaServer(connection, model, options);
    case 'openai':
      return { ...plainFacts(model), turns: true };
  }
}

async function listModels(connection: Connection, options: ProbeOptions): Promise<ListedModel[]> {
  const reply = await connection.call('GET', '/v1/models', undefined, options);
  if (reply.status === 404) return [];
  const body = parsed(reply, connection, '/v1/models');
  return records(body.data).map((each) => ({
    id: text(each.id),
    owner: text(each.owned_by),
    loadedFrom: lastPart(each.root),
    contextTokens: count(each.max_model_len) ?? count(each.context_window),
    trainedTokens: isRecord(each.meta) ? count(each.meta.n_ctx_train) : undefined,
  }));
}

/** Servers name themselves as owner of their models; behind a proxy their own pages tell. */
async function detect(
  connection: Connection,
  models: readonly ListedModel[],
  options: ProbeOptions,
): Promise<DialectName> {
  const owners: Readonly<Record<string, DialectName>> = {
    vllm: 'vllm',
    sglang: 'sglang',
    llamacpp: 'llama-server',
  };
  const owner = models.map((each) => owners[each.owner]).find((each) => each !== undefined);
  if (owner !== undefined) return owner;
  const [props, info, version] = await Promise.all(
    ['/props', '/server_info', '/version'].map((path) => pageOf(connection, path, options)),
  );
  if (count(props?.total_slots) !== undefined) return 'llama-server';
  if (info !== undefined && 'version' in info) return 'sglang';
  if (typeof version?.version === 'string' && models.some((each) => each.contextTokens !== undefined)) return 'vllm';
  return 'openai';
}

function chooseModel(connection: Connection, models: readonly ListedModel[], wanted: string | undefined): ListedModel {
  const first = models[0];
  if (wanted === undefined) {
    if (first !== undefined) return first;
    raise('bad-setting', `${connection.url} does not list its models; set model to the one to use`);
  }
  const found = models.find((each) => each.id === wanted);
  if (found !== undefined || models.length === 0) return found ?? { id: wanted, owner: '', contextTokens: undefined };
  const served = quote(models.map((each) => `'${each.id}'`).join(', '), connection);
  return raise('refused', `${connection.url} serves ${served}, not '${wanted}'; change model or the server`);
}

async function probeVllm(connection: Connection, model: ListedModel, options: ProbeOptions): Promise<ServerFacts> {
  const version = await pageOf(connection, '/version', options);
  const metrics = await connection.call('GET', '/metrics', undefined, options);
  const page = metrics.status === 200 ? metrics.body : '';
  const caching = /enable_prefix_caching="(\w+)"/.exec(page)?.[1];
  const sample = options.generates === false ? undefined : await sampleToken(connection, model);
  const choice = isRecord(sample) ? records(sample.choices)[0] : undefined;
  const usage = isRecord(sample) && isRecord(sample.usage) ? sample.usage : {};
  return {
    ...plainFacts(model),
    dialect: 'vllm',
    version: text(version?.version) || undefined,
    loadedFrom: model.loadedFrom,
    priorityOrder: 'lower-first',
    seeded: true,
    logprobs: isRecord(choice?.logprobs),
    countsCache: isRecord(usage.prompt_tokens_details),
    prefixCaching: caching === undefined ? undefined : caching === 'True',
    ranks: ranksOn(page),
    returnsTokens: Array.isArray(choice?.token_ids),
    turns: await takesTools(connection, model, options),
  };
}

/** A single token shows which flags are set. Servers may refuse log probabilities only. */
async function sampleToken(connection: Connection, model: ListedModel): Promise<unknown> {
  const body = { model: model.id, prompt: 'a', max_tokens: 1, temperature: 0, return_token_ids: true };
  const path = '/v1/completions';
  const options = { timeoutMs: sampleMs };
  const reply = await connection.call('POST', path, { ...body, logprobs: 0 }, options);
  if (reply.status === 400) return connection.json('POST', path, body, options);
  return parsed(reply, connection, path);
}

const sampleTool = { type: 'function', function: { name: 'a', parameters: { type: 'object', properties: {} } } };

/** vLLM refuses tools that a model may call where no parser is set, llama-server where its templates are not Jinja's. */
async function takesTools(connection: Connection, model: ListedModel, { generates }: ProbeOptions): Promise<boolean> {
  if (generates === false) return false;
  const messages = [{ role: 'user', content: 'a' }];
  const body = { model: model.id, messages, tools: [sampleTool], tool_choice: 'auto', max_tokens: 1 };
  const asked = connection.call('POST', '/v1/chat/completions', body, { timeoutMs: sampleMs });
  return asked.then(({ status }) => status === 200).catch(() => false);
}

async function probeSglang(connection: Connection, model: ListedModel, options: ProbeOptions): Promise<ServerFacts> {
  const info =
    (await pageOf(connection, '/server_info', options)) ?? (await pageOf(connection, '/get_server_info', options));
  const priorities = info?.enable_priority_scheduling === true;
  const lowFirst = info?.schedule_low_priority_values_first === true;
  const states = records(info?.internal_states)[0];
  return {
    dialect: 'sglang',
    version: text(info?.version) || undefined,
    model: model.id,
    loadedFrom: lastPart(info?.model_path),
    contextTokens: model.contextTokens ?? count(info?.context_length),
    sequenceLimit: count(states?.effective_max_running_requests_per_dp) ?? count(info?.max_running_requests),
    priorityOrder: priorities ? (lowFirst ? 'lower-first' : 'higher-first') : 'none',
    seeded: info?.enable_deterministic_inference === true,
    logprobs: true,
    countsCache: true,
    prefixCaching: info === undefined ? undefined : info.disable_radix_cache !== true,
    returnsTokens: true,
    turns: text(info?.tool_call_parser) !== '',
  };
}

async function probeLlamaServer(
  connection: Connection,
  model: ListedModel,
  options: ProbeOptions,
): Promise<ServerFacts> {
  const props = await pageOf(connection, '/props', options);
  const settings = isRecord(props?.default_generation_settings) ? props.default_generation_settings : {};
  return {
    ...plainFacts(model),
    dialect: 'llama-server',
    version: text(props?.build_info) || undefined,
    loadedFrom: lastPart(props?.model_path),
    contextTokens: count(settings.n_ctx),
    trainedTokens: model.trainedTokens,
    sequenceLimit: count(props?.total_slots),
    seeded: true,
    logprobs: true,
    countsCache: true,
    prefixCaching: true,
    returnsTokens: true,
    turns: await takesTools(connection, model, options),
  };
}

function plainFacts(model: ListedModel): ServerFacts {
  return {
    dialect: 'openai',
    version: undefined,
    model: model.id,
    contextTokens: model.contextTokens,
    sequenceLimit: undefined,
    priorityOrder: 'none',
    seeded: false,
    logprobs: false,
    countsCache: false,
    prefixCaching: undefined,
    returnsTokens: false,
  };
}

/** Machines mount weights at different places; a hub's commit names no model. */
function lastPart(path: unknown): string | undefined {
  const part = text(path)
    .split(/[\\/]/)
    .findLast((each) => each !== '');
  return part === undefined || /^[0-9a-f]{40}$/.test(part) ? undefined : part;
}

async function pageOf(
  connection: Connection,
  path: string,
  options: ProbeOptions,
): Promise<Record<string, unknown> | undefined> {
  const reply = await connection.call('GET', path, undefined, options);
  if (reply.status !== 200) return undefined;
  try {
    return parsed(reply, connection, path);
  } catch {
    return undefined;
  }
}

function parsed(reply: Reply, connection: Connection, path: string): Record<string, unknown> {
  if (reply.status !== 200) throw new FaultError(faultOfStatus(connection, path, reply.status, reply.body));
  try {
    const body = parseJson(reply.body, path);
    if (isRecord(body)) return body;
  } catch {
    // Reported below: both have the same remedy.
  }
  return raise('protocol', `${connection.url}${path} is not the page of an inference server; check url`);
}
