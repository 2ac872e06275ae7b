// What other packages may import of this folder, as `@coppice/llama/draft`. A list only.

export { DraftDesk } from './draft-desk.ts';
export type { Draft, DraftJob } from './draft-model.ts';
export { type DraftLink, type DraftOptions, Drafts, draftDefaults, type ToDrafter } from './drafts.ts';
