// Deals whole units out one at a time, in the given order, round after round, to those who still have room: what is
// left of a budget after its shares were rounded down. Done by levels instead of rounds, so that it costs a sort and
// not one step per unit.

/** How many each gets; their sum is the smaller of `units` and all the room there is. */
export function evenly(rooms: readonly number[], units: number): number[] {
  let left = units;
  let level = 0;
  let sharing = rooms.length;
  for (const room of [...rooms].sort((a, b) => a - b)) {
    // All that still share can rise to `room` together, or the units run out on the way.
    const rounds = Math.min(room - level, Math.floor(left / sharing));
    level += rounds;
    left -= rounds * sharing;
    if (level < room) break;
    sharing -= 1;
  }
  return rooms.map((room) => {
    const extra = room > level && left > 0 ? 1 : 0;
    left -= extra;
    return Math.min(room, level) + extra;
  });
}
