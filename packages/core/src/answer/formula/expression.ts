// Evaluates a LaTeX or plain expression: numbers, fractions, roots, powers, π, brackets, products without a sign, the
// usual functions. A letter stands for a fixed number of its own, so that two ways to write the same polynomial have the
// same value and different ones, but for a coincidence in ten digits, do not. Gives undefined for whatever it does not
// understand, and never throws.

import { hash } from '../../base/random.ts';
import { add, divide, multiply, negate, parseDecimal, power, real, root, toFloat, type Value } from './value.ts';

const functions: Readonly<Record<string, (x: number) => number>> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  cot: (x) => 1 / Math.tan(x),
  sec: (x) => 1 / Math.cos(x),
  csc: (x) => 1 / Math.sin(x),
  ln: Math.log,
  log: Math.log10,
  exp: Math.exp,
};

const greek = /^(?:alpha|beta|gamma|delta|theta|lambda|mu|phi|varphi|rho|sigma|omega)$/;
/** In characters; longer ones are no expressions. */
const longest = 2000;
/** Brackets within brackets; deeper is not an answer. */
const deepest = 40;

/** `salt` chooses the numbers that letters stand for. */
export function evaluate(text: string, salt = 0): Value | undefined {
  if (text.length > longest) return undefined;
  const reader = new Reader(text, salt);
  const value = reader.sum();
  return value !== undefined && reader.atEnd() && !Number.isNaN(toFloat(value)) ? value : undefined;
}

/** Recursive descent over the characters: LaTeX has no tokens that are the same everywhere (`\frac14` is a quarter). */
class Reader {
  readonly #text: string;
  readonly #salt: number;
  #at = 0;
  #depth = 0;

  constructor(text: string, salt: number) {
    this.#text = text;
    this.#salt = salt;
  }

  atEnd(): boolean {
    return this.#peek(/\s*$/y) !== undefined;
  }

  sum(): Value | undefined {
    if (this.#depth >= deepest) return undefined;
    this.#depth += 1;
    let total = this.#product();
    while (total !== undefined) {
      const sign = this.#take(/\s*([+-])/y);
      if (sign === undefined) break;
      const next = this.#product();
      total = next && add(total, sign === '-' ? negate(next) : next);
    }
    this.#depth -= 1;
    return total;
  }

  #product(): Value | undefined {
    const sign = this.#take(/\s*([+-])/y);
    let total = this.#power();
    while (total !== undefined) {
      const operator = this.#take(/\s*(\*|\/|\\(?:cdot|times|div)(?![a-zA-Z]))/y);
      // Without a sign between them, two factors multiply, but `2 3` is no product.
      if (operator === undefined && this.#peek(/\s*(?:[a-zA-Z({]|\\[a-zA-Z])/y) === undefined) break;
      const next = this.#power();
      const divides = operator === '/' || operator === '\\div';
      total = next && (divides ? divide(total, next) : multiply(total, next));
    }
    return total !== undefined && sign === '-' ? negate(total) : total;
  }

  #power(): Value | undefined {
    const base = this.#factor();
    if (base === undefined || this.#take(/\s*(\^)/y) === undefined) return base;
    const sign = this.#take(/\s*(-)/y);
    const digits = this.#take(/\s*(\d+(?:\.\d*)?)/y);
    const exponent = digits === undefined ? this.#factor() : parseDecimal(digits);
    return exponent && power(base, sign === '-' ? negate(exponent) : exponent);
  }

  #factor(): Value | undefined {
    const literal = this.#take(/\s*(\d+(?:\.\d*)?|\.\d+)/y);
    const number = literal === undefined ? undefined : parseDecimal(literal);
    if (literal !== undefined) return number && this.#mixed(number, literal);
    const letter = this.#take(/\s*([a-zA-Z])(?![a-zA-Z]{2})/y);
    if (letter !== undefined) return this.#letter(letter);
    if (this.#take(/\s*(\()/y) !== undefined) return this.#closed(/\s*(\))/y);
    if (this.#take(/\s*(\{)/y) !== undefined) return this.#closed(/\s*(\})/y);
    return this.#command(this.#take(/\s*\\([a-zA-Z]+)/y));
  }

  /** A whole number right before a fraction of numbers is a mixed number: `1\frac{4}{5}`, `3 1/2`. */
  #mixed(whole: Value, literal: string): Value | undefined {
    if (literal.includes('.')) return whole;
    if (this.#peek(/\s*\\frac(?:\s*\d|\s*\{\d+\}\s*\{?\d)/y) !== undefined) {
      const fraction = this.#factor();
      return fraction && add(whole, fraction);
    }
    const plain = this.#take(/\s+(\d+\/\d+)/y)?.split('/');
    const [up, down] = plain?.map(parseDecimal) ?? [];
    const fraction = up && down && divide(up, down);
    return plain === undefined ? whole : fraction && add(whole, fraction);
  }

  #command(name: string | undefined): Value | undefined {
    if (name === undefined) return undefined;
    if (name === 'pi') return Math.PI;
    if (name === 'infty') return Number.POSITIVE_INFINITY;
    if (name === 'frac') return this.#fraction();
    if (name === 'sqrt') return this.#root();
    if (greek.test(name)) return this.#letter(name);
    const apply = Object.hasOwn(functions, name) ? functions[name] : undefined;
    const argument = apply && this.#power();
    return argument && real(apply(toFloat(argument)));
  }

  #fraction(): Value | undefined {
    const numerator = this.#argument();
    const denominator = numerator && this.#argument();
    return denominator && divide(numerator, denominator);
  }

  #root(): Value | undefined {
    const degree = this.#take(/\s*\[\s*(\d{1,2})\s*\]/y);
    const argument = this.#argument();
    return argument && root(argument, Math.max(1, Number(degree ?? 2)));
  }

  /** A command's argument: a group, a command, or one character. */
  #argument(): Value | undefined {
    const digit = this.#take(/\s*(\d)/y);
    return digit === undefined ? this.#factor() : parseDecimal(digit);
  }

  #closed(close: RegExp): Value | undefined {
    const inner = this.sum();
    return this.#take(close) === undefined ? undefined : inner;
  }

  #letter(name: string): number {
    return 1 + hash('letter', name, this.#salt) / 4294967296;
  }

  #take(pattern: RegExp): string | undefined {
    const found = this.#peek(pattern);
    if (found === undefined) return undefined;
    this.#at = pattern.lastIndex;
    return found[1];
  }

  #peek(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text) ?? undefined;
  }
}
