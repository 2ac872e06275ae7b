// Groups the answers of one search that are prose. An answer joins the nearest group whose first member is near enough, or founds one.
// Decisions stand in the tree, so a search goes on from its log with the same groups.

import { isOpenText, nearestText, type ReadText, type Vector } from '../../answer/likeness.ts';
import type { Outcome } from '../../program/program.ts';
import { type NodeKey, nodeKey } from '../../tree/keys.ts';
import { answerPart, type Node } from '../../tree/node.ts';
import type { Step } from '../../tree/step.ts';
import type { Tree } from '../../tree/tree.ts';

interface Founder {
  readonly text: string;
  readonly group: NodeKey;
}

export class OpenAnswers {
  readonly #similarity: number;
  readonly #ask: (texts: readonly string[]) => void;
  readonly #asked = new Set<string>();
  /** Vectors of texts; undefined for a text that could not be embedded. */
  readonly #vectors = new Map<string, Vector | undefined>();
  /** Read from the tree: the same words stay in one group. */
  readonly #groups = new Map<string, NodeKey>();
  readonly #founders: Founder[] = [];
  #scanned = 0;

  /** `similarity`: least cosine of two texts that mean the same. `ask` is answered by `note`. */
  constructor(similarity: number, ask: (texts: readonly string[]) => void) {
    this.#similarity = similarity;
    this.#ask = ask;
  }

  /** Asks once for each vector that is missing: of the answer and, after a restart, of the founders. True where none is missing. */
  prepare(tree: Tree, outcome: Outcome): boolean {
    this.#read(tree);
    const text = openTextOf(tree, outcome);
    if (text === undefined || this.#groups.has(text)) return true;
    const compared = [text, ...this.#founders.map((founder) => founder.text)];
    const needed = compared.filter((each) => !this.#vectors.has(each));
    const fresh = needed.filter((each) => !this.#asked.has(each));
    for (const each of fresh) this.#asked.add(each);
    if (fresh.length > 0) this.#ask(fresh);
    return needed.length === 0;
  }

  note(text: string, vector: Vector | undefined): void {
    this.#vectors.set(text, vector);
  }

  grouped(tree: Tree, outcome: Outcome): Outcome {
    this.#read(tree);
    const text = openTextOf(tree, outcome);
    if (text === undefined || outcome.probe || !outcome.ok) return outcome;
    const own = nodeKey(tree.node(outcome.node).key, outcome.step);
    return { ...outcome, group: this.#groups.get(text) ?? this.#groupOf(text, own) };
  }

  #groupOf(text: string, own: NodeKey): NodeKey | undefined {
    const vector = this.#vectors.get(text);
    if (vector === undefined) return undefined;
    const known = this.#founders.flatMap((founder): (Founder & ReadText)[] => {
      const theirs = this.#vectors.get(founder.text);
      return theirs === undefined ? [] : [{ ...founder, vector: theirs }];
    });
    return nearestText({ text, vector }, known, this.#similarity)?.group ?? own;
  }

  #read({ nodes }: Tree): void {
    for (; this.#scanned < nodes.length; this.#scanned += 1) {
      const { group, key, answer, parent, step } = nodes[this.#scanned]!;
      if (group === undefined || step === undefined) continue;
      const text = answer ?? lastWords(parent, step);
      if (this.#groups.has(text)) continue;
      this.#groups.set(text, group);
      if (group === key) this.#founders.push({ text, group });
      else this.#vectors.delete(text);
    }
  }
}

/** The marked answer of an ended path, or its last words; undefined unless it is prose that a strand waits for. */
function openTextOf(tree: Tree, outcome: Outcome): string | undefined {
  if (outcome.probe || !outcome.ok || outcome.below !== undefined) return undefined;
  const { step, answer, node, index } = outcome;
  const parent = tree.nodes[node];
  if (step.end !== 'eos' || step.unshaped || !parent?.inFlight?.has(index)) return undefined;
  const text = answer ?? lastWords(parent, step);
  return isOpenText(text) ? text : undefined;
}

/** The text of the last step, with earlier steps that a limit cut off or that only blanks follow. */
function lastWords(parent: Node | undefined, last: Step): string {
  let [text, step, at] = [answerPart(last), last, parent];
  while (step.turn === undefined && at?.step !== undefined && (at.step.end === 'length' || text.trim() === '')) {
    step = at.step;
    text = answerPart(step) + text;
    at = at.parent;
  }
  return text.trim();
}
