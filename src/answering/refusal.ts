// Why a search is not made: the setting as the caller wrote it, and the reason. A fault like any other for commands; the
// gateway makes a 400 of it that names the field.

import { FaultError, fault } from '../base/fault.ts';
import { type SearchKnob, type Speaker, writtenName } from '../config/vocabulary.ts';

/** `invalid`: the value is out of bounds. `unsupported`: it asks for something that this search cannot do. */
export type RefusalKind = 'invalid' | 'unsupported';
export type RefusedSetting = SearchKnob | 'effort' | 'question';

export class Refusal extends FaultError {
  readonly kind: RefusalKind;
  /** As the caller wrote it, without quotes. */
  readonly setting: string;

  constructor(kind: RefusalKind, setting: string, message: string) {
    super(fault('bad-setting', message));
    this.kind = kind;
    this.setting = setting;
  }
}

/** `what` goes on from the name: "is 3; it must be …". */
export function refuseSetting(kind: RefusalKind, name: RefusedSetting, speaker: Speaker, what: string): never {
  const setting = name === 'question' ? questionName(speaker) : writtenName(name, speaker);
  throw new Refusal(kind, setting, `${speaker === 'body' ? `'${setting}'` : setting} ${what}`);
}

function questionName(speaker: Speaker): string {
  return speaker === 'body' ? 'messages' : 'the question';
}
