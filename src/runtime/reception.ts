// Takes searches into a runtime: checks what is asked for, fixes the turn, makes the tree, bare or from a log, and puts
// the search into the inbox. What is refused here leaves no trace but a turn that its owner gives back.

import { raise } from '../base/fault.ts';
import type { SearchEvent } from '../log/events.ts';
import type { SearchFold } from '../log/fold.ts';
import { checkRules } from '../policy/check.ts';
import { plantedEvent, type TreeEvent } from '../tree/events.ts';
import { Tree } from '../tree/tree.ts';
import type { Grouping } from './groups/grouping.ts';
import type { Breakage } from './guard/guard.ts';
import type { Inbox } from './inbox.ts';
import type { RuntimeOptions } from './options.ts';
import type { Queue } from './queue/queue.ts';
import { workKind } from './queue/work-meter.ts';
import { checkRequest, type SearchRequest } from './search/request.ts';
import { Search } from './search/search.ts';

export interface ReceptionHooks {
  log(search: Search, event: SearchEvent): void;
  /** A part of a search threw. */
  broken(search: Search, breakage: Breakage): void;
  /** An event that a search's tree has recorded. */
  tree(search: Search, event: TreeEvent): void;
}

export class Reception {
  readonly #options: Pick<RuntimeOptions, 'verifier' | 'clock'>;
  readonly #live: Map<string, Search>;
  readonly #queue: Queue<Search>;
  readonly #inbox: Inbox;
  readonly #grouping: Grouping<Search>;
  readonly #hooks: ReceptionHooks;

  constructor(
    options: Pick<RuntimeOptions, 'verifier' | 'clock'>,
    live: Map<string, Search>,
    queue: Queue<Search>,
    inbox: Inbox,
    grouping: Grouping<Search>,
    hooks: ReceptionHooks,
  ) {
    this.#options = options;
    this.#live = live;
    this.#queue = queue;
    this.#inbox = inbox;
    this.#grouping = grouping;
    this.#hooks = hooks;
  }

  submit(request: SearchRequest, fold?: SearchFold): void {
    const search = this.#accept(request, fold);
    this.#hooks.log(search, { type: 'submitted' });
    this.#plant(search);
    this.#inbox.post({ from: 'caller', submit: search });
  }

  revive(request: SearchRequest, fold: SearchFold): void {
    const search = this.#accept(request, fold);
    search.log = 'unread';
    this.#inbox.post({ from: 'caller', submit: search });
  }

  /** Gives a search the tree of its log, a bare one where a crash cut the log off before its first; it goes on behind the last event. */
  restore(id: string): void {
    const search = this.#live.get(id);
    if (search === undefined || search.log === 'read') return;
    const { tree } = search.fold;
    if (tree === undefined) this.#plant(search);
    else {
      checkRules(search.request.rules, search.request.program, tree.aggregation);
      tree.listen((event) => this.#hooks.tree(search, event));
      search.tree = tree;
    }
    search.resumed = true;
    search.log = 'read';
    this.#hooks.log(search, { type: 'resumed' });
    this.#inbox.post({ from: 'caller', restored: search });
  }

  #plant(search: Search): void {
    const { fold, tree } = search;
    fold.tree = tree;
    this.#hooks.log(search, plantedEvent(tree.aggregation, tree.root.fullAt));
  }

  #accept(request: SearchRequest, fold?: SearchFold): Search {
    checkRequest(request);
    const { id, program, priority, rules } = request;
    const { verifier, clock } = this.#options;
    if (this.#live.has(id)) raise('bad-setting', `id '${id}' is in use by a live search`);
    if (program.needsVerifier && verifier === undefined) {
      raise('bad-setting', `program '${program.name}' needs a verifier and none is configured`);
    }
    const aggregation = request.aggregation ?? verifier?.capabilities.aggregation ?? 'product';
    checkRules(rules, program, aggregation);
    const arrivalMs = clock.nowMs();
    const idle = request.idle === true;
    const kind = workKind(program.name, request.limits.rollouts);
    const turn = this.#queue.turnOf(id, { arrivalMs, priority, seats: program.naturalWidth, idle, kind });
    const listen = (event: TreeEvent) => this.#hooks.tree(search, event);
    const search: Search = new Search(
      request,
      Tree.replay([plantedEvent(aggregation, program.fullAt)], listen),
      arrivalMs,
      turn,
      this.#grouping.openAnswers(request, () => search),
      (broken, breakage) => this.#hooks.broken(broken, breakage),
      fold,
    );
    this.#live.set(id, search);
    return search;
  }
}
