// The answers of one search that are in the model's own words: which texts must have their vectors before an outcome can be told, and
// which group an answer joins when it is told. An answer joins the nearest group that is near enough, compared with the first member
// alone, or founds one: what is decided stands in the tree, so that a search goes on from its log with the groups it had. Where
// likeness is not transitive, groups depend on the order of folds, which the log has.

import { isOpenText, nearestText, type ReadText, type Vector } from '../../answer/likeness.ts';
import type { ChildOutcome, Outcome } from '../../program/program.ts';
import { type NodeKey, nodeKey } from '../../tree/keys.ts';
import type { Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';

type Success = ChildOutcome & { readonly ok: true };

interface Founder {
  readonly text: string;
  readonly group: NodeKey;
}

export class OpenAnswers {
  readonly #similarity: number;
  /** By text; undefined stands for one that could not be embedded: it is not asked for again, and is compared by its words. */
  readonly #vectors = new Map<string, Vector | undefined>();
  readonly #asked = new Set<string>();
  readonly #ask: (texts: readonly string[]) => void;
  readonly #founders: Founder[] = [];
  #scanned = 0;

  /** `similarity`: least cosine of two texts that mean the same. `ask` is answered by `note`. */
  constructor(similarity: number, ask: (texts: readonly string[]) => void) {
    this.#similarity = similarity;
    this.#ask = ask;
  }

  /** Asks, once each, for the texts of which nothing is known: its own, and after a restart those it is compared with. True where none is left. */
  prepare(tree: Tree, outcome: Outcome): boolean {
    const needed = this.#needed(tree, outcome).filter((text) => !this.#vectors.has(text));
    const fresh = needed.filter((text) => !this.#asked.has(text));
    for (const text of fresh) this.#asked.add(text);
    if (fresh.length > 0) this.#ask(fresh);
    return needed.length === 0;
  }

  /** What has come of a text that was asked for. */
  note(text: string, vector: Vector | undefined): void {
    this.#vectors.set(text, vector);
  }

  /** With its group, where the text could be read and somebody waits for it. */
  grouped(tree: Tree, outcome: Outcome): Outcome {
    const text = openTextOf(tree, outcome);
    const vector = text === undefined ? undefined : this.#vectors.get(text);
    if (text === undefined || vector === undefined) return outcome;
    const { node, step } = outcome as Success;
    const nearest = nearestText({ text, vector }, this.#known(tree), this.#similarity);
    return { ...(outcome as Success), group: nearest?.group ?? nodeKey(tree.node(node).key, step) };
  }

  #needed(tree: Tree, outcome: Outcome): string[] {
    const text = openTextOf(tree, outcome);
    return text === undefined ? [] : [text, ...this.#foundersOf(tree).map((founder) => founder.text)];
  }

  #known(tree: Tree): (Founder & ReadText)[] {
    return this.#foundersOf(tree).flatMap((founder) => {
      const vector = this.#vectors.get(founder.text);
      return vector === undefined ? [] : [{ ...founder, vector }];
    });
  }

  #foundersOf(tree: Tree): readonly Founder[] {
    for (; this.#scanned < tree.nodes.length; this.#scanned += 1) {
      const node = tree.nodes[this.#scanned]!;
      if (node.group !== node.key || node.step === undefined) continue;
      this.#founders.push({ text: node.answer ?? lastWords(node.parent, node.step.text), group: node.key });
    }
    return this.#founders;
  }
}

/** What the end of a path says, where somebody waits for it and it is prose: the answer that it marks, or its last words. */
function openTextOf(tree: Tree, outcome: Outcome): string | undefined {
  if (outcome.probe || !outcome.ok || outcome.below !== undefined) return undefined;
  const { step, answer, node, index } = outcome;
  const parent = tree.nodes[node];
  if (step.end !== 'eos' || step.unshaped || !parent?.inFlight?.has(index)) return undefined;
  const text = answer ?? lastWords(parent, step.text);
  return isOpenText(text) ? text : undefined;
}

/** The text of the last step, with those before it that were cut off by a limit, or that follow nothing but blanks. */
function lastWords(parent: Node | undefined, last: string): string {
  let [text, at] = [last, parent];
  for (; at?.step !== undefined && (at.step.end === 'length' || text.trim() === ''); at = at.parent)
    text = at.step.text + text;
  return text.trim();
}
