// The clients of a group: half of them wait for their answers, half send background work. A client whose node dies asks another one.
// Records when and how often each was answered.

import { makePlan } from '@coppice/core/answering';
import { ApiError, type Caller } from '@coppice/gateway/http';
import type { LiveSearch } from '@coppice/gateway/searches';
import type { ClientArrival } from './arrivals.ts';
import type { ClusterNode } from './cluster-node.ts';
import type { Costs } from './costs.ts';
import type { SearchRow } from './journal-tables.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface AskedQuestion {
  readonly at: number;
  readonly arrival: ClientArrival;
  /** Undefined until it was answered. */
  answeredMs: number | undefined;
  answers: number;
  refused: string | undefined;
  /** Background: the search was acknowledged and is owed. */
  isOwed: boolean;
  tries: number;
  /** Of the try that is open. */
  text: string;
}

interface ClientsOptions {
  readonly time: VirtualTime;
  readonly costs: Costs;
  readonly rollouts: number;
  readonly callers: ReadonlyMap<string, Caller>;
  readonly anyNode: (luck: number) => ClusterNode | undefined;
  readonly name: string;
}

const retryMs = 1000;
const deadlineMs = 600_000;

export class Clients {
  readonly questions: AskedQuestion[] = [];
  readonly #options: ClientsOptions;
  readonly #byText = new Map<string, AskedQuestion>();
  readonly #waiting = new Map<AskedQuestion, ClusterNode>();

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#byText.size;
  }

  ask(arrival: ClientArrival): void {
    const at = this.questions.length;
    const question = {
      at,
      arrival,
      answeredMs: undefined,
      answers: 0,
      refused: undefined,
      isOwed: false,
      tries: 0,
      text: '',
    };
    this.questions.push(question);
    this.#try(question);
  }

  /** Of a background search: polls are told of its end from now on. */
  exited({ background, title }: SearchRow): void {
    const question = background === 1 ? this.#byText.get(title ?? '') : undefined;
    if (question !== undefined) this.#answered(question, title!);
  }

  /** Clients that wait on a node that died ask again. */
  lostNode(node: ClusterNode): void {
    for (const [question, of] of [...this.#waiting]) if (of === node) this.#tryLater(question);
  }

  #tryLater(question: AskedQuestion): void {
    this.#waiting.delete(question);
    this.#byText.delete(question.text);
    this.#options.time.after(retryMs, () => this.#try(question));
  }

  #try(question: AskedQuestion): void {
    const { anyNode, costs } = this.#options;
    question.tries += 1;
    const node = anyNode((question.at * 0.6180339887 + question.tries * 0.37) % 1);
    if (node === undefined) return this.#tryLater(question);
    this.#waiting.set(question, node);
    node.run(() => {
      node.charge(costs.request);
      this.#start(question, node);
    });
  }

  #start(question: AskedQuestion, node: ClusterNode): void {
    const { callers, name } = this.#options;
    const { background, key } = question.arrival;
    const text = `${name}, try ${question.tries}, question ${question.at}`;
    question.text = text;
    this.#byText.set(text, question);
    try {
      node.usage.request(key);
      const plan = this.#plan(text, question, node);
      node.searches.start(plan, callers.get(key)!, { background, body: { question: text } }).then(
        (search) => (background ? this.#owed(question) : this.#wait(question, search as LiveSearch, text)),
        (error: unknown) => this.#refuse(question, text, error),
      );
    } catch (error) {
      this.#refuse(question, text, error);
    }
  }

  /** With a seed: two runs of the same spec draw the same steps below the same paths, whatever else differs. */
  #plan(text: string, { at }: AskedQuestion, node: ClusterNode) {
    const { rollouts } = this.#options;
    return makePlan({
      question: { prompt: { kind: 'text', text }, title: text },
      wish: { rollouts, seed: at },
      speaker: 'code',
      model: node.searches.models.get('m')!,
      limits: node.config.limits,
      maxPriority: 0,
      defaultDeadlineMs: deadlineMs,
      seed: at,
    });
  }

  #owed(question: AskedQuestion): void {
    question.isOwed = true;
    this.#waiting.delete(question);
  }

  async #wait(question: AskedQuestion, search: LiveSearch, text: string): Promise<void> {
    const { ended } = await search.wait();
    if (ended?.state === 'done') this.#answered(question, text);
    else this.#refuse(question, text, new Error(`${ended?.state}: ${ended?.error?.message ?? 'no word'}`));
  }

  #answered(question: AskedQuestion, text: string): void {
    this.#byText.delete(text);
    this.#waiting.delete(question);
    question.answers += 1;
    question.answeredMs ??= this.#options.time.nowMs;
  }

  #refuse(question: AskedQuestion, text: string, error: unknown): void {
    this.#byText.delete(text);
    this.#waiting.delete(question);
    question.refused = error instanceof ApiError ? error.code : String(error);
  }
}
