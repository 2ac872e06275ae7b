// Makes elements. Strings become text nodes and nothing else: no part of the page turns text into markup, since questions and answers are
// untrusted.

type ElementValue = string | number | boolean | undefined | ((event: never) => void);
export type ElementAttributes = Readonly<Record<string, ElementValue>>;
export type Content = Node | string | undefined;

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: ElementAttributes = {},
  ...children: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  applyAttributes(element, attributes);
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

export function svg(tag: string, attributes: ElementAttributes = {}, ...children: readonly Node[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  applyAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** A function under `onX` listens to X; true and false set and leave out an attribute. */
function applyAttributes(element: Element, attributes: ElementAttributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as (event: Event) => void);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
}

/** Writes only what changed: a live page writes the same words again and again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element: Element, name: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function fill(element: Element, ...children: readonly Content[]): void {
  element.replaceChildren(...children.filter((child) => child !== undefined));
}
