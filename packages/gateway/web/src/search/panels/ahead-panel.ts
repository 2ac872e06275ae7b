// Shows the speculation of a search: right guesses by distance and by depth, and where their tokens went. Hidden if there was none.

import { type Cost, type GrowthTotals, type Guesses, sumOfGuesses } from '@coppice/core/log';
import { fill, h, setText } from '../../dom/dom.ts';
import { formatCount } from '../../look/words.ts';

export class AheadPanel {
  readonly #summary = h('summary', {});
  readonly #list = h('ol', {});
  readonly element = h('details', { class: 'panel widths ahead' }, this.#summary, this.#list);

  show({ byDistance, byDepth }: GrowthTotals, cost: Cost | undefined): void {
    const { guessed, right } = sumOfGuesses(byDistance);
    this.element.hidden = guessed === 0;
    if (guessed === 0) return;
    const wasted = cost === undefined ? '' : `, ${formatCount(wastedTokens(cost))} tokens wasted`;
    setText(this.#summary, `Grown ahead: ${right} of ${guessed} steps right${wasted}`);
    const lines = [
      ...(cost === undefined ? [] : [line('tokens', tokensAhead(cost))]),
      ...lineOf('steps ahead of the tree', byDistance),
      ...lineOf('depth', byDepth),
    ];
    fill(this.#list, ...lines);
  }
}

function line(name: string, words: string): HTMLElement {
  return h('li', {}, h('b', {}, name), h('span', {}, words));
}

function lineOf(name: string, guesses: readonly Guesses[]): HTMLElement[] {
  const counted = guesses.flatMap(({ guessed, right }, at) =>
    guessed === 0 ? [] : [`${at + 1}:\u00a0${right}\u00a0of\u00a0${guessed}`],
  );
  return counted.length === 0 ? [] : [line(`right, by ${name}`, counted.join(' · '))];
}

function tokensAhead(cost: Cost): string {
  return `${formatCount(cost.adoptedTokens ?? 0)} used, ${formatCount(wastedTokens(cost))} wasted`;
}

function wastedTokens({ forsakenTokens = 0, speculativeTokens }: Cost): number {
  return forsakenTokens + speculativeTokens;
}
