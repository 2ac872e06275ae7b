// API keys: the configuration names the variable that holds one, and never the key.

import { FaultError, fault } from '../base/fault.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a named variable: the name may be shown, the value never. */
export function secret(name: string | undefined, environment: Environment): string | undefined {
  if (name === undefined) return undefined;
  const value = environment[name];
  if (value !== undefined && value !== '') return value;
  throw new FaultError(fault('bad-setting', `apiKeyEnv names ${name}, and that variable is not set`));
}
