// Exports of this folder, as `@coppice/papers/levels`: for your own programs that grow level by level. A list only.

export type { LevelParent } from './level-parents.ts';
export { byScore, levelDefaults, levelShape, type NextLevel } from './level-rule.ts';
export { growLevels } from './levels.ts';
