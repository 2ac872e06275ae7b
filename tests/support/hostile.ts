// Parts that break: at its nth call, one method of any object throws or returns what no contract allows.

import { FaultError, fault } from '../../packages/core/src/base/fault.ts';

/** Values that a stranger's code may throw. */
export const throwables = {
  error: () => new Error('sabotage'),
  fault: () => new FaultError(fault('bad-event', 'sabotage')),
  text: () => 'sabotage',
  nothing: () => undefined,
  unreadable: () => ({
    toString() {
      throw new Error('not even this');
    },
  }),
} as const;
export type Throwable = keyof typeof throwables;

export interface Sabotage {
  readonly verb: string;
  /** Number of the first call that breaks, from 1; all later ones break too. */
  readonly from: number;
  readonly how: Throwable | 'garbage' | 'rejection';
  /** Set once it has broken. */
  struck?: boolean;
}

function strike(how: Sabotage['how']): unknown {
  if (how === 'garbage') return { nonsense: true };
  if (how === 'rejection') return Promise.reject(new Error('sabotage'));
  throw throwables[how]();
}

/** The same part with one method that breaks. A method may return a function, which `verb/` breaks instead. */
export function sabotaged<Part extends object>(part: Part, sabotage: Sabotage): Part {
  let calls = 0;
  const [verb, given] = sabotage.verb.split('/');
  const broken = (act: () => unknown): unknown => {
    calls += 1;
    if (calls < sabotage.from) return act();
    sabotage.struck = true;
    return strike(sabotage.how);
  };
  return new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        const act = () => Reflect.apply(value, target, values) as unknown;
        if (key !== verb) return act();
        if (given === undefined) return broken(act);
        const inner = act();
        return typeof inner === 'function' ? (...more: unknown[]) => broken(() => inner(...more)) : inner;
      };
    },
  });
}
