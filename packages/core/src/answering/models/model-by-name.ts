// A model of a command's flags, or by its name, as the configuration would name it.

import { raise } from '../../base/fault.ts';
import { checkConfig, overlay, type PlainTree } from '../../config/load.ts';
import { modelSettings } from '../../config/model-settings.ts';
import { type ShippedModel, shippedModel } from '../../config/plugin.ts';
import type { ModelConfig } from '../../config/schema.ts';
import type { RemoteVerifierKind } from '../../verifier/remote/open-verifier.ts';
import './built-in.ts';

export interface OwnModelOptions {
  /** Name of a shipped model, or path of a GGUF file; with `engines`, what the server calls it. */
  readonly model?: string | undefined;
  readonly engines?: readonly string[] | undefined;
  /** Servers of the reward model, and its format. */
  readonly verifiers?: readonly string[] | undefined;
  readonly kind?: RemoteVerifierKind | undefined;
  /** The reward model: a name or file, `exact`, or `none`; the one beside a shipped model where unset. */
  readonly prm?: string | undefined;
  /** Without a reward model, score steps by the generator's own confidence: for programs that need a verifier. */
  readonly needsVerifier?: boolean;
  readonly embedder?: string | undefined;
  readonly check?: string | undefined;
  readonly draft?: string | undefined;
  readonly stepPrompt?: string | undefined;
  readonly delimiters?: readonly string[] | undefined;
  /** Anything else of the model's section of the configuration; goes before the rest. */
  readonly settings?: PlainTree | undefined;
}

export function ownModel(options: OwnModelOptions): ModelConfig {
  const { check, delimiters, stepPrompt, embedder, settings = {} } = options;
  const shipped = shippedOf(options);
  const said = given({ check, ...(shipped === undefined ? { delimiters, stepPrompt } : {}) });
  const beside = given({ embedder: embedder && { url: embedder } });
  const parts = { engine: engineOf(options), verifier: verifierOf(options), ...beside };
  requireParts(settings, parts);
  const { models } = checkConfig({
    models: [
      overlay({ name: shipped === undefined ? 'own' : (options.model ?? 'sapling'), ...parts, ...said }, settings),
    ],
  });
  return models[0]!;
}

const opened = ['engine', 'verifier', 'embedder'];

/** A setting of a part that the model does not have, or of another kind of it, would say nothing. */
function requireParts(settings: PlainTree, parts: PlainTree): void {
  for (const { name, kinds } of modelSettings().values()) {
    const [part = '', key = ''] = name.split('.');
    const said = settings[part] as PlainTree | undefined;
    if (key === '' || said?.[key] === undefined || !opened.includes(part)) continue;
    const there = parts[part] as PlainTree | undefined;
    if (there === undefined) raise('bad-setting', `--set ${name} belongs to --${part} URL, which is not given`);
    if (kinds?.includes(String(there.kind)) === false)
      raise('bad-setting', `--set ${name} is for ${part}s of kind ${kinds.join(' or ')}; this one is '${there.kind}'`);
  }
}

/** The shipped model that is meant, if one is: servers serve no such names. */
export function shippedOf({ model = 'sapling', engines }: OwnModelOptions): ShippedModel | undefined {
  return engines === undefined ? shippedModel({ kind: 'llama', model }) : undefined;
}

function engineOf(options: OwnModelOptions): PlainTree {
  const { model, engines, draft } = options;
  if (engines !== undefined) return { kind: 'openai', urls: engines, ...given({ model }) };
  return { kind: 'llama', ...given({ model, draft }) };
}

function verifierOf(options: OwnModelOptions): PlainTree {
  const { verifiers, kind, prm, needsVerifier } = options;
  if (verifiers !== undefined) {
    const named = kind === 'judge' ? { kind } : { kind: 'prm', format: kind ?? 'qwen-prm' };
    return { ...named, urls: verifiers };
  }
  if (prm === 'exact') return { kind: 'exact' };
  if (prm !== undefined && prm !== 'none') return { kind: 'prm', model: prm };
  const beside = prm === undefined ? shippedOf(options)?.verifier : undefined;
  if (beside !== undefined && beside.kind !== 'none') return beside;
  return { kind: needsVerifier ? 'confidence' : 'none' };
}

function given(values: Readonly<Record<string, unknown>>): PlainTree {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
