// Exports of `@coppice/gateway/models`. A list only.

export type { Loop } from './served-model.ts';
