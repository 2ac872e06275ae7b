// Sudoku of 4x4 and 6x6: "Sudoku 1..3 3.4. 2.3. 4312", rows separated by spaces, a point for an empty cell. A step fills one cell, "a2=4"
// (row a, column 2); the answer is the whole grid. A line is false if it conflicts with the cells so far, true if no other digit fits
// there, and otherwise unknown, since deciding would take solving.

import { type Fault, fault } from '@coppice/core/base';
import { answerPrefix, lineCheckOf, type Rightness, right, type ShippedTask, wrong } from './task.ts';

export interface SudokuQuestion {
  readonly size: number;
  readonly cells: readonly number[];
}

/** Rows of a box by the size of the grid. */
const boxRows: Readonly<Record<number, number>> = { 4: 2, 6: 2 };
const rowNames = 'abcdef';
/** Empty cells per sudoku in the models' training. */
const emptyCounts = { least: 4, most: 22 };

const shape = /^(?:(?:please\s+)?solve\s+(?:this\s+|the\s+)?)?sudoku\s*(?::\s*)?([\d._*/|,;-][\d._*\s/|,;-]*)$/i;

export function parseSudoku(question: string): SudokuQuestion | undefined {
  const told = shape.exec(question.trim())?.[1];
  if (told === undefined) return undefined;
  const rows = told.split(/[\s/|,;]+/).filter((row) => row !== '');
  const text = rows.join('');
  const size = Math.sqrt(text.length);
  const square = rows.length === 1 || rows.every((row) => row.length === size);
  if (!Number.isInteger(size) || !square || size < 2) return undefined;
  return { size, cells: [...text].map((character) => (/[1-9]/.test(character) ? Number(character) : 0)) };
}

function gridText(size: number, cells: readonly number[]): string {
  const rows = Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size));
  return rows.map((row) => row.map((digit) => (digit === 0 ? '.' : digit)).join('')).join(' ');
}

function outOfReach({ size, cells }: SudokuQuestion): Fault | undefined {
  if (boxRows[size] === undefined)
    return fault('unsupported', `the shipped models know sudokus of 4x4 and 6x6, not ${size}x${size}`);
  const large = cells.find((digit) => digit > size);
  if (large !== undefined)
    return fault('unsupported', `a ${size}x${size} sudoku has digits up to ${size}, not ${large}`);
  if (cells.some((digit, cell) => digit !== 0 && conflicts(size, cells, cell, digit)))
    return fault('unsupported', 'this sudoku has two equal digits in a row, a column or a box');
  const empty = cells.filter((digit) => digit === 0).length;
  const { least, most } = emptyCounts;
  if (empty < least || empty > most)
    return fault('unsupported', `the shipped models fill ${least} to ${most} empty cells, not ${empty}`);
  return undefined;
}

function shareUnit(size: number, a: number, b: number): boolean {
  const height = boxRows[size]!;
  const width = size / height;
  const [rowA, columnA, rowB, columnB] = [Math.floor(a / size), a % size, Math.floor(b / size), b % size];
  if (rowA === rowB || columnA === columnB) return true;
  const sameBand = Math.floor(rowA / height) === Math.floor(rowB / height);
  return sameBand && Math.floor(columnA / width) === Math.floor(columnB / width);
}

function conflicts(size: number, cells: readonly number[], cell: number, digit: number): boolean {
  return cells.some((other, at) => at !== cell && other === digit && shareUnit(size, cell, at));
}

function isForced(size: number, cells: readonly number[], cell: number, digit: number): boolean {
  for (let other = 1; other <= size; other += 1) {
    if (other !== digit && !conflicts(size, cells, cell, other)) return false;
  }
  return true;
}

interface Filling {
  readonly cell: number;
  readonly digit: number;
}

function fillingOf(size: number, line: string): Filling | undefined {
  const [, row, column, digit] = /^([a-f])([1-6])=([1-6])$/.exec(line) ?? [];
  if (row === undefined) return undefined;
  const at = rowNames.indexOf(row);
  if (at >= size || Number(column) > size || Number(digit) > size) return undefined;
  return { cell: at * size + Number(column) - 1, digit: Number(digit) };
}

function checkGrid({ size, cells }: SudokuQuestion, answer: string): Rightness {
  const text = answer.replace(/[\s/|,;]/g, '');
  if (!/^\d+$/.test(text) || text.length !== cells.length) return wrong('form');
  const grid = [...text].map(Number);
  if (grid.some((digit) => digit < 1 || digit > size)) return wrong('form');
  if (grid.some((digit, cell) => cells[cell] !== 0 && cells[cell] !== digit)) return wrong('numbers');
  return grid.some((digit, cell) => conflicts(size, grid, cell, digit)) ? wrong('conflict') : right;
}

/** The grid after these lines, and the verdict of each. */
function follow(asked: SudokuQuestion, lines: readonly string[]): { verdicts: Rightness[]; cells: readonly number[] } {
  const cells = [...asked.cells];
  const verdicts = lines.map((line): Rightness => {
    if (line.startsWith(answerPrefix)) return checkGrid(asked, line.slice(answerPrefix.length));
    const filling = fillingOf(asked.size, line);
    if (filling === undefined) return wrong('form');
    const { cell, digit } = filling;
    if (cells[cell] !== 0) return wrong('numbers');
    const broken = conflicts(asked.size, cells, cell, digit);
    cells[cell] = digit;
    return broken ? wrong('conflict') : right;
  });
  return { verdicts, cells };
}

function known(question: string): SudokuQuestion | undefined {
  const asked = parseSudoku(question);
  return asked !== undefined && boxRows[asked.size] !== undefined ? asked : undefined;
}

export const sudoku: ShippedTask = {
  kind: 'sudoku',
  decides: true,

  recognise(question) {
    const asked = parseSudoku(question);
    return asked && (outOfReach(asked) ?? `Sudoku ${gridText(asked.size, asked.cells)}`);
  },

  check(question, answer) {
    const asked = known(question);
    return asked === undefined ? wrong('form') : checkGrid(asked, answer);
  },

  judge(question, lines) {
    const asked = known(question);
    return asked === undefined ? lines.map(() => wrong('form')) : follow(asked, lines).verdicts;
  },

  checkLine(question, before, line) {
    const asked = known(question);
    if (asked === undefined) return 'unknown';
    const verdict = follow(asked, [...before, line]).verdicts.at(-1);
    const filling = fillingOf(asked.size, line);
    if (verdict?.right !== true || filling === undefined) return lineCheckOf(verdict);
    const { cells } = follow(asked, before);
    return isForced(asked.size, cells, filling.cell, filling.digit) ? 'true' : 'unknown';
  },
};
