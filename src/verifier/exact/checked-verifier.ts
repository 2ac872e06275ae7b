// A verifier whose steps are computed first. `arithmetic`: a step that states a false equation between plain numbers scores 0
// at once, without a call. `lines` lets the checker of the task judge as well: a line that is false scores 0, one that is
// true scores 1. What nobody can judge goes to the verifier behind. A reward model of any size guesses at large
// products; a calculator does not. Never sees a gold answer; a checker that throws counts as one that does not know.

import { falseEquation } from '../../answer/equations.ts';
import { isAnswer, type RequestId, type Urgency } from '../../engine/engine.ts';
import { checkLine } from '../../task/check.ts';
import type { LineCheck } from '../../task/task.ts';
import { questionOf } from '../scorer.ts';
import type { ScoreRequest, Verifier, VerifierCapabilities, VerifierLoad, VerifierMessage } from '../verifier.ts';

export const checkNames = ['none', 'arithmetic', 'lines'] as const;
export type CheckName = (typeof checkNames)[number];

export interface CheckedOptions {
  readonly check: Exclude<CheckName, 'none'>;
  /** The checker of lines; that of the tasks unless said. */
  readonly checkLine?: typeof checkLine;
  /** Told once, when a checker throws. */
  readonly onTrouble?: (problem: string) => void;
}

const noUsage = { computedTokens: 0, cachedTokens: 0 } as const;

export class CheckedVerifier implements Verifier {
  readonly capabilities: VerifierCapabilities;
  readonly #behind: Verifier;
  readonly #options: CheckedOptions;
  /** Lines known to be true that the verifier behind is asked about for their promise alone. */
  readonly #known = new Set<RequestId>();
  #post: ((message: VerifierMessage) => void) | undefined;
  #troubled = false;

  constructor(behind: Verifier, options: CheckedOptions) {
    this.#behind = behind;
    this.#options = options;
    this.capabilities = { ...behind.capabilities, name: `${behind.capabilities.name}, ${options.check} checked` };
  }

  connect(post: (message: VerifierMessage) => void): void {
    this.#post = post;
    this.#behind.connect((message) => {
      const isKnown = isAnswer(message) && this.#known.delete(message.request);
      post(isKnown ? asTrue(message) : message);
    });
  }

  score(requests: readonly ScoreRequest[]): void {
    const open: ScoreRequest[] = [];
    for (const request of requests) {
      const check = this.#judge(request);
      if (check === 'unknown') open.push(request);
      else if (check === 'false' || !request.promise) this.#answer(request, check === 'true' ? 1 : 0);
      else {
        this.#known.add(request.id);
        open.push(request);
      }
    }
    if (open.length > 0) this.#behind.score(open);
  }

  cancel(requests: readonly RequestId[]): void {
    this.#behind.cancel(requests);
  }

  update(request: RequestId, urgency: Urgency): void {
    this.#behind.update?.(request, urgency);
  }

  release(search: string): void {
    this.#behind.release(search);
  }

  load(): VerifierLoad {
    return this.#behind.load();
  }

  close(): Promise<void> {
    return this.#behind.close();
  }

  #answer({ id }: ScoreRequest, reward: number): void {
    this.#post?.({ type: 'score', request: id, reward, usage: noUsage });
  }

  #judge(request: ScoreRequest): LineCheck {
    const check = this.#options.check === 'lines' ? this.#line(request) : 'unknown';
    if (check !== 'unknown') return check;
    return falseEquation(request.step.text) === undefined ? 'unknown' : 'false';
  }

  #line({ prompt, path, step }: ScoreRequest): LineCheck {
    const { checkLine: judge = checkLine, onTrouble } = this.#options;
    const before = path.map((each) => each.step.text);
    try {
      return judge(questionOf(prompt), before, step.text);
    } catch (error) {
      if (!this.#troubled)
        onTrouble?.(`a checker of lines failed, and such lines count as unchecked: ${String(error)}`);
      this.#troubled = true;
      return 'unknown';
    }
  }
}

/** The reward is known; of what the verifier behind says only the promise counts, and it may fail to say. */
function asTrue(message: VerifierMessage): VerifierMessage {
  if (message.type === 'score') return { ...message, reward: 1 };
  if (message.type !== 'fault' || message.fault.code === 'cancelled') return message;
  return { type: 'score', request: message.request, reward: 1, usage: noUsage };
}
