// The box to ask: a question, or one of the examples that the default model can answer. Starts a search in the background
// and opens it.

import { listExamples, listModels, RequestError, startSearch } from '../api/client.ts';
import { fill, h } from '../dom/dom.ts';

const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export function makeAskBox(): HTMLElement {
  const field = h('textarea', {
    id: 'question',
    rows: 1,
    placeholder: 'Ask a question…',
    maxlength: 20_000,
    required: true,
  });
  const model = h('select', { 'aria-label': 'Model', hidden: true });
  const effort = h(
    'select',
    { 'aria-label': 'Effort' },
    ...efforts.map((each) => h('option', { value: each, selected: each === 'medium' }, `${each} effort`)),
  );
  const button = h('button', { class: 'primary' }, 'Ask');
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const examples = h('div', { class: 'examples' });

  async function ask(text: string, wanted?: string): Promise<void> {
    button.disabled = true;
    problem.hidden = true;
    try {
      const chosen = wanted ?? (model.value === '' ? undefined : model.value);
      const { id } = await startSearch({ text, model: chosen, effort: effort.value });
      location.hash = `#/search/${encodeURIComponent(id)}`;
    } catch (error) {
      problem.textContent = error instanceof RequestError ? error.message : 'The server cannot be reached.';
      problem.hidden = false;
    } finally {
      button.disabled = false;
    }
  }

  const form = h(
    'form',
    {
      class: 'ask panel',
      onsubmit: (event: Event) => {
        event.preventDefault();
        const text = field.value.trim();
        if (text !== '') void ask(text);
      },
    },
    h('label', { for: 'question', class: 'unseen' }, 'Question'),
    h('div', { class: 'ask-line' }, field, model, effort, button),
    examples,
    problem,
  );
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  void offerExamples(examples, ask);
  void offerModels(model);
  return form;
}

async function offerExamples(
  element: HTMLElement,
  ask: (text: string, model?: string) => Promise<void>,
): Promise<void> {
  const examples = await listExamples().catch(() => []);
  if (examples.length === 0) return;
  const buttons = examples.map(({ title, question, model }) => {
    const words = [h('b', {}, title), h('span', {}, question)];
    return h(
      'button',
      { type: 'button', class: 'example', title: question, onclick: () => void ask(question, model) },
      ...words,
    );
  });
  fill(element, h('span', { class: 'hint' }, 'Try'), ...buttons);
}

async function offerModels(select: HTMLSelectElement): Promise<void> {
  const models = await listModels().catch(() => []);
  select.hidden = models.length < 2;
  fill(select, ...models.map(({ id }) => h('option', { value: id }, id)));
}
