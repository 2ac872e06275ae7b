import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LoggedEvent, SearchEvent } from '../../../core/src/log/events.ts';
import { SearchFold } from '../../../core/src/log/fold.ts';
import type { Node } from '../../../core/src/tree/node.ts';
import type { StepEnd } from '../../../core/src/tree/step.ts';
import { SharedText } from './shared-text.ts';

class Scene {
  readonly fold = new SearchFold();
  readonly shared: SharedText;
  #sequence = 0;

  constructor(maxTokens?: number) {
    this.shared = new SharedText(this.fold, { program: 'mcts', rollouts: 16, maxTokens });
    this.tell({ type: 'planted', aggregation: 'product' });
  }

  tell(event: SearchEvent): void {
    const logged: LoggedEvent = { search: 's', sequence: this.#sequence, atMs: 0, event };
    this.#sequence += 1;
    this.fold.apply(logged);
    expect(this.fold.fault).toBeUndefined();
  }

  get nodes(): readonly Node[] {
    return this.fold.tree!.nodes;
  }

  /** Each by its own strand. */
  ask(node: number, ...indices: number[]): void {
    const strand = this.fold.tree!.nextStrand;
    this.tell({ type: 'opened', strand, node });
    this.tell({ type: 'asked', strand, node, indices, sampling: { temperature: 1 } });
  }

  grow(parent: number, index: number, text: string, end: StepEnd = 'delimiter'): number {
    const node = this.fold.nodes;
    const step = { text, tokens: 1, meanLogprob: 0, end };
    this.tell({ type: 'grown', node, key: node, parent, index, step, reward: 0.5, terminal: end === 'eos' });
    return node;
  }

  taken(): string {
    return this.shared
      .take()
      .map(({ kind, text }) => `${kind}:${text}`)
      .join('|');
  }
}

const textOf = ({ step }: Node) => step!.text;

describe('shared text', () => {
  test('nothing is certain while a sibling is in flight', () => {
    const scene = new Scene();
    scene.ask(0, 0, 1);
    scene.grow(0, 0, 'a');
    expect(scene.taken()).toBe('');
    scene.tell({ type: 'merged', into: 1, parent: 0, index: 1, tokens: 1 });
    expect(scene.taken()).toBe('reasoning:a');
    expect(scene.taken()).toBe('');
  });

  test('siblings that differ wait for the branch that is chosen', () => {
    const scene = new Scene();
    scene.ask(0, 0, 1);
    scene.grow(0, 0, 'First we add.');
    const second = scene.grow(0, 1, 'First we multiply.');
    expect(scene.taken()).toBe('');
    scene.ask(second, 0);
    const end = scene.grow(second, 0, 'Done: 24', 'eos');
    expect(scene.taken()).toBe('');
    const rest = scene.shared.finish(scene.fold.pathTo(end));
    expect(rest).toEqual([
      { kind: 'reasoning', text: 'First we multiply.' },
      { kind: 'content', text: 'Done: 24' },
    ]);
  });

  test('a child that a closed strand left behind may still come', () => {
    const scene = new Scene();
    scene.ask(0, 0, 1);
    scene.grow(0, 0, 'a');
    scene.tell({ type: 'closed', strand: 0, closing: 'preempted' });
    expect(scene.taken()).toBe('');
  });

  test('a step that a limit cut waits for its rest, and is one with it', () => {
    const scene = new Scene();
    scene.ask(0, 0);
    const first = scene.grow(0, 0, 'The answer ', 'length');
    expect(scene.taken()).toBe('');
    scene.ask(first, 0);
    const end = scene.grow(first, 0, 'is 24.', 'eos');
    expect(scene.taken()).toBe('content:The answer is 24.');
    expect(scene.shared.finish(scene.fold.pathTo(end))).toEqual([]);
  });

  test('text beyond the token limit is not sent', () => {
    const scene = new Scene(1);
    scene.ask(0, 0);
    const first = scene.grow(0, 0, 'a');
    scene.ask(first, 0);
    scene.grow(first, 0, 'b');
    expect(scene.taken()).toBe('reasoning:a');
  });

  test('nothing is certain in programs that add children to nodes they left', () => {
    const scene = new Scene();
    const samples = new SharedText(scene.fold, { program: 'self-consistency', rollouts: 16 });
    scene.ask(0, 0);
    scene.grow(0, 0, 'a');
    expect(samples.take()).toEqual([]);
  });

  test('sent text is the beginning of the chosen path, whatever grows and whichever path wins', () => {
    const word = fc.constantFrom('a', 'ab', 'abc', 'b', '');
    const child = fc.record({ text: word, fate: fc.constantFrom('lands', 'cut', 'ends', 'withers' as const) });
    const ends = { lands: 'delimiter', cut: 'length', ends: 'eos' } as const;
    const expansion = fc.record({
      pick: fc.nat(),
      children: fc.array(child, { minLength: 1, maxLength: 3 }),
      look: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(expansion, { minLength: 1, maxLength: 12 }), fc.nat(), (expansions, winner) => {
        const scene = new Scene();
        const sent: { kind: string; text: string }[] = [];
        const look = () => sent.push(...scene.shared.take());
        for (const { pick, children, look: peek } of expansions) {
          const leaves = scene.nodes.filter((node) => !node.terminal && node.children.length === 0);
          const leaf = leaves[pick % Math.max(1, leaves.length)];
          if (leaf === undefined) break;
          scene.ask(leaf.id, ...children.keys());
          children.forEach(({ text, fate }, index) => {
            const twin = leaf.children.find(
              ({ step }) => fate !== 'withers' && step?.text === text && step.end === ends[fate],
            );
            if (fate === 'withers') scene.tell({ type: 'withered', parent: leaf.id, index, code: 'internal' });
            else if (twin !== undefined)
              scene.tell({ type: 'merged', into: twin.id, parent: leaf.id, index, tokens: 1 });
            else scene.grow(leaf.id, index, text, ends[fate]);
            if (peek) look();
          });
          look();
        }
        // Any terminal node may win, and any leaf if no path was completed.
        const tips = scene.nodes.filter((node) => node.terminal || node.children.length === 0);
        const path = scene.fold.pathTo(tips[winner % tips.length]!.id);
        const before = sent.map(({ text }) => text).join('');
        sent.push(...scene.shared.finish(path));
        const whole = (kind: string) =>
          sent
            .filter((each) => each.kind === kind)
            .map(({ text }) => text)
            .join('');
        expect(path.map(textOf).join('').startsWith(before)).toBe(true);
        const last = path.findIndex(({ terminal, step }) => terminal && step?.text !== '');
        const isUncut = ({ step }: Node) => step?.end !== 'length';
        const begins = last < 0 ? path.length : path.slice(0, last).findLastIndex(isUncut) + 1;
        expect(whole('reasoning')).toBe(path.slice(0, begins).map(textOf).join(''));
        expect(whole('content')).toBe(path.slice(begins).map(textOf).join(''));
      }),
      { numRuns: 500 },
    );
  });
});
