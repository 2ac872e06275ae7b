// The verifier that a model's configuration names, where it does not live in the embedded engine. Each kind is loaded only when it is used.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { raise } from '../../base/fault.ts';
import type { ModelConfig } from '../../config/schema.ts';
import { makeVerifier } from '../../verifier/definition.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import { openPairedPrm, remoteVerdicts } from './foreign-models.ts';
import { type Environment, secret } from './secret.ts';

/** The default name of a reward model: shipped, and served by no server. */
const shippedPrm = 'sapling-prm';

type Wanted<Kind extends ModelConfig['verifier']['kind']> = Extract<ModelConfig['verifier'], { kind: Kind }>;

/** A judge may share the engine's own servers. */
export async function openVerifier(
  config: ModelConfig,
  engineUrls: readonly string[] | undefined,
  environment: Environment,
): Promise<Verifier | undefined> {
  const { verifier } = config;
  switch (verifier.kind) {
    case 'none':
      return undefined;
    case 'confidence':
      return makeVerifier((await import('../../verifier/confidence/confidence-verifier.ts')).confidence);
    case 'command':
      return (await import('./open-command.ts')).openCommand(config.name, verifier);
    case 'prm':
      return openPrm(config, verifier, environment);
    case 'judge':
      return openJudge(config, verifier, engineUrls, environment);
    default:
      return refuseVerifier(config, ['prm', 'judge', 'command', 'confidence', 'none']);
  }
}

async function openPrm(config: ModelConfig, wanted: Wanted<'prm'>, environment: Environment): Promise<Verifier> {
  if (wanted.urls === undefined && wanted.model !== shippedPrm) return openPairedPrm(wanted);
  const { openRemoteVerifier } = await import('../../verifier/remote/open-verifier.ts');
  const remote = remoteOptions(config, wanted, wanted.urls, environment);
  // No server serves the shipped model: then the server's own name is taken.
  const named = wanted.model === shippedPrm ? {} : { model: wanted.model };
  const verdicts = remoteVerdicts(config.name, wanted);
  return openRemoteVerifier({ ...remote, kind: wanted.format, verdicts, ...named });
}

async function openJudge(
  config: ModelConfig,
  wanted: Wanted<'judge'>,
  engineUrls: readonly string[] | undefined,
  environment: Environment,
): Promise<Verifier> {
  const { openRemoteVerifier } = await import('../../verifier/remote/open-verifier.ts');
  const remote = remoteOptions(config, wanted, wanted.urls ?? engineUrls, environment);
  const { model } = wanted;
  const promptFile = join(config.prompts ?? '', 'value.txt');
  const judge = config.prompts !== undefined && existsSync(promptFile) ? { promptFile } : {};
  return openRemoteVerifier({ ...remote, kind: 'judge', judge, ...(model === undefined ? {} : { model }) });
}

function remoteOptions(
  { name, requestMs, aggregation }: ModelConfig,
  { apiKeyEnv }: Wanted<'prm' | 'judge'>,
  urls: readonly string[] | undefined,
  environment: Environment,
) {
  if (urls === undefined) {
    const remedy = 'give the urls of its server, or as model the path of a GGUF file';
    return raise('bad-setting', `models: '${name}' has a verifier without urls; ${remedy}`);
  }
  const apiKey = secret(apiKeyEnv, environment);
  const servers = urls.map((url) => ({ url, ...(apiKey === undefined ? {} : { apiKey }) }));
  return { servers, timeoutMs: requestMs, ...(aggregation && { aggregation }) };
}

export function refuseVerifier(config: ModelConfig, kinds: readonly string[]): never {
  const { name, engine, verifier } = config;
  return raise(
    'bad-setting',
    `models: '${name}' has a verifier of kind '${verifier.kind}'; with engine '${engine.kind}' it must be one of ${kinds.join(', ')}`,
  );
}
