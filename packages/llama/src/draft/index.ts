// `@coppice/llama/draft`: the names that other packages may import. A list only.

export { DraftDesk } from './draft-desk.ts';
export { Drafts, draftDefaults } from './drafts.ts';
