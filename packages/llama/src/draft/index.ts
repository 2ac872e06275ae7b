// `@coppice/llama/draft`: the names that other packages may import. A list only.

export { DraftQueue } from './draft-queue.ts';
export { Drafts, draftDefaults } from './drafts.ts';
