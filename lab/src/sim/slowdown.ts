// How much a generator and a reward model on one GPU slow each other down, by the work of each: few sequences and short
// passes leave gaps that the other fills. Linear between the measured sizes.

export type GpuUser = 'generator' | 'rewardModel';

/** Factor by which each takes longer beside the other: a row per `sequences`, a column per `passTokens`. */
export interface SlowdownTable extends Readonly<Record<GpuUser, readonly (readonly number[])[]>> {
  /** Sequences that decode, rising. */
  readonly sequences: readonly number[];
  /** New tokens of the reward model's pass, rising. */
  readonly passTokens: readonly number[];
}

export function evenSlowdown(generator: number, rewardModel: number): SlowdownTable {
  return { sequences: [1], passTokens: [1], generator: [[generator]], rewardModel: [[rewardModel]] };
}

/** Beyond the measured sizes it uses the nearest one. */
export function slowdownAt(table: SlowdownTable, user: GpuUser, sequences: number, passTokens: number): number {
  const row = placeOf(sequences, table.sequences);
  const column = placeOf(passTokens, table.passTokens);
  const across = (factors: readonly number[]): number =>
    mix(factors[column.below]!, factors[column.above]!, column.share);
  return mix(across(table[user][row.below]!), across(table[user][row.above]!), row.share);
}

function placeOf(value: number, measured: readonly number[]) {
  const found = measured.findIndex((each) => each >= value);
  const above = found < 0 ? measured.length - 1 : found;
  const below = found <= 0 ? above : above - 1;
  const [from, to] = [measured[below]!, measured[above]!];
  return { below, above, share: from === to ? 0 : (value - from) / (to - from) };
}

function mix(one: number, other: number, share: number): number {
  return one + share * (other - one);
}
