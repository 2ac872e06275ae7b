// The material of questions with functions: domains whose functions resemble each other, and wishes that exactly one call of one of them fulfils.

import type { turnMeaning } from '@coppice/core/answer';
import type { Random } from '@coppice/core/base';

export type MadeTurn = Parameters<typeof turnMeaning>[0];
export type CallableTool = Parameters<typeof turnMeaning>[1][number];

export interface DescribedTool extends CallableTool {
  readonly description: string;
  readonly parameters: ObjectSchema;
}

export interface ToolDomain {
  readonly tools: readonly DescribedTool[];
  readonly wishes: readonly ToolWish[];
}

/** `computed`: the call's values follow from the user's words only by arithmetic; `long`: its arguments hold lists or objects. */
export interface ToolWish {
  readonly tool: string;
  readonly kind: 'plain' | 'computed' | 'long';
  /** The same wish without an argument that the function requires. */
  readonly vague: string;
  readonly draw: (drawn: WishDraws) => DrawnWish;
}

export interface DrawnWish {
  /** Whole sentences that determine every argument. */
  readonly says: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

type PropertySchema = Readonly<Record<string, unknown>>;

interface ObjectSchema extends PropertySchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
}

/** Properties without a default are required, unless they are in `free`. */
export function object(properties: Readonly<Record<string, PropertySchema>>, ...free: readonly string[]): ObjectSchema {
  const required = Object.keys(properties).filter((name) => !('default' in properties[name]!) && !free.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

export function text(description: string, more: PropertySchema = {}): PropertySchema {
  return { type: 'string', description, ...more };
}

export function whole(description: string, more: PropertySchema = {}): PropertySchema {
  return { type: 'integer', description, ...more };
}

export function number(description: string, more: PropertySchema = {}): PropertySchema {
  return { type: 'number', description, ...more };
}

export function choice(values: readonly string[], description: string, more: PropertySchema = {}): PropertySchema {
  return { type: 'string', enum: values, description, ...more };
}

export function flag(description: string, isUsual: boolean): PropertySchema {
  return { type: 'boolean', description, default: isUsual };
}

export function list(items: PropertySchema, description: string, more: PropertySchema = {}): PropertySchema {
  return { type: 'array', items, description, ...more };
}

export const date = (description: string) => text(`${description}, as YYYY-MM-DD`);
export const clock = (description: string, more: PropertySchema = {}) =>
  text(`${description}, as HH:MM on a 24-hour clock`, more);

const dayMs = 86_400_000;
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'] as const;
/** First and last hour on a clock of twelve, and what the other clock adds. */
const partsOfDay = [
  ['morning', 7, 9, 0],
  ['afternoon', 1, 5, 12],
  ['evening', 7, 9, 12],
] as const;

/** Chance for wishes, and the day on which they are said. */
export class WishDraws {
  readonly #random: Random;
  readonly #todayMs: number;

  constructor(random: Random) {
    this.#random = random;
    this.#todayMs = Date.UTC(2027, 0, 1) + random.integer(700) * dayMs;
  }

  get today(): string {
    return `${weekdays[new Date(this.#todayMs).getUTCDay()]}, ${this.day(0)}`;
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.#random.integer(values.length)]!;
  }

  some<Value>(values: readonly Value[], count: number): Value[] {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(this.#random.integer(left.length), 1)[0]!);
  }

  between(low: number, high: number, step = 1): number {
    return low + step * this.#random.integer(Math.floor((high - low) / step) + 1);
  }

  chance(probability: number): boolean {
    return this.#random.chance(probability);
  }

  /** YYYY-MM-DD, so many days from today. */
  day(offset: number): string {
    return new Date(this.#todayMs + offset * dayMs).toISOString().slice(0, 10);
  }

  /** A day ahead in words, and as a date. */
  coming(): readonly [said: string, day: string] {
    const offset = this.between(1, 12);
    if (offset === 1) return ['tomorrow', this.day(1)];
    if (offset === 2) return ['the day after tomorrow', this.day(2)];
    const weekday = weekdays[new Date(this.#todayMs + offset * dayMs).getUTCDay()]!;
    if (offset < 7) return [`this coming ${weekday}`, this.day(offset)];
    return [`${offset} days from today`, this.day(offset)];
  }

  past(): readonly [said: string, day: string] {
    const offset = this.between(1, 9);
    const said = offset === 1 ? 'yesterday' : offset === 2 ? 'the day before yesterday' : `${offset} days ago`;
    return [said, this.day(-offset)];
  }

  /** A time of day as people say it, and as HH:MM. */
  time(): readonly [said: string, time: string] {
    const [part, first, last, shift] = this.one(partsOfDay);
    const [hour, quarter] = [this.between(first, last), this.between(0, 3)];
    const [at, after] = [numbers[hour]!, numbers[hour + 1]!];
    const said = [at, `a quarter past ${at}`, `half past ${at}`, `a quarter to ${after}`][quarter]!;
    const digits = `${String(hour + shift).padStart(2, '0')}:${String(15 * quarter).padStart(2, '0')}`;
    return [`${said} in the ${part}`, digits];
  }

  /** A length in hours and minutes as people say it, and in minutes. */
  length(): readonly [said: string, minutes: number] {
    return this.one([
      ['three quarters of an hour', 45],
      ['an hour and a half', 90],
      ['two and a half hours', 150],
      ['an hour and ten minutes', 70],
      ['an hour and twenty minutes', 80],
      ['one hour and three quarters', 105],
    ] as const);
  }

  /** `EV-4821`. */
  id(prefix: string): string {
    return `${prefix}-${this.between(1000, 9999)}`;
  }
}
