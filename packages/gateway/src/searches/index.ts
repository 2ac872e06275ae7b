// Exports of `@coppice/gateway/searches`. A list only.

export type { LiveSearch } from './live-search.ts';
export { Searches } from './searches.ts';
