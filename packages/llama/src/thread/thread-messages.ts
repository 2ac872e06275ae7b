// Messages between the engine's thread and its owner: plain data for structured clone.

import type { Fault } from '@coppice/core/base';
import type { MeasuredPoints } from '@coppice/core/cost';
import type { GenerateRequest, RequestId, TemplateThinking, Urgency } from '@coppice/core/engine';
import type { ReadRequest } from '../batch/reading.ts';
import type { DraftOptions } from '../draft/drafts.ts';
import type { SharedWeights } from '../native/model.ts';
import type { CoreMessage } from './answers.ts';
import type { CoreCounts, CoreOptions } from './core-options.ts';

export type ThreadOptions = CoreOptions & {
  readonly draft?: DraftOptions;
  /** A trial finds the fastest number of threads; `threads` applies until then. */
  readonly triesThreads?: boolean;
  /** Folder of the libllama to load; by default the platform's usual one. A process must use only one. */
  readonly libraryDirectory?: string;
};

export type ToThread =
  | { readonly type: 'generate'; readonly requests: readonly GenerateRequest[] }
  | { readonly type: 'read'; readonly requests: readonly ReadRequest[] }
  | { readonly type: 'cancel'; readonly requests: readonly RequestId[] }
  | { readonly type: 'update'; readonly request: RequestId; readonly urgency: Urgency }
  | { readonly type: 'release'; readonly search: string }
  | { readonly type: 'measure'; readonly budgetMs: number }
  | { readonly type: 'close' };

export interface ThreadInfo {
  readonly name: string;
  readonly parameters: number;
  readonly bytes: number;
  readonly contextTokens: number;
  readonly kvTokenBytes: number;
  readonly vocabularySize: number;
  readonly vocabularyHash: number;
  readonly hasChatTemplate: boolean;
  readonly thinking: TemplateThinking | undefined;
  /** Threads per decode, configured or found by trial. */
  readonly threads: number;
  readonly library: string;
}

export type ThreadLoad = CoreCounts & { readonly stepMs: number | undefined };

export type FromThread =
  | { readonly type: 'ready'; readonly info: ThreadInfo; readonly weights: SharedWeights }
  | { readonly type: 'failed'; readonly fault: Fault }
  | { readonly type: 'measured'; readonly points: MeasuredPoints | Fault }
  | { readonly type: 'messages'; readonly messages: readonly CoreMessage[]; readonly load: ThreadLoad };
