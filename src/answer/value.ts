// Numbers that stay exact as long as they can: rationals of big integers, and floating point once a root or π comes in.
// `valueKey` names a value so that equal values have equal names, however they were computed.

export interface Rational {
  readonly numerator: bigint;
  /** Positive, without a common factor. */
  readonly denominator: bigint;
}

export type Value = Rational | number;

/** Beyond this many binary digits an exact power is not worth having. */
const largestPowerBits = 4096;
/** Numerators and denominators up to these differ by more than the ten digits that floating point is compared to. */
const smallNumerator = 100_000n;
const smallDenominator = 10_000n;
const comparedDigits = 10;

function rational(numerator: bigint, denominator = 1n): Rational | undefined {
  if (denominator === 0n) return undefined;
  const sign = denominator < 0n ? -1n : 1n;
  const common = gcd(numerator < 0n ? -numerator : numerator, denominator * sign) || 1n;
  return { numerator: (numerator * sign) / common, denominator: (denominator * sign) / common };
}

/** A decimal literal, exactly. */
export function parseDecimal(literal: string): Rational {
  const [whole = '', fraction = ''] = literal.split('.');
  return rational(BigInt(`${whole}${fraction}` || '0'), 10n ** BigInt(fraction.length))!;
}

export function toFloat(value: Value): number {
  return typeof value === 'number' ? value : Number(value.numerator) / Number(value.denominator);
}

export function add(a: Value, b: Value): Value | undefined {
  if (typeof a === 'number' || typeof b === 'number') return toFloat(a) + toFloat(b);
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function multiply(a: Value, b: Value): Value | undefined {
  if (typeof a === 'number' || typeof b === 'number') return toFloat(a) * toFloat(b);
  return rational(a.numerator * b.numerator, a.denominator * b.denominator);
}

export function divide(a: Value, b: Value): Value | undefined {
  if (typeof a === 'number' || typeof b === 'number') return toFloat(b) === 0 ? undefined : toFloat(a) / toFloat(b);
  return rational(a.numerator * b.denominator, a.denominator * b.numerator);
}

export function negate(value: Value): Value {
  return typeof value === 'number' ? -value : { ...value, numerator: -value.numerator };
}

export function power(base: Value, exponent: Value): Value | undefined {
  if (typeof base !== 'number' && typeof exponent !== 'number' && exponent.denominator === 1n) {
    const exact = wholePower(base, exponent.numerator);
    if (exact !== undefined) return exact;
  }
  const result = toFloat(base) ** toFloat(exponent);
  return Number.isNaN(result) ? undefined : result;
}

/** The n-th root; exact where the number is a perfect power. */
export function root(value: Value, degree: number): Value | undefined {
  const float = toFloat(value);
  if (float < 0 && degree % 2 === 0) return undefined;
  const near = Math.sign(float) * Math.abs(float) ** (1 / degree);
  if (typeof value === 'number') return near;
  const numerator = wholeRoot(value.numerator, degree);
  const denominator = wholeRoot(value.denominator, degree);
  return numerator === undefined || denominator === undefined ? near : rational(numerator, denominator);
}

/** Equal for equal values. Large rationals are named exactly; all else to ten digits, so that √2·√2 is 2. */
export function valueKey(value: Value): string {
  if (typeof value === 'number') return floatKey(value);
  const { numerator, denominator } = value;
  const size = numerator < 0n ? -numerator : numerator;
  if (size <= smallNumerator && denominator <= smallDenominator) return floatKey(toFloat(value));
  return denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;
}

function floatKey(value: number): string {
  return Math.abs(value) < 1e-12 ? '0' : String(Number(value.toPrecision(comparedDigits)));
}

function wholePower({ numerator, denominator }: Rational, exponent: bigint): Rational | undefined {
  const size = exponent < 0n ? -exponent : exponent;
  const bits = BigInt(Math.max(bitLength(numerator), bitLength(denominator)));
  if (bits * size > largestPowerBits) return undefined;
  const [up, down] = [numerator ** size, denominator ** size];
  return exponent < 0n ? rational(down, up) : rational(up, down);
}

function wholeRoot(value: bigint, degree: number): bigint | undefined {
  const size = value < 0n ? -value : value;
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  const near = BigInt(Math.round(Number(size) ** (1 / degree)));
  return near ** BigInt(degree) === size ? (value < 0n ? -near : near) : undefined;
}

function bitLength(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
