// The form for a question: text or example, model, program, policy and effort. Starts a search in the background and opens it. Below it the
// page shows how to ask from elsewhere.

import type { ModelJson } from '../../../../src/wire/server-json.ts';
import { listExamples, listModels, RequestError, startSearch } from '../../api/client.ts';
import { fill, h } from '../../dom/dom.ts';
import { makeConnect } from './connect.ts';

const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
const firstQuestion = 'Make 24 from 2 4 6 8.';

export function makeAskBox(): HTMLElement {
  return new AskBox().element;
}

class AskBox {
  readonly element: HTMLFormElement;
  readonly #field = h('textarea', {
    id: 'question',
    rows: 1,
    placeholder: 'Ask a question…',
    maxlength: 20_000,
    required: true,
  });
  readonly #model = h('select', {});
  readonly #program = h('select', {});
  readonly #policy = h('select', {});
  readonly #effort = h(
    'select',
    {},
    ...efforts.map((each) => h('option', { value: each, selected: each === 'medium' }, each)),
  );
  readonly #button = h('button', { class: 'primary' }, 'Ask');
  readonly #problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  readonly #connect = makeConnect();
  /** Resolves once the models are known: a search needs the name of one. */
  readonly #known: Promise<void>;
  #models: readonly ModelJson[] = [];

  constructor() {
    const examples = h('div', { class: 'examples' });
    this.element = this.#form(examples);
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.element.requestSubmit();
    });
    this.#field.addEventListener('input', () => this.#tell());
    this.#model.addEventListener('change', () => this.#choose());
    void offerExamples(examples, (text, model) => this.#ask(text, model));
    this.#known = listModels()
      .catch(() => [])
      .then((all) => this.#offerModels(all));
  }

  #form(examples: HTMLElement): HTMLFormElement {
    const submit = (event: Event): void => {
      event.preventDefault();
      const text = this.#field.value.trim();
      if (text !== '') void this.#ask(text);
    };
    const choices = [
      labelled('Model', this.#model),
      labelled('Program', this.#program),
      labelled('Policy', this.#policy),
      labelled('Effort', this.#effort),
    ];
    return h(
      'form',
      { class: 'ask panel', onsubmit: submit },
      h('label', { for: 'question', class: 'unseen' }, 'Question'),
      this.#field,
      h('div', { class: 'ask-line' }, ...choices, this.#button),
      examples,
      this.#problem,
      this.#connect.element,
    );
  }

  #offerModels(all: readonly ModelJson[]): void {
    this.#models = all;
    fill(this.#model, ...all.map(({ id }) => h('option', { value: id }, id)));
    this.#choose();
  }

  #choose(): void {
    const chosen = this.#models.find(({ id }) => id === this.#model.value)?.coppice;
    offerChoices(this.#program, chosen?.programs ?? [], chosen?.program);
    offerChoices(this.#policy, chosen?.policies ?? [], chosen?.policy);
    this.#tell();
  }

  #tell(): void {
    this.#connect.show(this.#model.value, this.#field.value.trim() || firstQuestion);
  }

  /** An example goes to the model that can answer it; program and policy apply if the box names that model. */
  async #ask(text: string, example?: string): Promise<void> {
    this.#button.disabled = true;
    this.#problem.hidden = true;
    try {
      await this.#known;
      const wanted = example ?? this.#model.value;
      const own = wanted === this.#model.value;
      const { id } = await startSearch({
        text,
        model: wanted === '' ? undefined : wanted,
        effort: this.#effort.value,
        program: own ? this.#program.value : undefined,
        policy: own ? this.#policy.value : undefined,
      });
      location.hash = `#/search/${encodeURIComponent(id)}`;
    } catch (error) {
      this.#problem.textContent = error instanceof RequestError ? error.message : 'The server cannot be reached.';
      this.#problem.hidden = false;
    } finally {
      this.#button.disabled = false;
    }
  }
}

function labelled(name: string, select: HTMLSelectElement): HTMLElement {
  select.id = `ask-${name.toLowerCase()}`;
  return h('div', { class: 'choice' }, h('label', { for: select.id }, name), select);
}

/** The first is the model's default; the choice stays if the new model has it too. */
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
  const buttons = examples.map(({ question, model }) =>
    h(
      'button',
      { type: 'button', class: 'example', title: question, onclick: () => void ask(question, model) },
      h('span', {}, question),
    ),
  );
  fill(element, h('span', { class: 'hint' }, 'Try'), ...buttons);
}
