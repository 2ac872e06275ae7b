// Exports of this folder to other packages, as `@coppice/core/config`. A list only.

export { fieldsOf, issueLine, issueWords, real, schemaOf } from './knob.ts';
export { checkConfig, loadConfig, nest, overlay, type PlainTree, registeredSchema, version } from './load.ts';
export { budgetKnob, budgetOf } from './model.ts';
export { modelSettings, settingValue } from './model-settings.ts';
export { namedParts, namedPaths } from './named-options.ts';
export {
  type EngineKind,
  engineKind,
  type FormQuestion,
  type JournalOpening,
  journalKind,
  type Opening,
  type OpeningLog,
  type OpenJournal,
  type OpenParts,
  type OpenVerifier,
  type Plugin,
  questionFile,
  registerPlugin,
  type ShippedModel,
  shippedModel,
  type Upstream,
  type VerifierKind,
} from './plugin.ts';
export { readText } from './read-text.ts';
export type { Config, KeyConfig, LimitsConfig, ModelConfig, ServerConfig } from './schema.ts';
export { efforts, keyName } from './schema.ts';
export { type Environment, type KindSection, keyIn, plainSection } from './sections.ts';
export {
  bodyName,
  flagKnobs,
  flagName,
  flagValue,
  type InternalOptions,
  knobOf,
  modelKnobs,
  policySettingKnobs,
  requestKnobs,
  type SearchKnob,
  type SearchSettings,
  samplingKnobs,
  searchKnobNames,
  settingName,
  withInternal,
} from './vocabulary.ts';
