// The box to ask: a question or one of the examples, to which model, by which program and policy, with how much effort. Starts a
// search in the background and opens it. Below it stands how to do the same from elsewhere.

import type { ModelJson } from '../../../src/gateway/wire/server-json.ts';
import { listExamples, listModels, RequestError, startSearch } from '../api/client.ts';
import { fill, h } from '../dom/dom.ts';
import { makeConnect } from './connect.ts';

const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
const firstQuestion = 'Make 24 from 2 4 6 8.';

export function makeAskBox(): HTMLElement {
  const field = h('textarea', {
    id: 'question',
    rows: 1,
    placeholder: 'Ask a question…',
    maxlength: 20_000,
    required: true,
  });
  const model = h('select', {});
  const program = h('select', {});
  const policy = h('select', {});
  const effort = h(
    'select',
    {},
    ...efforts.map((each) => h('option', { value: each, selected: each === 'medium' }, each)),
  );
  const button = h('button', { class: 'primary' }, 'Ask');
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const examples = h('div', { class: 'examples' });
  const connect = makeConnect();
  let models: readonly ModelJson[] = [];
  const chosen = () => models.find(({ id }) => id === model.value);
  const tell = () => connect.show(model.value, field.value.trim() || firstQuestion);
  const choose = () => {
    offerChoices(program, chosen()?.coppice.programs ?? [], chosen()?.coppice.program);
    offerChoices(policy, chosen()?.coppice.policies ?? [], chosen()?.coppice.policy);
    tell();
  };

  /** An example goes to the model that can answer it; program and policy go along where that is the one in the box. */
  async function ask(text: string, example?: string): Promise<void> {
    button.disabled = true;
    problem.hidden = true;
    try {
      await known;
      const wanted = example ?? model.value;
      const own = wanted === model.value;
      const { id } = await startSearch({
        text,
        model: wanted === '' ? undefined : wanted,
        effort: effort.value,
        program: own ? program.value : undefined,
        policy: own ? policy.value : undefined,
      });
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
    field,
    h(
      'div',
      { class: 'ask-line' },
      labelled('Model', model),
      labelled('Program', program),
      labelled('Policy', policy),
      labelled('Effort', effort),
      button,
    ),
    examples,
    problem,
    connect.element,
  );
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  field.addEventListener('input', tell);
  model.addEventListener('change', choose);
  void offerExamples(examples, ask);
  // Who asks before the models have come waits for them: a search needs the name of one.
  const known = listModels()
    .catch(() => [])
    .then((all) => {
      models = all;
      fill(model, ...all.map(({ id }) => h('option', { value: id }, id)));
      choose();
    });
  return form;
}

function labelled(name: string, select: HTMLSelectElement): HTMLElement {
  select.id = `ask-${name.toLowerCase()}`;
  return h('div', { class: 'choice' }, h('label', { for: select.id }, name), select);
}

/** The first is what the model does by itself; a choice that the new model has too is kept. */
function offerChoices(select: HTMLSelectElement, names: readonly string[], usual: string | undefined): void {
  const before = select.value;
  const others = names.filter((name) => name !== usual);
  fill(
    select,
    h('option', { value: '' }, usual === undefined ? 'default' : `${usual} (default)`),
    ...others.map((name) => h('option', { value: name, selected: name === before }, name)),
  );
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
