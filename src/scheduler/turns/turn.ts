// The order of searches as one number. A search's turn is fixed when it is accepted and never changes; lower goes first,
// in every queue that searches wait in. It is a virtual finish time as in fair queueing (self-clocked: the line's own
// progress is its clock), in seconds. Reads only what it is given.

/** How a key stands when one of its searches is accepted. */
interface KeyStanding {
  /** Weight of the key: twice the share, twice the searches in the same stretch of the line. */
  readonly share: number;
  /** The finish of the search that was served last while others waited; undefined where none waits. */
  readonly serving: number | undefined;
  /** The finish of the key's last search that still waits; undefined where none does. */
  readonly last: number | undefined;
}

interface TurnFacts {
  readonly arrivalMs: number;
  /** Higher goes first: one unit is worth `ageingSeconds`. */
  readonly priority: number;
  /** Missing where no keys share the line. */
  readonly key?: KeyStanding;
  /** Expected work, where the order goes by it; else all count alike. */
  readonly workSeconds?: number | undefined;
}

interface Turn {
  readonly turn: number;
  /** The turn without its priority: where the key's next search begins to count. */
  readonly finish: number;
}

/** A waiting search gains one unit of priority a minute, unless the policy's knob says otherwise. */
export const defaultAgeingSeconds = 60;

/**
 * Without keys: arrival and expected work, minus what the priority is worth: the shorter goes first, and no search is overtaken by
 * a search that comes later by more than it is shorter. With keys: a search begins where the line stands or where its
 * key's last waiting search ends, whichever is later, and finish = start + work / share (weighted fair queueing). Idle keys
 * earn no credit, and a key that floods the line is overtaken by all others, in proportion to their shares.
 */
export function turnOf(
  { arrivalMs, priority, key, workSeconds }: TurnFacts,
  ageingSeconds: number = defaultAgeingSeconds,
): Turn {
  const finish =
    key === undefined
      ? arrivalMs / 1000 + (workSeconds ?? 0)
      : startOf(key, arrivalMs) + (workSeconds ?? 1) / key.share;
  return { turn: finish - priority * ageingSeconds, finish };
}

function startOf({ serving, last }: KeyStanding, arrivalMs: number): number {
  const line = serving ?? arrivalMs / 1000;
  return last === undefined ? line : Math.max(line, last);
}
