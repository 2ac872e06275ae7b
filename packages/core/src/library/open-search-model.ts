// Models for code that calls coppice: by the names of the configuration, or from an engine and a verifier of one's own.

import { ownModel } from '../answering/models/model-by-name.ts';
import type { OpenModel } from '../answering/models/open-model.ts';
import { openModel as openParts } from '../answering/models/open-models.ts';
import type { Extract, OwnPolicy } from '../answering/plan/search-request.ts';
import { raise } from '../base/fault.ts';
import { checkPartOptions, type PartOptions } from '../base/part.ts';
import { checkConfig } from '../config/load.ts';
import type { ConfigInput, ModelConfig } from '../config/schema.ts';
import { BatchedEmbedder } from '../embedder/batched-embedder.ts';
import type { Engine } from '../engine/engine.ts';
import type { PolicyDefinition } from '../policy/definition.ts';
import type { PolicyName } from '../policy/policies.ts';
import { makeVerifier, type VerifierPart } from '../verifier/definition.ts';
import type { Verifier } from '../verifier/verifier.ts';
import { SearchModel } from './search-model.ts';

type ModelInput = ConfigInput['models'][number];

export interface ModelPolicy {
  /** A name or a definition of one's own (`definePolicy`), whose widths and order hold for all searches of the model. */
  readonly policy?: PolicyName | PolicyDefinition;
  /** Options of the parts that such a policy brings. */
  readonly policyOptions?: PartOptions;
}

/** The other models that its searches may ask (`program: 'panel'`), each opened or made before; the model itself answers too. */
export interface ModelPanel {
  readonly panel?: readonly SearchModel[];
  /** The one of them that puts attempts together where they disagree. */
  readonly synthesizer?: string;
}

/** A model as the configuration of `coppice serve` writes it; only the engine must be said. */
export type ModelSettings = Omit<ModelInput, 'name' | 'policy' | 'panel' | 'verifier'> &
  ModelPolicy &
  ModelPanel & {
    readonly name?: string;
    /** Written as in the configuration, or one of one's own (`defineVerifier`). */
    readonly verifier?: ModelInput['verifier'] | Verifier | VerifierPart;
  };

export interface ModelParts
  extends Omit<ModelInput, 'name' | 'engine' | 'verifier' | 'embedder' | 'policy' | 'panel'>,
    ModelPolicy,
    ModelPanel {
  readonly name?: string;
  readonly engine: Engine;
  /** Made, or defined (`defineVerifier`). Without one, only programs that need none can run. */
  readonly verifier?: Verifier | VerifierPart;
  /** Options of a defined verifier. */
  readonly verifierOptions?: PartOptions;
  /** Vectors for open answers, which are then grouped by what they mean: one for every text, in their order. */
  readonly embed?: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;
  /** Reads the answer off a finished path; by default what follows "the answer is", or stands in a box. */
  readonly extract?: Extract;
}

/** Settings of a model that is opened by name: its engine, reward model and checker are those that go with it. */
export type NamedSettings = Omit<Partial<ModelSettings>, 'name' | 'engine' | 'verifier' | 'embedder' | 'panel'>;

/**
 * Opens engine and verifier: `'sapling'` ships with coppice, any other text is the path of a GGUF file, and settings may name
 * servers. Secrets are read from the environment variables that the settings name.
 */
export function openModel(name?: string, settings?: NamedSettings): Promise<SearchModel>;
export function openModel(settings: ModelSettings): Promise<SearchModel>;
export async function openModel(
  model: ModelSettings | string = 'sapling',
  named?: NamedSettings,
): Promise<SearchModel> {
  if (typeof model === 'string') return openNamed(model, named);
  if (named !== undefined) raise('bad-setting', 'settings are given twice; the second argument goes with a name');
  const { policy, policyOptions, panel, verifier, ...rest } = model;
  const own = isOwnVerifier(verifier) ? { verifier: makeVerifier(verifier) } : undefined;
  const written = isOwnVerifier(verifier) || verifier === undefined ? {} : { verifier };
  const opened = await openParts(configOf({ ...rest, ...written }, policy), process.env);
  return new SearchModel({ ...opened, ...own }, ownPolicy(policy, policyOptions), panel);
}

function isOwnVerifier(verifier: ModelSettings['verifier']): verifier is Verifier | VerifierPart {
  return verifier !== undefined && !('kind' in verifier);
}

export async function openNamed(name: string, settings: NamedSettings = {}): Promise<SearchModel> {
  const own = ownPolicy(settings.policy, settings.policyOptions);
  return new SearchModel(await openParts(namedConfig(name, settings), process.env), own);
}

/** Settings overrule what the model comes with, so that a policy of one's own costs it neither reward model nor checker. */
export function namedConfig(name: string, { policy, policyOptions: _, ...rest }: NamedSettings): ModelConfig {
  return ownModel({ model: name, settings: { ...rest, ...policySetting(policy) } });
}

export function ownPolicy(
  policy: PolicyName | PolicyDefinition | undefined,
  options: PartOptions = {},
): OwnPolicy | undefined {
  if (typeof policy === 'object') return { definition: policy, options };
  checkPartOptions(`policy '${policy ?? 'of the model'}', which has no parts of its own`, [], options, 'policyOptions');
  return undefined;
}

/** A model of parts that the caller has made, and hands over: closing the model closes them. */
export function makeModel(given: ModelParts): SearchModel {
  const { engine, verifier, verifierOptions, embed, extract, policy, policyOptions, panel, ...settings } = given;
  // The configuration names a kind of engine, and this one has none. Only its caller advises it how to answer.
  const named = configOf(
    { stepPrompt: '', ...settings, engine: { kind: 'openai', urls: ['http://localhost'] } },
    policy,
  );
  const config = { ...named, engine: { kind: 'own' } };
  const parts: OpenModel = {
    config,
    engine,
    ...(verifier === undefined ? {} : { verifier: makeVerifier(verifier, verifierOptions) }),
    ...(embed === undefined ? {} : { embedder: embedderOf(embed) }),
    ...(extract === undefined ? {} : { extract }),
  };
  return new SearchModel(parts, ownPolicy(policy, policyOptions), panel);
}

/** The configuration waits as long for a server of embeddings. */
const embedMs = 5000;

function embedderOf(embed: NonNullable<ModelParts['embed']>): BatchedEmbedder {
  const texts = async (given: readonly string[]) => ({ vectors: await embed(given), tokens: 0 });
  return new BatchedEmbedder(texts, { name: 'embed', timeoutMs: embedMs });
}

/** The configuration knows policies and models of a panel by name: a policy of one's own stands beside it, and a synthesizer is checked with its panel. */
function configOf(
  {
    synthesizer,
    ...settings
  }: Omit<ModelInput, 'name' | 'policy' | 'panel'> & Pick<ModelParts, 'name' | 'synthesizer'>,
  policy: ModelPolicy['policy'],
): ModelConfig {
  const [config] = checkConfig({ models: [{ name: 'model', ...settings, ...policySetting(policy) }] }).models;
  return synthesizer === undefined ? config! : { ...config!, panel: { synthesizer } };
}

function policySetting(policy: ModelPolicy['policy']): { readonly policy?: PolicyName } {
  return policy === undefined ? {} : { policy: typeof policy === 'object' ? 'vanilla' : policy };
}
