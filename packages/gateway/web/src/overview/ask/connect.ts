// Shows how to use this server from elsewhere: base URL, model, a command to paste, and the documentation.

import { hasKey } from '../../api/client.ts';
import { h, setText } from '../../dom/dom.ts';
import { curl } from './curl-command.ts';

export interface Connect {
  readonly element: HTMLElement;
  show(model: string, question: string): void;
}

export function makeConnect(): Connect {
  const base = new URL('v1', document.baseURI).href;
  const model = h('code', {});
  const command = h('code', {});
  const element = h(
    'details',
    { class: 'connect' },
    h('summary', {}, 'Use it from your code'),
    h(
      'dl',
      {},
      row(
        'Base URL',
        h('code', {}, base),
        copyButton('base URL', () => base),
      ),
      row(
        'Model',
        model,
        copyButton('model', () => model.textContent ?? ''),
      ),
    ),
    h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Command' }, command),
    h(
      'p',
      { class: 'connect-foot' },
      copyButton('command', () => command.textContent ?? ''),
      h('a', { href: '#/reference' }, 'Documentation of this server'),
      h('a', { href: new URL('openapi.json', document.baseURI).href }, 'OpenAPI document'),
    ),
    h(
      'p',
      { class: 'hint' },
      'Any client for OpenAI\u2019s or Anthropic\u2019s APIs works: set its base URL and its model.',
    ),
  );
  return {
    element,
    show(name, question) {
      setText(model, name);
      setText(command, curl({ base, model: name, question, hasKey: hasKey() }));
    },
  };
}

function row(name: string, ...content: readonly HTMLElement[]): HTMLElement {
  return h('div', {}, h('dt', {}, name), h('dd', {}, ...content));
}

/** Without HTTPS or localhost there is no clipboard: the button says so. */
function copyButton(what: string, read: () => string): HTMLElement {
  const button = h('button', { type: 'button', 'aria-label': `Copy the ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(read());
      setText(button, 'Copied');
    } catch {
      setText(button, 'Select it to copy');
    }
    setTimeout(() => setText(button, 'Copy'), 1500);
  });
  return button;
}
