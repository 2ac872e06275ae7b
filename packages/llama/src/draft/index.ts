// What other packages may import of this folder, as `@coppice/llama/draft`. A list only.

export { DraftDesk } from './draft-desk.ts';
export { Drafts, draftDefaults } from './drafts.ts';
