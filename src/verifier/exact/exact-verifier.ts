// Scores a step by the rules of its task, where the question alone decides: the lines of a countdown path. 1 for a line that
// is right given the lines before it, 0 for one that is not. It never sees a gold answer: those only ever grade.

import { fault } from '../../base/fault.ts';
import type { RequestId } from '../../engine/engine.ts';
import { countdown } from '../../task/countdown.ts';
import type { Prompt } from '../../tree/step.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from '../verifier.ts';

const noUsage = { computedTokens: 0, cachedTokens: 0 } as const;

export class ExactVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities = { name: 'exact', aggregation: 'product', reusesPrefix: true };
  #post: ((message: VerifierMessage) => void) | undefined;

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
  }

  score(requests: readonly ScoreRequest[]): void {
    for (const request of requests) this.#post?.(answerTo(request));
  }

  cancel(_requests: readonly RequestId[]): void {}

  release(_search: string): void {}

  load(): VerifierLoad {
    return { waiting: 0, healthy: true };
  }

  async close(): Promise<void> {}
}

function answerTo({ id, prompt, path, step }: ScoreRequest): VerifierMessage {
  const question = questionOf(prompt);
  if (typeof countdown.recognise(question) !== 'string') {
    const problem = 'the exact verifier checks countdown questions alone; this one needs a reward model';
    return { type: 'fault', request: id, fault: fault('unsupported', problem) };
  }
  const lines = [...path.map((each) => each.step.text), step.text].map((text) => text.trimEnd());
  const verdict = countdown.judge(question, lines).at(-1);
  return { type: 'score', request: id, reward: verdict?.right ? 1 : 0, usage: noUsage };
}

function questionOf(prompt: Prompt): string {
  return (prompt.kind === 'text' ? prompt.text : (prompt.messages.at(-1)?.content ?? '')).trim();
}
