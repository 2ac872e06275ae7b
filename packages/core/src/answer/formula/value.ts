// Numbers that stay exact as long as they can: rationals of big integers, and floating point once a root or π comes in.
// `valueKey` names a value so that equal values have equal names, however they were computed.

export interface Rational {
  readonly numerator: bigint;
  /** Positive. Common factors stay: to look for them takes longer than all else. */
  readonly denominator: bigint;
}

export type Value = Rational | number;

/** Beyond this many binary digits an exact power is not worth having, and of twice as many no number is computed. */
const largestPowerBits = 4096;
const tooLarge = 1n << BigInt(2 * largestPowerBits);
/** Numerators and denominators up to these differ by more than the ten digits that floating point is compared to. */
const smallNumerator = 100_000;
const smallDenominator = 10_000;
const comparedDigits = 10;

/** Undefined of a division by zero, and of numbers too large to compute with. */
function rational(numerator: bigint, denominator = 1n): Rational | undefined {
  const [up, down] = denominator < 0n ? [-numerator, -denominator] : [numerator, denominator];
  return down === 0n || down > tooLarge || up > tooLarge || up < -tooLarge
    ? undefined
    : { numerator: up, denominator: down };
}

/** Characters; a longer one has more binary digits than any number may have. */
const longestLiteral = 2400;

export function parseDecimal(literal: string): Rational | undefined {
  if (literal.length > longestLiteral) return undefined;
  const [whole = '', fraction = ''] = literal.split('.');
  return rational(BigInt(`${whole}${fraction}` || '0'), 10n ** BigInt(fraction.length));
}

/** A value is never falsy: zero is a rational. */
export function real(float: number): Value {
  return float === 0 ? { numerator: 0n, denominator: 1n } : float;
}

export function toFloat(value: Value): number {
  if (typeof value === 'number') return value;
  const { numerator, denominator } = value;
  // A float holds 1,024 binary digits: of larger numbers the last ones say nothing.
  const spare = BigInt(Math.max(0, bitLength(numerator) - 1000, bitLength(denominator) - 1000));
  return Number(numerator >> spare) / Number(denominator >> spare);
}

export function add(a: Value, b: Value): Value | undefined {
  if (typeof a === 'number' || typeof b === 'number') return real(toFloat(a) + toFloat(b));
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function multiply(a: Value, b: Value): Value | undefined {
  if (typeof a === 'number' || typeof b === 'number') return real(toFloat(a) * toFloat(b));
  return rational(a.numerator * b.numerator, a.denominator * b.denominator);
}

export function divide(a: Value, b: Value): Value | undefined {
  if (typeof a === 'number' || typeof b === 'number')
    return toFloat(b) === 0 ? undefined : real(toFloat(a) / toFloat(b));
  return rational(a.numerator * b.denominator, a.denominator * b.numerator);
}

export function negate(value: Value): Value {
  return typeof value === 'number' ? -value : { ...value, numerator: -value.numerator };
}

export function power(base: Value, exponent: Value): Value | undefined {
  if (typeof base !== 'number' && typeof exponent !== 'number' && exponent.numerator % exponent.denominator === 0n) {
    const exact = wholePower(base, exponent.numerator / exponent.denominator);
    if (exact !== undefined) return exact;
  }
  const result = toFloat(base) ** toFloat(exponent);
  return Number.isNaN(result) ? undefined : real(result);
}

/** The n-th root; exact where the number is a perfect power. */
export function root(value: Value, degree: number): Value | undefined {
  const float = toFloat(value);
  if (float < 0 && degree % 2 === 0) return undefined;
  const near = Math.sign(float) * Math.abs(float) ** (1 / degree);
  if (typeof value === 'number') return near;
  const [numerator, denominator] = [wholeRoot(value.numerator, degree), wholeRoot(value.denominator, degree)];
  return numerator === undefined || denominator === undefined ? near : rational(numerator, denominator);
}

/** Equal for equal values, whatever their common factors. Small and floating ones by ten digits, so that √2·√2 is 2; large ones exactly, fractions by a residue. */
export function valueKey(value: Value): string {
  const float = typeof value === 'number' ? value : smallFraction(value);
  if (float !== undefined) return Math.abs(float) < 1e-12 ? '0' : String(Number(float.toPrecision(comparedDigits)));
  const { numerator, denominator } = value as Rational;
  return numerator % denominator === 0n ? `${numerator / denominator}` : `~${residue(value as Rational)}`;
}

/** Of all small fractions the equal one is among the nearest, which a continued fraction finds. */
function smallFraction(value: Rational): number | undefined {
  const sign = value.numerator < 0n ? -1 : 1;
  let [rest, up, down, upBefore, downBefore] = [sign * toFloat(value), 1, 0, 0, 1];
  while (up <= smallNumerator && down <= smallDenominator) {
    if (down > 0 && BigInt(sign * up) * value.denominator === BigInt(down) * value.numerator) return (sign * up) / down;
    const whole = Math.floor(rest);
    [up, down, upBefore, downBefore] = [whole * up + upBefore, whole * down + downBefore, up, down];
    rest = 1 / (rest - whole);
  }
  return undefined;
}

/** Different values share one by a chance of 1 in 2^61. */
const prime = (1n << 61n) - 1n;

function residue({ numerator, denominator }: Rational): bigint {
  let [rest, above, inverse, before] = [denominator % prime, prime, 1n, 0n];
  while (rest > 1n) {
    const times = above / rest;
    [rest, above, inverse, before] = [above - times * rest, rest, before - times * inverse, inverse];
  }
  return (((numerator * inverse) % prime) + prime) % prime;
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
  return 4 * (value < 0n ? -value : value).toString(16).length;
}
