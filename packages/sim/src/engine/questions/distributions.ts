// The distributions of the question model, as functions of standard normals, so that draws can be correlated (a Gaussian copula:
// mix the normals, then map each to its own distribution).

/** The standard normal distribution function (Abramowitz and Stegun 26.2.17, error below 1e-7). */
export function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = 0.3989422804014327 * Math.exp((-z * z) / 2) * poly;
  return z >= 0 ? 1 - tail : tail;
}

/** Mixes two standard normals into one that has correlation √share with the first. */
export function mixed(common: number, own: number, share: number): number {
  return Math.sqrt(share) * common + Math.sqrt(1 - share) * own;
}

/** Kumaraswamy's distribution on 0 to 1: close to Beta(a, b), with a quantile in closed form. */
export interface UnitShape {
  readonly a: number;
  readonly b: number;
}

export function unitQuantile(shape: UnitShape, probability: number): number {
  return (1 - (1 - probability) ** (1 / shape.b)) ** (1 / shape.a);
}
