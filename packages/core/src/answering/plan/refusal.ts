// A refusal of what was asked names the setting as the caller wrote it: a fault like any other for commands; the gateway makes a 400 of it
// that names the field.

import { FaultError, fault } from '../../base/fault.ts';
import { type Speaker, writtenName } from '../../config/vocabulary.ts';

/** `invalid`: the value is out of bounds. `unsupported`: it asks for something that this search cannot do. */
type RefusalKind = 'invalid' | 'unsupported';

export class Refusal extends FaultError {
  readonly kind: RefusalKind;
  /** In the caller's words, without quotes; while a plan is made, a name of the vocabulary or the path of an option (`chain.probe`). */
  readonly setting: string;

  constructor(kind: RefusalKind, setting: string, message: string) {
    super(fault('bad-setting', message));
    this.kind = kind;
    this.setting = setting;
  }
}

/** `what` goes on from the name: "is 3; it must be …". */
export function refuseSetting(kind: RefusalKind, setting: string, what: string): never {
  throw new Refusal(kind, setting, what);
}

/** Gives what is refused the name that its speaker wrote. */
export function nameSetting<Result>(speaker: Speaker, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { kind, setting, fault } = error;
    const name = chatFields.has(setting) ? setting : writtenSetting(setting, speaker);
    const isQuoted = speaker === 'body' || chatFields.has(setting);
    throw new Refusal(kind, name, `${isQuoted ? `'${name}'` : name} ${fault.message}`);
  }
}

/** Named as in a chat by every speaker. */
const chatFields: ReadonlySet<string> = new Set(['logprobs', 'tools', 'response_format']);

function writtenSetting(setting: string, speaker: Speaker): string {
  if (setting !== 'question') return writtenName(setting, speaker);
  return speaker === 'body' ? 'messages' : 'the question';
}
