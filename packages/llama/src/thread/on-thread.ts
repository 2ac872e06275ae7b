// The calls that the engine and the reward model pass on to their thread unchanged.

import type { MeasuredPoints } from '@coppice/core/cost';
import type { RequestId, Urgency } from '@coppice/core/engine';
import type { LlamaThread } from './thread.ts';
import type { ThreadInfo, ThreadLoad } from './thread-messages.ts';

// Long enough to measure every point on a small model, short enough to wait for.
const selfMeasurementMs = 2_000;

export abstract class OnThread {
  protected thread: LlamaThread;

  constructor(thread: LlamaThread) {
    this.thread = thread;
  }

  get info(): ThreadInfo {
    return this.thread.info;
  }

  get counts(): ThreadLoad {
    return this.thread.load;
  }

  cancel(requests: readonly RequestId[]): void {
    this.thread.cancel(requests);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.thread.update(request, urgency);
  }

  release(search: string): void {
    this.thread.release(search);
  }

  /** Measures the cost table of this model on this machine; nothing else may run meanwhile. */
  measure(budgetMs = selfMeasurementMs): Promise<MeasuredPoints> {
    return this.thread.measure(budgetMs);
  }

  close(): Promise<void> {
    return this.thread.close();
  }
}
