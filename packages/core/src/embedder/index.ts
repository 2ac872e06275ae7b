// What other packages may import of this folder, as `@coppice/core/embedder`. A list only.

export type { Embedder } from './embedder.ts';
export { type EndpointOptions, openEndpoint } from './embeddings-endpoint.ts';
export { probeTexts } from './probe-texts.ts';
