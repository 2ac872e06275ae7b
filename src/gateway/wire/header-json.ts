// Headers of an answer by search, for clients that read no field of ours. Of a stream only what is known before its verdict is.

import { text, verdict } from './parts.ts';

export const verdictHeader = 'x-coppice-verdict';
export const searchHeader = 'x-coppice-search';
/** Fields of the body that were taken and changed nothing, with commas between them. */
export const ignoredHeader = 'x-coppice-ignored';

export const answerHeaders = { [verdictHeader]: verdict, [searchHeader]: text, [ignoredHeader]: text };
