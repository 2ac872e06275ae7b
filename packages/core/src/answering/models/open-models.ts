// Opens models as the configuration names them, for `serve`, `ask`, `bench` and `doctor`: the engine by its kind, the verifier by its
// own where the engine does not bring it, and what stands around them.

import { raise } from '../../base/fault.ts';
import {
  type EngineKind,
  engineKind,
  type Opening,
  type OpeningLog,
  type OpenVerifier,
  registeredTasks,
  verifierKind,
  verifiersBeside,
} from '../../config/plugin.ts';
import type { ModelConfig } from '../../config/schema.ts';
import { type Environment, keyIn } from '../../config/sections.ts';
import { CheckedVerifier } from '../../verifier/checked-verifier.ts';
import { thinkingWarning } from '../plan/planned-thinking.ts';
import './built-in.ts';
import { closeModel, type OpenModel } from './open-model.ts';

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
  const opening = { config, environment, log };
  let model: OpenModel = { config, ...(await fittingKind(config).open(config.engine, opening)) };
  try {
    model = withCheck(await withVerifier(model, opening), log);
    model = withWarning(await withEmbedder(model, environment, log), thinkingWarning(model));
  } catch (error) {
    await closeModel(model);
    throw error;
  }
  const { containment } = model.verifier?.capabilities ?? {};
  if (containment !== undefined)
    log[containment.open.length === 0 ? 'info' : 'warn']('sandbox', { model: config.name, ...containment });
  for (const warning of model.warnings ?? []) log.warn('model', { model: config.name, warning });
  return model;
}

function fittingKind({ name, engine, verifier }: ModelConfig): EngineKind {
  const kind = engineKind(engine.kind) ?? raise('bad-setting', `models: '${name}' has no engine that can be opened`);
  const fitting = verifiersBeside(kind);
  if (fitting.includes(verifier.kind)) return kind;
  return raise(
    'bad-setting',
    `models: '${name}' has a verifier of kind '${verifier.kind}'; with engine '${engine.kind}' it must be one of ${fitting.join(', ')}`,
  );
}

/** Opens the configured verifier where the engine does not bring it. */
async function withVerifier(model: OpenModel, opening: Opening): Promise<OpenModel> {
  const { config, verifier: brought, warnings = [] } = model;
  const own: OpenVerifier =
    brought === undefined
      ? await verifierKind(config.verifier.kind).open(config.verifier, opening, model)
      : { verifier: brought };
  const { scoredBy = own.verifier?.capabilities.name } = model;
  return { ...model, verifier: own.verifier, scoredBy, warnings: [...warnings, ...(own.warnings ?? [])] };
}

function withWarning(parts: OpenModel, warning: string | undefined): OpenModel {
  return warning === undefined ? parts : { ...parts, warnings: [...(parts.warnings ?? []), warning] };
}

function withCheck(parts: OpenModel, log: OpeningLog): OpenModel {
  const { check, name } = parts.config;
  if (check === 'none' || parts.verifier === undefined) return parts;
  const onTrouble = (problem: string) => log.warn('checker', { model: name, problem });
  const verifier = new CheckedVerifier(parts.verifier, { check, tasks: registeredTasks(), onTrouble });
  return { ...parts, verifier };
}

/** Longest wait for a vector: an answer that gets none is compared by its words, which costs a group, never an answer. */
const embedderMs = 5000;

/** An embedder that cannot be reached now is no reason not to start: answers are compared by their words until it can. */
async function withEmbedder(parts: OpenModel, environment: Environment, log: OpeningLog): Promise<OpenModel> {
  const { embedder: wanted, name } = parts.config;
  if (wanted === undefined) return parts;
  const { openEndpoint } = await import('../../embedder/embeddings-endpoint.ts');
  const { embedderWarning } = await import('../../embedder/probe-texts.ts');
  const { url, model } = wanted;
  const endpoint = { url, ...keyIn(wanted.apiKeyEnv, environment), model, timeoutMs: embedderMs };
  // The trial has a connection of its own: what it finds is a warning, and no event of the log.
  const trial = openEndpoint(endpoint);
  const warning = await embedderWarning(trial);
  await trial.close();
  const observe = (event: 'down' | 'up', reason: string) =>
    log[event === 'up' ? 'info' : 'warn'](`embedder-${event}`, { model: name, reason });
  return withWarning({ ...parts, embedder: openEndpoint({ ...endpoint, observe }) }, warning);
}
