// Typesets a formula as MathML, from elements and never from markup. The text is untrusted: no links, pictures, classes or ids, only macros
// that end, and no tree that a browser could not lay out.

import temml from 'temml/temml.js';

const most = { expansions: 200, sizeEm: 4, sizePt: 40, depth: 60, elements: 4000 };

/** Leaves the place as it is if the formula is unreadable or too large. */
export function typeset(place: HTMLElement, tex: string, displayMode: boolean): void {
  const made = document.createElement('span');
  try {
    temml.render(tex, made, {
      displayMode,
      throwOnError: true,
      trust: false,
      maxExpand: most.expansions,
      maxSize: [most.sizeEm, most.sizePt],
    });
  } catch {
    // The text is no LaTeX, or nested deeper than the stack.
    return;
  }
  if (!isSmall(made)) return;
  place.title = tex;
  place.replaceChildren(...made.childNodes);
}

function isSmall(made: Element): boolean {
  let elements = 0;
  let level: Element[] = [made];
  for (let depth = 0; level.length > 0; depth += 1) {
    elements += level.length;
    if (depth > most.depth || elements > most.elements) return false;
    level = level.flatMap((each) => [...each.children]);
  }
  return true;
}
