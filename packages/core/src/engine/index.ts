// What other packages may import of this folder, as `@coppice/core/engine`. A list only.

export {
  allNeeds,
  compareUrgency,
  type DraftRecord,
  type Engine,
  type EngineCapabilities,
  type EngineLoad,
  type EngineMessage,
  type GenerateRequest,
  type GenerationUsage,
  isAnswer,
  type JsonSchema,
  type PathStep,
  plainTurn,
  type ReadTokens,
  type RequestId,
  type TemplateThinking,
  type Urgency,
} from './engine.ts';
export { type PanelMember, panelEngine } from './panel/panel-engine.ts';
export { SharedEngine } from './panel/shared-engine.ts';
export type { Call, DialectName, ServerFacts } from './remote/dialect/dialect.ts';
export { dialects } from './remote/dialect/dialects.ts';
export { readGauges } from './remote/dialect/gauges.ts';
export { probe } from './remote/dialect/probe.ts';
export { render } from './remote/dialect/render.ts';
export { vllm } from './remote/dialect/vllm.ts';
export { openRemoteEngine } from './remote/open-engine.ts';
export type { RemoteEngine } from './remote/remote-engine.ts';
export { inPreference, replicaOf } from './remote/replica/route.ts';
export { UrgencyQueue } from './urgency-queue.ts';
