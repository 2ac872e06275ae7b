// Two ways to weigh a leader with `a` votes against a rival with `b`, both about which of the two the model itself gives more often. Exact sums, no
// numerical integration: with n = a + b + 1, ∫ over ½..1 of θᵃ(1 − θ)ᵇ is a!·b!/n! · Σ_{j ≤ a} C(n, j) / 2ⁿ.

/**
 * E = 2ⁿ · ∫ over ½..1 of θᵃ(1 − θ)ᵇ: how much better the votes are explained by a leader that really leads (all leads alike) than by a tie. If
 * the leader does not lead, E is at least x at some moment with a probability of at most 1 / x, however often it is looked at (Ville).
 */
export function leadEvidence(leader: number, rival: number): number {
  const n = leader + rival + 1;
  // The terms a!·b!/n! · C(n, j) from j = a down; the first of them is 1 / (b + 1).
  let term = 1 / (rival + 1);
  let sum = 0;
  for (let j = leader; j >= 0; j -= 1) {
    sum += term;
    term *= j / (n - j + 1);
  }
  return sum;
}

/** P(θ > ½) under a flat prior: adaptive consistency (Aggarwal, Madaan, Yang, Mausam 2023). Not made for looking again and again. */
export function leadProbability(leader: number, rival: number): number {
  const n = leader + rival + 1;
  // The other tail, Σ_{j ≤ b} C(n, j) / 2ⁿ, from its largest term down; that one by logarithms, since 2ⁿ may be huge.
  let logTerm = -n * Math.LN2;
  for (let j = 1; j <= rival; j += 1) logTerm += Math.log((n - j + 1) / j);
  let term = Math.exp(logTerm);
  let tail = 0;
  for (let j = rival; j >= 0; j -= 1) {
    tail += term;
    term *= j / (n - j + 1);
  }
  return 1 - tail;
}
