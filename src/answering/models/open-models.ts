// Engines and verifiers as the configuration names them, for `serve`, `ask`, `bench` and `doctor`. The only place that knows
// the kinds; each is loaded only when it is used.

import { raise } from '../../base/fault.ts';
import { openCalibration } from '../../calibration/read-calibration.ts';
import { type ReplicaAddress, replicaAddress } from '../../config/replicas.ts';
import type { ModelConfig } from '../../config/schema.ts';
import type { Engine } from '../../engine/engine.ts';
import { isShipped } from '../../engine/llama/shipped-models.ts';
import type { ReplicaList } from '../../engine/remote/list/replica-list.ts';
import { readBody } from '../../remote/bounded-body.ts';
import { usualBytes } from '../../remote/connection.ts';
import { parseJson } from '../../remote/json.ts';
import type { Prompt } from '../../tree/step.ts';
import { CheckedVerifier } from '../../verifier/exact/checked-verifier.ts';
import { thinkingWarning } from '../plan/thinking-plan.ts';
import { saplingPrompt } from '../question-form.ts';
import type { Embedded, EmbeddedOptions } from './embedded.ts';
import { examined, verdictsOf } from './foreign-models.ts';
import { closeModel, type OpenModel, type Upstream } from './open-model.ts';
import { openVerifier, refuseVerifier } from './open-verifier.ts';
import { type Environment, secret } from './secret.ts';

type Kind<Name extends ModelConfig['engine']['kind']> = Extract<ModelConfig['engine'], { kind: Name }>;

/** Where the opening of models tells what happens; a log of the gateway is one. */
export interface OpeningLog {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

const silent: OpeningLog = { info: () => {}, warn: () => {} };

export async function openModels(
  configs: readonly ModelConfig[],
  environment: Environment,
  log: OpeningLog = silent,
): Promise<OpenModel[]> {
  const opened: OpenModel[] = [];
  try {
    for (const config of configs) opened.push(await openModel(config, environment, log));
    return opened;
  } catch (error) {
    await Promise.all(opened.map(closeModel));
    throw error;
  }
}

export async function openModel(
  config: ModelConfig,
  environment: Environment,
  log: OpeningLog = silent,
): Promise<OpenModel> {
  const opened = checked(await examined(await openKind(config, environment, log)), log);
  const parts = withThinking(await withEmbedder(opened, environment, log).catch(closing(opened)));
  const { containment } = parts.verifier?.capabilities ?? {};
  if (containment !== undefined)
    log[containment.open.length === 0 ? 'info' : 'warn']('sandbox', { model: config.name, ...containment });
  for (const warning of parts.warnings ?? []) log.warn('model', { model: config.name, warning });
  try {
    return calibrated(parts);
  } catch (error) {
    await closeModel(parts);
    throw error;
  }
}

function withThinking(parts: OpenModel): OpenModel {
  const warning = thinkingWarning(parts);
  return warning === undefined ? parts : { ...parts, warnings: [...(parts.warnings ?? []), warning] };
}

function checked(parts: OpenModel, log: OpeningLog): OpenModel {
  const { check, name } = parts.config;
  if (check === 'none' || parts.verifier === undefined) return parts;
  const onTrouble = (problem: string) => log.warn('checker', { model: name, problem });
  const verifier = new CheckedVerifier(parts.verifier, { check, onTrouble });
  return { ...parts, verifier, note: `${parts.note ?? name}, ${check} checked` };
}

/** Longest wait for a vector: an answer that gets none is compared by its words, which costs a group, never an answer. */
const embedderMs = 5000;

/** That it cannot be reached now is no reason not to start: answers are compared by their words until it can. */
async function withEmbedder(parts: OpenModel, environment: Environment, log: OpeningLog): Promise<OpenModel> {
  const { embedder: wanted, name, groupSimilarity } = parts.config;
  if (wanted === undefined) return parts;
  const { openEndpoint } = await import('../../embedder/embeddings-endpoint.ts');
  const { embedderWarning } = await import('../../embedder/probe-texts.ts');
  const { url, model } = wanted;
  const apiKey = secret(wanted.apiKeyEnv, environment);
  let isTried = false;
  const observe = (event: 'down' | 'up', reason: string) => {
    if (isTried) log[event === 'up' ? 'info' : 'warn'](`embedder-${event}`, { model: name, reason });
  };
  const keyed = apiKey === undefined ? {} : { apiKey };
  const embedder = openEndpoint({ url, ...keyed, model, timeoutMs: embedderMs, observe });
  const warning = await embedderWarning(embedder, groupSimilarity);
  isTried = true;
  const warnings = [...(parts.warnings ?? []), ...(warning === undefined ? [] : [warning])];
  return { ...parts, embedder, warnings };
}

function calibrated(parts: OpenModel): OpenModel {
  const { config, verifier, upstream } = parts;
  if (config.calibration === undefined) return parts;
  const opened = { verifier: verifier?.capabilities.name, served: upstream?.model };
  return { ...parts, calibration: openCalibration(config.calibration, config, opened) };
}

function openKind(config: ModelConfig, environment: Environment, log: OpeningLog): Promise<OpenModel> {
  const { engine } = config;
  switch (engine.kind) {
    case 'sim':
      return openSimulated(config, engine);
    case 'llama':
      return openEmbeddedModel(config, engine, environment, log);
    case 'openai':
      return openRemote(config, engine, environment, log);
  }
}

async function openSimulated(config: ModelConfig, { speed }: Kind<'sim'>): Promise<OpenModel> {
  const { simulate } = await import('./simulated.ts');
  const { engine, verifier, extract } = simulate(speed);
  const kind = config.verifier.kind;
  if (kind === 'command') return { config, engine, extract, verifier: await openVerifier(config, undefined, {}) };
  if (kind !== 'sim' && kind !== 'none') refuseVerifier(config, ['sim', 'command', 'none']);
  return kind === 'sim' ? { config, engine, verifier, extract } : { config, engine, extract };
}

async function openEmbeddedModel(
  config: ModelConfig,
  options: Kind<'llama'>,
  environment: Environment,
  log: OpeningLog,
): Promise<OpenModel> {
  const { openEmbedded } = await import('./embedded.ts');
  const { verifier: wanted } = config;
  if (wanted.kind === 'sim') refuseVerifier(config, ['prm', 'judge', 'command', 'exact', 'confidence', 'none']);
  const remote =
    wanted.kind === 'judge' || wanted.kind === 'command' || (wanted.kind === 'prm' && wanted.urls !== undefined);
  const { model, contextTokens: kvTokens, kvBytes, threads, gpu, draft } = options;
  const memory = kvBytes === undefined ? { kvTokens } : { kvBytes };
  const embedded = await openEmbedded({
    model,
    ...embeddedVerifier(config.verifier),
    ...memory,
    gpu,
    ...(threads === undefined ? {} : { threads }),
    ...(draft === undefined ? {} : { draft }),
  });
  const { engine, kvSplit, note } = embedded;
  if (draft !== undefined || /, on the [CG]PU/.test(note)) log.info('embedded', { model: config.name, note });
  if (kvSplit !== undefined) log.info('kv-split', { model: config.name, kvBytes, ...kvSplit });
  const verifier = remote
    ? await openVerifier(config, undefined, environment).catch(closing(engine))
    : embedded.verifier;
  if (verifier === undefined) return embeddedModel(config, embedded);
  const scored = remote ? note.replace(withoutReward, `scored by ${verifier.capabilities.name}`) : note;
  return embeddedModel(config, { ...embedded, verifier, note: scored });
}

/** An embedded pair as a model of the configuration. */
export function embeddedModel(config: ModelConfig, embedded: Embedded): OpenModel {
  const { engine, verifier, note } = embedded;
  const shipped = config.engine.kind === 'llama' && isShipped(config.engine.model) ? config.engine.model : undefined;
  const form = shipped && ((asked: Prompt) => saplingPrompt(shipped, asked));
  const parts = { config, engine, embedded, note: note + unscoredNote(config), form };
  return config.verifier.kind === 'none' ? parts : { ...parts, verifier };
}

/** Who judges where no reward model does. */
function unscoredNote({ verifier }: ModelConfig): string {
  if (verifier.kind === 'none') return ': samples vote, and nothing scores them';
  return verifier.kind === 'confidence' ? ": steps are scored by the model's own confidence" : '';
}

/** The verifier that lives beside the embedded generator; `none` where it is elsewhere or the generator's own confidence. */
function embeddedVerifier(
  wanted: ModelConfig['verifier'],
): Pick<EmbeddedOptions, 'verdicts'> & { readonly prm: string } {
  if (wanted.kind === 'exact') return { prm: 'exact' };
  if (wanted.kind !== 'prm' || wanted.urls !== undefined) return { prm: 'none' };
  return { prm: wanted.model, verdicts: verdictsOf(wanted) };
}

async function openRemote(
  config: ModelConfig,
  options: Kind<'openai'>,
  environment: Environment,
  log: OpeningLog,
): Promise<OpenModel> {
  const { openRemoteEngine } = await import('../../engine/remote/open-engine.ts');
  const apiKey = secret(options.apiKeyEnv, environment);
  const key = apiKey === undefined ? {} : { apiKey };
  const { urls: named = [], model, dialect, inFlight, router } = options;
  const replicas = options.replicas === undefined ? undefined : replicaAddress(options.replicas);
  if (replicas !== undefined && config.verifier.kind === 'judge' && config.verifier.urls === undefined)
    raise(
      'bad-setting',
      `models: '${config.name}' has replicas that are listed, and a judge without urls; give its urls`,
    );
  const engine = await openRemoteEngine({
    servers: named.map((url) => ({ url: root(url), ...key })),
    ...(replicas && { listed: { list: await openList(replicas, environment), everyMs: replicas.everyMs, ...key } }),
    observe: ({ type, ...fields }) =>
      log[goodNews.has(type) ? 'info' : 'warn'](type, { model: config.name, ...fields }),
    ...(model === undefined ? {} : { model }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(inFlight === undefined ? {} : { inFlight }),
    router,
  });
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const urls = (): string[] => engine.usable().map((url) => `${url}/v1`);
  const served = model ?? (await firstModel(urls()[0]!, headers)) ?? config.name;
  const upstream: Upstream = {
    get urls() {
      return urls();
    },
    model: served,
    headers,
  };
  const verifier = await openVerifier(config, options.urls, environment).catch(closing(engine));
  const scored = verifier === undefined ? `, ${withoutReward}` : `, scored by ${verifier.capabilities.name}`;
  const note = `${engine.capabilities.name}${scored}${unscoredNote(config)}`;
  return { config, engine, upstream, note, verifier };
}

/** What happens to replicas that an operator need not look at. */
const goodNews: ReadonlySet<string> = new Set([
  'replica-up',
  'replica-joined',
  'replica-leaving',
  'replica-left',
  'replicas-listed',
]);

async function openList(wanted: ReplicaAddress, environment: Environment): Promise<ReplicaList> {
  switch (wanted.from) {
    case 'file':
      return (await import('../../engine/remote/list/file.ts')).fileList(wanted.path);
    case 'dns':
      return (await import('../../engine/remote/list/dns.ts')).dnsList(wanted);
    case 'kubernetes': {
      const { kubernetesList, podApiServer } = await import('../../engine/remote/list/kubernetes.ts');
      return kubernetesList(wanted, podApiServer(environment));
    }
  }
}

/** What the server itself calls its model, for requests that go to it unchanged. */
async function firstModel(url: string, headers: Readonly<Record<string, string>>): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/models`, { headers, signal: AbortSignal.timeout(5000) });
    const body = parseJson(await readBody(answer, usualBytes, url), url);
    const { data } = body as { data?: { id?: unknown }[] };
    return typeof data?.[0]?.id === 'string' ? data[0].id : undefined;
  } catch {
    return undefined;
  }
}

/** As embedded.ts says of a generator that it opened alone. */
const withoutReward = 'without a reward model';

/** Does not leave an engine open when what belongs to it cannot be opened. */
function closing(opened: Engine | OpenModel): (error: unknown) => Promise<never> {
  return async (error) => {
    await ('engine' in opened ? closeModel(opened) : opened.close());
    throw error;
  };
}

/** Users write the base URL with or without /v1. */
function root(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}
