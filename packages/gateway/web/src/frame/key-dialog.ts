// Asks for an API key if the server wants one. The key stays in this tab. The page behind it is empty: panels without data would look like
// an idle server.

import { rememberKey } from '../api/client.ts';
import { h } from '../dom/dom.ts';

let open = false;

export function lockedPage(onKey: () => void): HTMLElement {
  return h(
    'section',
    { class: 'panel locked' },
    h('h1', {}, 'This server asks for an API key'),
    h('p', { class: 'hint' }, 'Its operator gives them out. With one you see your own searches.'),
    h('button', { type: 'button', class: 'primary', onclick: () => askForKey(onKey) }, 'Enter a key'),
  );
}

export function askForKey(onKey: () => void): void {
  if (open) return;
  open = true;
  const field = h('input', { type: 'password', autocomplete: 'off', required: true, id: 'key', spellcheck: 'false' });
  const form = h(
    'form',
    {
      onsubmit: (event: Event) => {
        event.preventDefault();
        rememberKey(field.value.trim());
        dialog.close();
        onKey();
      },
    },
    h('label', { for: 'key' }, 'API key'),
    field,
    h('p', { class: 'hint' }, 'It is kept in this tab only.'),
    h('button', { class: 'primary' }, 'Continue'),
  );
  const dialog = h('dialog', { class: 'key-dialog' }, form);
  dialog.addEventListener('close', () => {
    open = false;
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
