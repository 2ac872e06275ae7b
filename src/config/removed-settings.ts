// Settings that left the product: what a file, a flag or a body that still has one is told to do instead. One table, in the words of the
// vocabulary; a line stands here for as long as old files may be around.

export const removedSettings: Readonly<Record<string, string>> = {
  beta: 'β of the score is 2: leave it out',
  lambda: 'the predictor of long searches gained nothing: leave it out',
  progress: 'the score reads completed paths: leave it out',
  preemption: 'strands are taken back as they are needed: leave it out',
  first: 'waiting searches are admitted before others are boosted: leave it out',
  chancePrune: 'it cost accuracy: take beatPrune, which ends rollouts that are unlikely to beat the best answer so far',
  lengthExit: 'long answers are no reason to give up: take tokenBudget, or an exit rule of certain',
  extend: 'speculation grows on scored steps: leave it out',
  scores: 'steps go to the verifier at once: leave it out',
  idleFirst: 'boosts come before speculation: leave it out; speculate says how much a search may speculate',
};

/** One line for a setting that was removed, by its name in camelCase, as the caller wrote it; undefined for all others. */
export function removalOf(name: string, written: string): string | undefined {
  return Object.hasOwn(removedSettings, name) ? `${written} was removed: ${removedSettings[name]}` : undefined;
}

/** Options of a plan that an older version wrote, without those that are no options any more. */
export function withoutRemoved<Options extends object>(options: Options): Options {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !Object.hasOwn(removedSettings, name)),
  ) as Options;
}
