// Questions with functions whose right turn is known. Equal seeds and parts give equal questions; parts share no function and no wish.

import { Random } from '@coppice/core/base';
import { heldDomains } from './held-domains.ts';
import {
  type DescribedTool,
  type DrawnWish,
  type MadeTurn,
  type ToolDomain,
  type ToolWish,
  WishDraws,
} from './tool-domain.ts';
import { tuningDomains } from './tuning-domains.ts';

export const questionParts = ['tuning', 'held'] as const;
export type QuestionPart = (typeof questionParts)[number];

/** `none`: no function does it, an argument is missing, or the request needs none. */
export const turnKinds = ['one', 'several', 'none', 'computed', 'long'] as const;
export type TurnKind = (typeof turnKinds)[number];

export interface AskedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export interface ToolQuestion {
  readonly id: string;
  readonly kind: TurnKind;
  readonly tools: readonly DescribedTool[];
  /** The last one is the user's. */
  readonly messages: readonly AskedMessage[];
  readonly reference: MadeTurn;
}

const domains: Readonly<Record<QuestionPart, readonly ToolDomain[]>> = { tuning: tuningDomains, held: heldDomains };
/** Of twenty questions. */
const shares: Readonly<Record<TurnKind, number>> = { one: 4, several: 5, none: 3, computed: 5, long: 3 };
const cycle = turnKinds.flatMap((kind) => Array<TurnKind>(shares[kind]).fill(kind));

export function makeQuestions(part: QuestionPart, seed: number, count: number): ToolQuestion[] {
  return Array.from({ length: count }, (_, at) => {
    const kind = cycle[at % cycle.length]!;
    return new QuestionMaker(domains[part], new Random('turns', part, seed, at)).make(`${part}-${seed}-${at}`, kind);
  });
}

interface Asked {
  readonly says: string;
  readonly reference: MadeTurn;
  /** Functions that must be offered, and one that must not be. */
  readonly needed: readonly string[];
  readonly without?: string;
  readonly home: ToolDomain;
}

const words: MadeTurn = { content: 'I cannot do that as it stands.', calls: [] };

class QuestionMaker {
  readonly #domains: readonly ToolDomain[];
  readonly #random: Random;
  readonly #drawn: WishDraws;

  constructor(all: readonly ToolDomain[], random: Random) {
    this.#domains = all;
    this.#random = random;
    this.#drawn = new WishDraws(random);
  }

  make(id: string, kind: TurnKind): ToolQuestion {
    const asked = kind === 'several' ? this.#several() : kind === 'none' ? this.#none() : this.#single(kind);
    const tools = this.#offered(asked, kind === 'long' ? 8 : this.#drawn.between(3, 8));
    const messages: AskedMessage[] = [
      { role: 'system', content: `Today is ${this.#drawn.today}. ${manner}` },
      ...this.#earlier(tools, asked.needed),
      { role: 'user', content: asked.says },
    ];
    return { id, kind, tools, messages, reference: asked.reference };
  }

  #single(kind: 'one' | 'computed' | 'long'): Asked {
    const wanted = kind === 'one' ? 'plain' : kind;
    const home = this.#drawn.one(this.#domains.filter(({ wishes }) => wishes.some((wish) => wish.kind === wanted)));
    const wish = this.#drawn.one(home.wishes.filter((each) => each.kind === wanted));
    const drawn = wish.draw(this.#drawn);
    return { says: drawn.says, reference: turnOf([wish, drawn]), needed: [wish.tool], home };
  }

  /** Two or three wishes, of one function or of several. */
  #several(): Asked {
    const home = this.#drawn.one(this.#domains);
    const short = this.#domains.map(({ wishes }) => wishes.filter((each) => each.kind !== 'long'));
    const own = short[this.#domains.indexOf(home)]!;
    const first = this.#drawn.one(own);
    const wishes = this.#drawn.chance(0.4)
      ? Array<ToolWish>(this.#drawn.between(2, 3)).fill(first)
      : [first, this.#drawn.one(own), ...(this.#drawn.chance(0.5) ? [this.#drawn.one(short.flat())] : [])];
    const distinct = new Map<string, readonly [ToolWish, DrawnWish]>();
    while (distinct.size < wishes.length) {
      const wish = wishes[distinct.size]!;
      const drawn = wish.draw(this.#drawn);
      distinct.set(`${wish.tool} ${JSON.stringify(drawn.arguments)}`, [wish, drawn]);
    }
    const calls = [...distinct.values()];
    const says = calls.map(([, drawn]) => drawn.says).join(' ');
    return { says, reference: turnOf(...calls), needed: wishes.map(({ tool }) => tool), home };
  }

  #none(): Asked {
    const home = this.#drawn.one(this.#domains);
    const wish = this.#drawn.one(home.wishes);
    const why = this.#drawn.one(['no function', 'no argument', 'a sum'] as const);
    if (why === 'no function')
      return { says: wish.draw(this.#drawn).says, reference: words, needed: [], without: wish.tool, home };
    if (why === 'no argument') return { says: wish.vague, reference: words, needed: [wish.tool], home };
    const [one, other] = [this.#drawn.between(12, 49), this.#drawn.between(3, 9)];
    const reference = { content: `The answer is ${one * other}.`, calls: [] };
    return { says: `What is ${one} * ${other}?`, reference, needed: [], home };
  }

  /** What is needed, then what resembles it, then others. */
  #offered({ needed, without, home }: Asked, count: number): DescribedTool[] {
    const all = this.#domains.flatMap(({ tools }) => tools);
    const ranked = [
      ...all.filter(({ name }) => needed.includes(name)),
      ...this.#drawn.some(home.tools, home.tools.length),
      ...this.#drawn.some(all, all.length),
    ].filter(({ name }) => name !== without);
    const chosen = [...new Set(ranked)].slice(0, Math.max(count, new Set(needed).size));
    return this.#drawn.some(chosen, chosen.length);
  }

  /** A call that was made before and shows how calls look, of a function that is not needed now if there is one. */
  #earlier(tools: readonly DescribedTool[], needed: readonly string[]): AskedMessage[] {
    const others = tools.filter(({ name }) => !needed.includes(name));
    const names = new Set((others.length > 0 ? others : tools).map(({ name }) => name));
    const wish = this.#drawn.one(this.#domains.flatMap(({ wishes }) => wishes.filter(({ tool }) => names.has(tool))));
    const { says, arguments: given } = wish.draw(this.#drawn);
    const id = `call_${this.#random.integer(1e6)}`;
    const called = { name: wish.tool, arguments: JSON.stringify(given) };
    return [
      { role: 'user', content: says },
      { role: 'assistant', content: '', tool_calls: [{ id, type: 'function', function: called }] },
      // No words follow: Qwen2.5-Coder-1.5B repeated "Done." instead of calling.
      { role: 'tool', tool_call_id: id, content: '{"status":"ok"}' },
    ];
  }
}

const manner =
  'You act for the user by calling functions. Make all calls that a request needs at once, with exactly what the user says and no optional argument that was not asked for. ' +
  'Where no function does what is asked, or an argument that it requires was not said, call none: answer or ask in words.';

function turnOf(...calls: readonly (readonly [ToolWish, DrawnWish])[]): MadeTurn {
  return { calls: calls.map(([{ tool: name }, drawn]) => ({ name, arguments: JSON.stringify(drawn.arguments) })) };
}
