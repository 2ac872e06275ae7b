// Models whose engines failed draws that named them: how often since the last step of theirs, and why. From that follows who is absent:
// programs that can ask another model do so for the rest of the search. Only the fold (tree.ts) writes to it.

import type { FaultCode } from '../base/fault.ts';

/** An engine says these when it has tried all that it can, or will never do it. */
const atOnce: ReadonlySet<FaultCode> = new Set(['unavailable', 'timeout', 'refused', 'unsupported', 'bad-setting']);
/** Other faults, such as a step that is not what was asked for, count after so many in a row. */
const inARow = 3;

export class Absences {
  /** Models that have answered or failed a draw that named them. */
  readonly #failures: Map<string, { readonly count: number; readonly code: FaultCode | undefined }>;

  constructor(from?: Absences) {
    this.#failures = new Map(from === undefined ? [] : from.#failures);
  }

  failed(model: string, code: FaultCode): void {
    const { count } = this.#failures.get(model) ?? { count: 0 };
    this.#failures.set(model, { count: count + (atOnce.has(code) ? inARow : 1), code });
  }

  wrote(model: string): void {
    this.#failures.set(model, { count: 0, code: undefined });
  }

  has(model: string): boolean {
    return (this.#failures.get(model)?.count ?? 0) >= inARow;
  }

  get all() {
    return [...this.#failures].flatMap(([model, { code }]) => {
      return this.has(model) && code !== undefined ? [{ model, code }] : [];
    });
  }

  get isTotal(): boolean {
    return this.#failures.size > 0 && this.all.length === this.#failures.size;
  }
}

/** Names absent models with fault codes: messages may speak of servers that are no business of a client. */
export function absenceText(absences: Absences['all']): string {
  return absences.map(({ model, code }) => `${model} (${code})`).join(', ');
}
