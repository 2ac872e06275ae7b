// Ledger: an opening balance and lettered entries of several amounts. "Ledger 4821: a+3921-1184 b-2442+1933."; a step adds one
// entry to the balance, "a 4821+3921-1184=7558", the answer is the last balance. The question alone decides every line.

import { type Fault, fault } from '@coppice/core/base';
import { answerPrefix, lineCheckOf, type Rightness, right, type ShippedTask, wrong } from './task.ts';

export interface LedgerQuestion {
  readonly opening: number;
  /** Signed amounts, one list per entry. */
  readonly entries: readonly (readonly number[])[];
}

/** Sizes in the models' training. */
const letters = 'abcdefghijklmnop';
const entryCounts = { least: 6, most: letters.length };
const mostAmounts = 3;
const digitCounts = { least: 4, most: 6 };
/** Most characters of question and answer together: about one token each, in a context of 512. */
const longest = 490;

const shape =
  /^ledger\s*(?::\s*)?(?:opening\s+(?:balance\s*)?|balance\s+|starts?\s+(?:at|with)\s+)?(\d+)\s*[:;,]\s*(\S.*?)\.?$/i;
const amounts = /^(?:\s*[+-]\s*\d+)+\s*$/;

/** Reads a ledger whose entries are lettered, or separated by commas, semicolons or lines. */
export function parseLedger(question: string): LedgerQuestion | undefined {
  const [, opening, told] = shape.exec(question.trim().replaceAll('−', '-')) ?? [];
  if (told === undefined) return undefined;
  const parts = told.split(/[,;\n]|\b[a-p]\b\s*:?/i).filter((part) => part.trim() !== '');
  if (parts.length === 0 || !parts.every((part) => amounts.test(part))) return undefined;
  const entries = parts.map((part) => part.match(/[+-]\s*\d+/g)!.map((amount) => Number(amount.replace(/\s/g, ''))));
  return { opening: Number(opening), entries };
}

function ledgerText({ opening, entries }: LedgerQuestion): string {
  return `Ledger ${opening}: ${entries.map((entry, index) => letters[index] + sumText(entry)).join(' ')}.`;
}

function sumText(entry: readonly number[]): string {
  return entry.map((amount) => (amount < 0 ? String(amount) : `+${amount}`)).join('');
}

function linesOf({ opening, entries }: LedgerQuestion): readonly string[] {
  let balance = opening;
  return entries.map((entry, index) => {
    const before = balance;
    balance += sum(entry);
    return `${letters[index]} ${before}${sumText(entry)}=${balance}`;
  });
}

function digitsOf(amount: number): number {
  return String(Math.abs(amount)).length;
}

/** The first balance, the opening one included, that is below 0 or has another number of digits. */
function strayBalance({ opening, entries }: LedgerQuestion, digits: number): number | undefined {
  const balances = entries.map((_, index) => opening + sum(entries.slice(0, index + 1).flat()));
  return [opening, ...balances].find((balance) => balance < 0 || digitsOf(balance) !== digits);
}

function outOfReach(asked: LedgerQuestion): Fault | undefined {
  const { opening, entries } = asked;
  const { least, most } = entryCounts;
  if (entries.length < least || entries.length > most)
    return fault(
      'unsupported',
      `the shipped models keep ledgers of ${least} to ${most} entries, not ${entries.length}`,
    );
  const long = entries.find((entry) => entry.length > mostAmounts);
  if (long !== undefined)
    return fault('unsupported', `the shipped models add up to ${mostAmounts} amounts an entry, not ${long.length}`);
  const digits = digitsOf(opening);
  if (digits < digitCounts.least || digits > digitCounts.most) {
    const limit = `${digitCounts.least} to ${digitCounts.most} digits`;
    return fault('unsupported', `the shipped models know balances of ${limit}; not ${opening}`);
  }
  const other = entries.flat().find((amount) => digitsOf(amount) > digits) ?? strayBalance(asked, digits);
  if (other !== undefined) {
    const limit = `amounts of at most ${digits} digits and balances of exactly ${digits} where the opening one has ${digits}`;
    return fault('unsupported', `the shipped models know ${limit}; not ${other}`);
  }
  const length = ledgerText(asked).length + linesOf(asked).join('\n').length;
  if (length > longest)
    return fault(
      'unsupported',
      `the ledger needs about ${length} tokens with its answer; the shipped models read ${longest}`,
    );
  return undefined;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** Checks one line against the balance before it; returns the balance that it states. */
function judgeLine(line: string, index: number, balance: number, asked: LedgerQuestion): [Rightness, number] {
  if (line.startsWith(answerPrefix)) {
    const isLast = index === asked.entries.length && line.slice(answerPrefix.length) === String(balance);
    return [isLast ? right : wrong('quantity'), balance];
  }
  const [, added, result] = /^([a-p] \d{1,9}(?:[-+]\d{1,9})+)=(\d{1,9})$/.exec(line) ?? [];
  if (added === undefined) return [wrong('form'), balance];
  const entry = asked.entries[index];
  const stated = Number(result);
  if (entry === undefined || added !== `${letters[index]} ${balance}${sumText(entry)}`)
    return [wrong('quantity'), stated];
  return [result === String(balance + sum(entry)) ? right : wrong('arithmetic'), stated];
}

export const ledger: ShippedTask = {
  kind: 'ledger',
  decides: true,

  recognise(question) {
    const asked = parseLedger(question);
    return asked && (outOfReach(asked) ?? ledgerText(asked));
  },

  check(question, answer) {
    const asked = parseLedger(question);
    const number = answer.trim().replace(/\.$/, '').replaceAll(',', '');
    if (asked === undefined || !/^-?\d+$/.test(number)) return wrong('form');
    return Number(number) === asked.opening + sum(asked.entries.flat()) ? right : wrong('quantity');
  },

  judge(question, lines) {
    const asked = parseLedger(question);
    if (asked === undefined) return lines.map(() => wrong('form'));
    let balance = asked.opening;
    return lines.map((line, index) => {
      const [verdict, stated] = judgeLine(line, index, balance, asked);
      balance = stated;
      return verdict;
    });
  },

  checkLine(question, before, line) {
    return lineCheckOf(ledger.judge(question, [...before, line]).at(-1));
  },
};
