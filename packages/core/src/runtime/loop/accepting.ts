// Takes searches into a runtime: checks the request, fixes its turn, gives it a tree and puts it into the inbox.

import { raise } from '../../base/fault.ts';
import type { SearchFold } from '../../log/fold.ts';
import { checkRules } from '../../policy/check.ts';
import { plantedEvent } from '../../tree/events.ts';
import { Tree } from '../../tree/tree.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import { workKind } from '../queue/work-meter.ts';
import { checkRequest, type SearchRequest } from '../search/request.ts';
import { Search } from '../search/search.ts';

export class Accepting {
  readonly #parts: RuntimeParts;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  submit(request: SearchRequest, fold?: SearchFold): void {
    const search = this.#accept(request, fold);
    const { logs, inbox } = this.#parts;
    logs.add(search, { type: 'submitted' });
    logs.endEntries();
    inbox.post({ from: 'caller', submit: search });
  }

  revive(request: SearchRequest, fold: SearchFold): void {
    const search = this.#accept(request, fold);
    search.log = 'unread';
    this.#parts.inbox.post({ from: 'caller', submit: search });
  }

  restore(id: string): void {
    const { searches, seeder, logs, inbox } = this.#parts;
    const search = searches.live.get(id);
    if (search === undefined || search.hasLog) return;
    const { tree } = search.fold;
    if (tree === undefined) seeder.plant(search);
    else {
      checkRules(search.request.rules, search.request.program, tree.aggregation);
      seeder.replant(search, tree);
      search.spending.resumed(tree);
      search.ledger.resumed(search.fold.tokens + search.fold.ghostTokens);
    }
    search.log = 'read';
    logs.add(search, { type: 'resumed' });
    logs.endEntries();
    inbox.post({ from: 'caller', restored: search });
  }

  #accept(request: SearchRequest, fold?: SearchFold): Search {
    checkRequest(request);
    const { id, program, priority, rules } = request;
    const { options, searches, queue, grouping } = this.#parts;
    const { verifier, clock } = options;
    if (searches.live.has(id)) raise('bad-setting', `id '${id}' is in use by a live search`);
    if (program.needsVerifier && verifier === undefined) {
      raise('bad-setting', `program '${program.name}' needs a verifier and none is configured`);
    }
    const aggregation = request.aggregation ?? verifier?.capabilities.aggregation ?? 'product';
    checkRules(rules, program, aggregation);
    const arrivalMs = clock.nowMs();
    const idle = request.idle === true;
    const kind = workKind(program.name, request.limits.rollouts);
    const turn = queue.turnOf(id, { arrivalMs, priority, seats: program.naturalWidth, idle, kind });
    const tree = Tree.replay([plantedEvent(aggregation, program.fullAt)]);
    const search: Search = new Search(request, { tree, fold, arrivalMs, turn, grouping, keeper: searches });
    searches.enter(search);
    return search;
  }
}
