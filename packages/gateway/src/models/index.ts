// What other packages may import of this folder, as `@coppice/gateway/models`. A list only.

export type { Loop } from './served-model.ts';
