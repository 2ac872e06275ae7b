// Shows a word's meaning while the pointer or the focus is on it, and after a tap; Escape hides it. One box serves the whole page. It is in
// the browser's top layer, so that no panel cuts it off, and always inside the window.

import { type GlossaryWord, glossary } from '../look/glossary.ts';
import { h, setText } from './dom.ts';

const margin = 8;
let box: HTMLElement | undefined;

/** `words`: the page's name for `word`. */
export function term(word: GlossaryWord, words: string = word): HTMLElement {
  const button = h('button', { type: 'button', class: 'term', 'aria-description': glossary[word] }, words);
  const show = () => showTip(button, glossary[word]);
  button.addEventListener('pointerenter', show);
  button.addEventListener('focus', show);
  button.addEventListener('click', show);
  button.addEventListener('pointerleave', hideTip);
  button.addEventListener('blur', hideTip);
  button.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hideTip();
  });
  return button;
}

function showTip(anchor: HTMLElement, text: string): void {
  box ??= h('div', { class: 'meaning', popover: 'manual', role: 'tooltip' });
  if (!box.isConnected) document.body.append(box);
  setText(box, text);
  box.showPopover();
  const { left, bottom, top } = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = bottom + 6 + height <= innerHeight - margin;
  box.style.left = `${Math.max(margin, Math.min(left, document.documentElement.clientWidth - width - margin))}px`;
  box.style.top = `${below ? bottom + 6 : Math.max(margin, top - height - 6)}px`;
}

function hideTip(): void {
  if (box?.matches(':popover-open')) box.hidePopover();
}
