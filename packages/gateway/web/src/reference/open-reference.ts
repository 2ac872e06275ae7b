// Shows the server's documentation: its endpoints, the settings of a search with their bounds, and the words of the page. Made from its
// OpenAPI document, so that it always fits its version.

import { readReference } from '../api/client.ts';
import { type Content, fill, h } from '../dom/dom.ts';
import { glossary } from '../look/glossary.ts';
import { type EndpointLine, endpointsOf, type SettingLine, settingsOf } from './read-reference.ts';

export async function openReference(main: HTMLElement, signal: AbortSignal): Promise<void> {
  document.title = 'coppice: documentation';
  fill(main, h('p', { class: 'hint loading' }, 'Reading the documentation…'));
  try {
    const document = await readReference();
    if (!signal.aborted) fill(main, page(endpointsOf(document), settingsOf(document)));
  } catch (error) {
    const words = `The documentation cannot be read: ${(error as Error).message}`;
    if (!signal.aborted) fill(main, h('p', { class: 'problem', role: 'alert' }, words));
  }
}

function page(endpoints: readonly EndpointLine[], settings: readonly SettingLine[]): HTMLElement {
  const base = new URL('v1', globalThis.document.baseURI).href;
  return h(
    'article',
    { class: 'reference' },
    h('h1', {}, 'Documentation of this server'),
    h(
      'p',
      {},
      'The base URL for OpenAI’s clients is ',
      h('code', {}, base),
      '. Everything that coppice adds stands in the object ',
      h('code', {}, 'coppice'),
      ' of a request. All shapes are in the ',
      h('a', { href: new URL('openapi.json', globalThis.document.baseURI).href }, 'OpenAPI document'),
      '.',
    ),
    section(
      'Settings of a search',
      'In the object “coppice” of a request, each of them optional.',
      settings.map(({ name, values, about }) => [h('code', {}, name), values, about]),
    ),
    section(
      'Addresses',
      '',
      endpoints.map(({ method, path, about }) => [h('code', {}, `${method} ${path}`), about]),
    ),
    section(
      'Words',
      '',
      Object.entries(glossary).map(([word, meaning]) => [h('b', {}, word), meaning]),
    ),
  );
}

function section(name: string, about: string, rows: readonly (readonly Content[])[]): HTMLElement {
  const lines = rows.map((cells) => h('tr', {}, ...cells.map((cell) => h('td', {}, cell))));
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, name),
    about === '' ? undefined : h('p', { class: 'hint' }, about),
    h('table', {}, h('tbody', {}, ...lines)),
  );
}
