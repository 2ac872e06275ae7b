// The answers of one search that are in the model's own words: which texts must have their vectors before an outcome can be told, and
// which group an answer joins when it is told. An answer joins the nearest group that is near enough, compared with the first member
// alone, or founds one: what is decided stands in the tree, so that a search goes on from its log with the groups it had. Where
// likeness is not transitive, groups depend on the order of folds, which the log has.

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
  /** By text; undefined stands for one that could not be embedded: it is not asked for again, and is compared by its words. */
  readonly #vectors = new Map<string, Vector | undefined>();
  /** What the tree says of texts: the same words are in the same group ever after. */
  readonly #groups = new Map<string, NodeKey>();
  readonly #founders: Founder[] = [];
  #scanned = 0;

  /** `similarity`: least cosine of two texts that mean the same. `ask` is answered by `note`. */
  constructor(similarity: number, ask: (texts: readonly string[]) => void) {
    this.#similarity = similarity;
    this.#ask = ask;
  }

  /** Asks, once each, for the texts of which nothing is known: its own, and after a restart those it is compared with. True where none is left. */
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

  /** With its group, where the text could be read and a strand waits for it. */
  grouped(tree: Tree, outcome: Outcome): Outcome {
    this.#read(tree);
    const text = openTextOf(tree, outcome);
    if (text === undefined || outcome.probe || !outcome.ok) return outcome;
    const own = nodeKey(tree.node(outcome.node).key, outcome.step);
    return { ...outcome, group: this.#groups.get(text) ?? this.#groupOf(text, own) };
  }

  /** Of the nearest founder, or its own where none is near; undefined where it has no vector. */
  #groupOf(text: string, own: NodeKey): NodeKey | undefined {
    const vector = this.#vectors.get(text);
    if (vector === undefined) return undefined;
    const known = this.#founders.flatMap((founder): (Founder & ReadText)[] => {
      const theirs = this.#vectors.get(founder.text);
      return theirs === undefined ? [] : [{ ...founder, vector: theirs }];
    });
    return nearestText({ text, vector }, known, this.#similarity)?.group ?? own;
  }

  /** What has been decided since it was last read. Only the vectors of founders are needed any more. */
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

/** What the end of a path says, where a strand waits for it and it is prose: the answer that it marks, or its last words. */
function openTextOf(tree: Tree, outcome: Outcome): string | undefined {
  if (outcome.probe || !outcome.ok || outcome.below !== undefined) return undefined;
  const { step, answer, node, index } = outcome;
  const parent = tree.nodes[node];
  if (step.end !== 'eos' || step.unshaped || !parent?.inFlight?.has(index)) return undefined;
  const text = answer ?? lastWords(parent, step);
  return isOpenText(text) ? text : undefined;
}

/** The text of the last step, with those before it that were cut off by a limit, or that follow nothing but blanks. */
function lastWords(parent: Node | undefined, last: Step): string {
  let [text, step, at] = [answerPart(last), last, parent];
  while (step.turn === undefined && at?.step !== undefined && (at.step.end === 'length' || text.trim() === '')) {
    step = at.step;
    text = answerPart(step) + text;
    at = at.parent;
  }
  return text.trim();
}
