// Reads a word problem by the sentences of the shipped models' training: an opening, events, sentences that change nothing, and a question,
// with the same people and things throughout. A fault names the first unknown sentence. It never computes the answer.

import { type Fault, fault } from '@coppice/core/base';
import {
  asides,
  endings,
  events,
  knownBoxes,
  knownItems,
  knownNames,
  largest,
  mostAsides,
  numberBounds,
  openings,
  operationCounts,
  type StoryForm,
  type StoryNumbers,
} from './story-forms.ts';

export function storyFault(text: string): Fault | undefined {
  const reader = new StoryReader(text);
  return reader.read();
}

/** People and things of the story so far. */
type Cast = Readonly<Partial<Record<Role, string>>>;
type Role = 'P' | 'Q' | 'R' | 'items' | 'pronoun';

interface Found {
  readonly form: StoryForm;
  readonly numbers: StoryNumbers;
  readonly cast: Cast;
  readonly end: number;
}

class StoryReader {
  readonly #text: string;
  #at = 0;
  #cast: Cast = {};
  #total = 0;
  #operations = 0;
  #asides = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Fault | undefined {
    const opening = this.#find(openings, false);
    const strange = opening === undefined ? this.#unknown() : this.#take(opening);
    if (strange !== undefined) return strange;
    while (this.#at < this.#text.length) {
      const found = this.#find(endings, true) ?? this.#find([...events, asides], false);
      const trouble = found === undefined ? this.#unknown() : this.#take(found);
      if (trouble !== undefined) return trouble;
    }
    const { least, most } = operationCounts;
    if (this.#operations >= least && this.#operations <= most) return undefined;
    const steps = `${this.#operations} operation${this.#operations === 1 ? '' : 's'}`;
    return fault(
      'unsupported',
      `the shipped models know stories of ${least} to ${most} operations; this one has ${steps}`,
    );
  }

  #take({ form, numbers, cast, end }: Found): Fault | undefined {
    const total = form.total(this.#total, numbers);
    if (total === undefined || total > largest) {
      const known = `whole amounts from 1 to ${largest} that come out even`;
      return fault('unsupported', `the shipped models know ${known}; not what "${this.#sentence()}" leads to`);
    }
    if (form === asides) this.#asides += 1;
    if (this.#asides > mostAsides) return this.#unknown();
    this.#total = total;
    this.#operations += form.operations;
    this.#cast = cast;
    this.#at = end;
    return undefined;
  }

  /** The first form that matches the text here and fits the people and things so far. */
  #find(forms: readonly StoryForm[], isEnd: boolean): Found | undefined {
    for (const form of forms) {
      for (const pattern of patterns.get(form) ?? []) {
        pattern.lastIndex = this.#at;
        const groups = pattern.exec(this.#text)?.groups;
        if (groups === undefined || (isEnd && pattern.lastIndex < this.#text.length)) continue;
        const cast = castWith(this.#cast, groups);
        const numbers = numbersIn(groups);
        if (cast !== undefined && numbers !== undefined) return { form, numbers, cast, end: pattern.lastIndex };
      }
    }
    return undefined;
  }

  #sentence(): string {
    const [sentence = ''] = /^[^.?!]*[.?!]*/.exec(this.#text.slice(this.#at)) ?? [];
    return sentence.length > longestQuoted ? `${sentence.slice(0, longestQuoted)}…` : sentence;
  }

  #unknown(): Fault {
    const sentence = this.#sentence();
    const words = strangeWords(sentence);
    const why = words.length === 0 ? ' here, though they know its words' : `: they have never seen ${words.join(', ')}`;
    const known = 'the shipped models know only stories told in their own sentences (docs/prompts-and-answers.md)';
    return fault('unsupported', `${known}; not "${sentence}"${why}`);
  }
}

const longestQuoted = 100;
const mostNamed = 5;

/** Words of a sentence that no story uses. A capitalised word is a name, and any name is allowed. */
function strangeWords(sentence: string): string[] {
  const words = sentence.match(/[\p{L}’']+/gu) ?? [];
  const strange = words.filter((word) => !familiarWords.has(word.toLowerCase()) && !/^\p{Lu}/u.test(word));
  return [...new Set(strange)].slice(0, mostNamed);
}

/** Merges a sentence's people and things into the known ones; undefined if they contradict each other. */
function castWith(cast: Cast, groups: Readonly<Record<string, string | undefined>>): Cast | undefined {
  const { S, other } = groups;
  const isPronoun = S === 'He' || S === 'She';
  const said: Cast = {
    ...given('P', groups.P ?? (isPronoun ? undefined : S)),
    ...given('Q', groups.Q),
    ...given('R', groups.R),
    ...given('items', groups.items),
    ...given('pronoun', isPronoun ? S : undefined),
  };
  if (groups.P !== undefined && S !== undefined && !isPronoun && S !== groups.P) return undefined;
  const clashes = (Object.keys(said) as Role[]).some((role) => cast[role] !== undefined && cast[role] !== said[role]);
  const whole = { ...cast, ...said };
  const people = [whole.P, whole.Q, whole.R].filter((name) => name !== undefined);
  const isPlain = new Set(people).size === people.length && (other === undefined || other !== whole.items);
  return !clashes && isPlain && !isMisnamed(whole) ? whole : undefined;
}

/** True if the pronoun does not fit a known name. */
function isMisnamed({ P, pronoun }: Cast): boolean {
  if (P === undefined || pronoun === undefined) return false;
  return knownNames[pronoun === 'He' ? 'She' : 'He'].includes(P);
}

function given(role: Role, value: string | undefined): Cast {
  return value === undefined ? {} : { [role]: value };
}

function numbersIn(groups: Readonly<Record<string, string | undefined>>): StoryNumbers | undefined {
  const numbers: Record<string, number> = {};
  for (const [letter, [least, most]] of Object.entries(numberBounds)) {
    const text = groups[letter];
    if (text === undefined) continue;
    const value = Number(text);
    if (value < least || value > most) return undefined;
    numbers[letter] = value;
  }
  return numbers;
}

const name = String.raw`(?!(?:He|She|It|They|We|You|The|There|Then|A|At|On|For|Each|Only|Soon|Later|How|What)\b)\p{Lu}\p{Ll}+`;
const things = knownItems.join('|');
const slots: Readonly<Record<string, string>> = {
  P: name,
  Q: name,
  R: name,
  S: `He|She|${name}`,
  items: things,
  other: things,
  boxes: knownBoxes.join('|'),
};

/** A slot that appears twice in a sentence must match the same word. */
function patternOf(way: string): RegExp {
  const seen = new Set<string>();
  const source = way.replaceAll(/[.?]/g, String.raw`\$&`).replaceAll(/\{(\w+)\}/g, (_, slot: string) => {
    if (seen.has(slot)) return String.raw`\k<${slot}>`;
    seen.add(slot);
    return `(?<${slot}>${slots[slot] ?? String.raw`[1-9]\d{0,7}`})`;
  });
  return new RegExp(`${source}(?: |$)`, 'uy');
}

/** Compiled once. Sticky, so that each pattern is tried at one position only. */
const patterns = new Map(
  [...openings, ...events, asides, ...endings].map((form) => [form, form.ways.map(patternOf)] as const),
);

const familiarWords: ReadonlySet<string> = new Set(
  [...patterns.keys()]
    .flatMap(({ ways }) => ways)
    .flatMap((way) => way.replaceAll(/\{\w+\}/g, ' ').match(/[A-Za-z]+/g) ?? [])
    .concat(knownItems, knownBoxes, 'He', 'She')
    .map((word) => word.toLowerCase()),
);
