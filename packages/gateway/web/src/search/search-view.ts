// Shows a search: its question, answer and numbers, the tree at the timeline's moment, and the path of the selected node. Reads a log that
// may still grow; does not know its source.

import { type Cost, describeEvent, goodput, type LoggedEvent, Replay } from '@coppice/core/log';
import type { ListedJson } from '../../../src/wire/overview-json.ts';
import type { WholeSearchJson } from '../../../src/wire/search-json.ts';
import { fill, h, setAttribute, setText } from '../dom/dom.ts';
import { FrameLoop } from '../dom/frame-loop.ts';
import { term } from '../dom/term.ts';
import { onTheme } from '../look/theme.ts';
import { formatCount, formatDuration, formatScore, formatStrands } from '../look/words.ts';
import { setRichText } from '../rich/rich-text.ts';
import { GrowthAt } from './growth-at.ts';
import { AheadPanel } from './panels/ahead-panel.ts';
import { AnswersPanel } from './panels/answers-panel.ts';
import { Details } from './panels/details.ts';
import { makeLegend } from './panels/legend.ts';
import { OutcomePanel } from './panels/outcome-panel.ts';
import { WidthPanel } from './panels/width-panel.ts';
import { Player, speeds } from './player.ts';
import { Timeline } from './timeline.ts';
import { TreeCanvas } from './tree-canvas.ts';

export interface SearchPageOptions {
  readonly signal: AbortSignal;
  readonly search: WholeSearchJson;
  readonly log: readonly LoggedEvent[];
  readonly actions: readonly HTMLElement[];
}

const defaultThreshold = 1;

export class SearchPage {
  readonly element: HTMLElement;
  #search: WholeSearchJson;
  readonly #log: readonly LoggedEvent[];
  readonly #replay: Replay;
  readonly #growth: GrowthAt;
  readonly #player: Player;
  readonly #tree: TreeCanvas;
  readonly #timeline: Timeline;
  readonly #details: Details;
  readonly #answers: AnswersPanel;
  readonly #loop: FrameLoop;
  #selected: number | undefined;
  #problem: string | undefined;
  #listed: ListedJson | undefined;
  readonly #title = h('h1', {});
  readonly #about = h('p', { class: 'about' });
  readonly #outcome = new OutcomePanel();
  readonly #ahead = new AheadPanel();
  readonly #widths = new WidthPanel();
  readonly #facts = h('dl', { class: 'figures' });
  readonly #play = h('button', { type: 'button', class: 'play', onclick: () => this.#togglePlay() }, 'Replay');
  readonly #live = h('button', { type: 'button', onclick: () => this.#seek(Number.POSITIVE_INFINITY) }, 'End');
  readonly #where = h('span', { class: 'where' });
  readonly #event = h('span', { class: 'event' });
  readonly #fault = h('p', { class: 'problem', role: 'alert', hidden: true });

  constructor({ signal, search, log, actions }: SearchPageOptions) {
    this.#search = search;
    this.#log = log;
    this.#replay = new Replay(log);
    this.#growth = new GrowthAt(log);
    this.#player = new Player(log);
    const threshold = () => (this.#search.limits ?? { threshold: defaultThreshold }).threshold;
    const onSelect = (node: number | undefined) => this.#select(node);
    this.#tree = new TreeCanvas({ signal, threshold, onSelect });
    this.#details = new Details({ threshold, onSelect });
    this.#answers = new AnswersPanel({ threshold, onSelect });
    const onSeek = () => this.update();
    this.#timeline = new Timeline({ log, player: this.#player, threshold, signal, onSeek });
    this.#loop = new FrameLoop((elapsedMs) => this.#onFrame(elapsedMs));
    signal.addEventListener('abort', () => this.#loop.stop());
    onTheme(() => this.update(), signal);
    this.element = this.#compose(actions, makeLegend(signal));
    this.setSearch(search);
  }

  setSearch(search: WholeSearchJson): void {
    this.#search = search;
    setRichText(this.#title, questionOf(search));
    const parts = [search.model, search.program, search.policy && `policy ${search.policy}`, search.id];
    setText(this.#about, parts.filter(Boolean).join(' · '));
    this.update();
  }

  /** Takes the server's live row: its place in the queue, and tokens of steps that no log has yet. */
  setListed(listed: ListedJson | undefined): void {
    this.#listed = listed;
    this.update();
  }

  update(): void {
    const { position } = this.#player;
    const moment = this.#replay.seek(position);
    this.#tree.show(moment);
    this.#timeline.update();
    this.#showDetails();
    this.#outcome.show(moment, this.#search, this.#listed?.place ?? undefined);
    this.#answers.show(moment);
    this.#widths.show(this.#log, position);
    this.#showPlayer();
    this.#showFigures();
    this.#complain(moment.fault ?? this.#problem);
  }

  setProblem(problem: string | undefined): void {
    this.#problem = problem;
    this.update();
  }

  #complain(problem: string | undefined): void {
    this.#fault.hidden = problem === undefined;
    setText(this.#fault, problem ?? '');
  }

  #compose(actions: readonly HTMLElement[], legend: HTMLElement): HTMLElement {
    const keys = 'Arrow keys walk the tree, plus and minus zoom, 0 shows all, Home is the root, End the chosen path.';
    return h(
      'article',
      { class: 'search' },
      h(
        'header',
        { class: 'search-head' },
        h('div', {}, this.#title, this.#about),
        h('div', { class: 'actions' }, ...actions),
      ),
      this.#fault,
      h(
        'div',
        { class: 'search-body' },
        h(
          'div',
          { class: 'stage panel' },
          legend,
          h('div', { class: 'tree-box' }, this.#tree.element, this.#makeZoom()),
          h('p', { id: 'tree-keys', class: 'unseen' }, keys),
          h('div', { class: 'player' }, this.#play, this.#live, this.#makeSpeed(), this.#where, this.#event),
          this.#timeline.element,
        ),
        h(
          'aside',
          { class: 'side' },
          h('div', { class: 'panel' }, this.#outcome.element, this.#facts),
          h('div', { class: 'panel' }, this.#details.element),
          this.#answers.element,
          this.#ahead.element,
          this.#widths.element,
        ),
      ),
    );
  }

  #makeSpeed(): HTMLElement {
    const onchange = (event: Event) => this.#setSpeed(event.target as HTMLSelectElement);
    return h(
      'select',
      { 'aria-label': 'Speed of the replay', onchange },
      h('option', { value: '' }, 'auto speed'),
      ...speeds.map((each) => h('option', { value: each }, `${each}×`)),
    );
  }

  #makeZoom(): HTMLElement {
    return h(
      'div',
      { class: 'zoom', role: 'group', 'aria-label': 'Zoom' },
      h('button', { type: 'button', 'aria-label': 'Zoom in', onclick: () => this.#tree.zoom(1.5) }, '+'),
      h('button', { type: 'button', 'aria-label': 'Zoom out', onclick: () => this.#tree.zoom(1 / 1.5) }, '−'),
      h('button', { type: 'button', 'aria-label': 'Show the whole tree', onclick: () => this.#tree.reset() }, '⤢'),
    );
  }

  #onFrame(elapsedMs: number): boolean {
    const goesOn = this.#player.advance(elapsedMs);
    this.update();
    return goesOn;
  }

  #togglePlay(): void {
    this.#player.toggle();
    this.#loop.request();
  }

  #setSpeed({ value }: HTMLSelectElement): void {
    this.#player.speed = value === '' ? undefined : Number(value);
  }

  #seek(position: number): void {
    this.#player.seek(position);
    this.update();
  }

  #select(node: number | undefined): void {
    this.#selected = node;
    this.#tree.select(node);
    this.#showDetails();
  }

  #showDetails(): void {
    const moment = this.#replay.seek(this.#player.position);
    const selected = this.#selected === undefined ? undefined : moment.tree?.nodes[this.#selected];
    const node = selected ?? moment.chosen;
    const heading =
      selected !== undefined ? `Node ${selected.id}` : moment.exit === undefined ? 'Best path so far' : 'Chosen path';
    this.#details.show(moment, node, heading, selected !== undefined);
  }

  #showPlayer(): void {
    const player = this.#player;
    const last = this.#log[player.position - 1];
    setText(this.#play, player.isPlaying ? 'Pause' : player.isAtEnd ? 'Replay' : 'Play');
    setText(this.#live, this.#timeline.hasEnded ? 'End' : 'Live');
    setAttribute(this.#live, 'aria-pressed', String(player.isAtEnd && !player.isPlaying));
    // Between two events of a running search, only the server knows its age.
    const ageMs = player.isAtEnd ? (this.#listed?.age_ms ?? 0) : 0;
    const shown = formatDuration(Math.max(ageMs, player.atMs - player.startMs));
    setText(this.#where, `${shown} · event ${player.position} of ${this.#log.length}`);
    const words = last === undefined ? '' : describeEvent(last.event, false);
    setText(this.#event, words);
    setAttribute(this.#event, 'title', words);
  }

  #showFigures(): void {
    const { position } = this.#player;
    const moment = this.#replay.seek(position);
    const { nodes, rollouts, openStrands, bestScore, tokens, width, cost } = moment;
    const { limits } = this.#search;
    const growth = this.#growth.at(position, moment);
    const speed = goodput(growth);
    const soFar = this.#player.isAtEnd ? Math.max(tokens, this.#listed?.tokens ?? 0) : tokens;
    const generated = cost === undefined ? soFar : cost.committedTokens + thrownAway(cost);
    const figures: [string | HTMLElement, string][] = [
      ['nodes', formatCount(nodes)],
      [term('rollout', 'rollouts'), limits ? `${rollouts} of ${limits.rollouts}` : String(rollouts)],
      [term('strand', 'strands open'), formatStrands(openStrands, width.primary + width.speculative)],
      ['best score', formatScore(bestScore)],
      [term('threshold'), String(limits?.threshold ?? '–')],
      ['tokens generated', formatCount(generated)],
      ['thrown away', cost === undefined ? '–' : formatCount(thrownAway(cost))],
      [term('goodput'), speed === undefined ? '–' : `${formatCount(Math.round(speed))} tokens/s`],
    ];
    this.#ahead.show(growth, cost);
    if (this.#facts.childElementCount === 0) {
      fill(this.#facts, ...figures.map(([name]) => h('div', {}, h('dt', {}, name), h('dd', {}))));
    }
    for (const [at, [, value]] of figures.entries()) setText(this.#facts.children[at]!.children[1]!, value);
  }
}

function thrownAway({ discardedTokens, speculativeTokens }: Cost): number {
  return discardedTokens + speculativeTokens;
}

export function questionOf({ request, title, id }: WholeSearchJson): string {
  const content = request?.messages?.findLast(({ role }) => role === 'user')?.content;
  if (typeof content === 'string') return content;
  return title ?? id;
}
