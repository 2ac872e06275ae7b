// Shows the health of the engine and verifier of every model, and of the journal. A sign carries the state where colour cannot be seen;
// words describe trouble.

import type { JournalHealthJson, ModelLoadJson, OverviewJson } from '../../../src/wire/overview-json.ts';
import { fill, h, setAttribute, setText } from '../dom/dom.ts';
import { formatBytes, formatCount, formatDuration } from '../look/words.ts';

interface Part {
  readonly name: string;
  readonly healthy: boolean;
  readonly words: string;
}

export class HealthStrip {
  readonly #list = h('ul', {});
  readonly element = h('section', { class: 'panel health', 'aria-label': 'Health' }, h('h2', {}, 'Health'), this.#list);

  update({ models, journal }: OverviewJson): void {
    const parts = [...models.flatMap(modelParts), journalPart(journal)];
    if (this.#list.childElementCount !== parts.length) fill(this.#list, ...parts.map(emptyPart));
    for (const [at, { name, healthy, words }] of parts.entries()) {
      const item = this.#list.children[at]!;
      setAttribute(item, 'data-ok', healthy ? 'yes' : 'no');
      const [sign, label, text] = item.children;
      setText(sign!, healthy ? '✓' : '✕');
      setText(label!, name);
      setText(text!, healthy ? words : `does not answer${words === '' ? '' : ` · ${words}`}`);
    }
  }
}

function emptyPart(): HTMLElement {
  return h('li', {}, h('i', { class: 'sign', 'aria-hidden': 'true' }), h('b', {}), h('span', {}));
}

function modelParts(model: ModelLoadJson): Part[] {
  const { name, engine, engine_healthy, verifier, step_ms, running_sequences, waiting_sequences, drafting } = model;
  const queue = `${running_sequences} running, ${waiting_sequences} waiting`;
  const pace = step_ms === null ? '' : ` · ${formatDuration(step_ms)} a token`;
  const generator = {
    name: `${name}: engine ${engine}`,
    healthy: engine_healthy,
    words: `${queue}${pace}${draftWords(drafting)}`,
  };
  if (verifier === null) return [generator, { name: 'no verifier', healthy: true, words: 'nothing scores answers' }];
  const { kind, healthy, waiting, score_ms, judge } = verifier;
  const scored = score_ms === null ? '' : ` · ${formatDuration(score_ms)} a score`;
  return [
    generator,
    { name: `verifier ${kind}`, healthy, words: `${waiting} waiting${scored}${judge === null ? '' : ` · ${judge}`}` },
  ];
}

/** Empty without a draft model. */
function draftWords(drafting: ModelLoadJson['drafting']): string {
  if (drafting === null) return '';
  return ` · ${drafting.used ? 'drafted' : 'not drafted'}: ${drafting.gain.toFixed(2)} times as fast in a trial`;
}

function journalPart({ kind, healthy, unwritten, oldest_unwritten_ms, failures, bytes }: JournalHealthJson): Part {
  const held = unwritten === 0 ? '' : ` · ${formatCount(unwritten)} held for ${formatDuration(oldest_unwritten_ms)}`;
  const refused = failures === 0 ? '' : ` · ${formatCount(failures)} writes refused since the start`;
  return { name: `journal ${kind}`, healthy, words: `${formatBytes(bytes)}${held}${refused}` };
}
