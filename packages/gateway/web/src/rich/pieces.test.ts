import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { answerPieces, piecesOf, piecesOfSteps, type TextPiece } from './pieces.ts';

/** Formulas as their TeX in angle brackets, code in bars. */
function shown(pieces: readonly TextPiece[]): string {
  return pieces
    .map((piece) => {
      if (piece.kind === 'formula') return piece.display ? `«${piece.tex}»` : `‹${piece.tex}›`;
      return piece.kind === 'prose' ? piece.text : piece.kind === 'code' ? `|${piece.text}|` : `‖${piece.text}‖`;
    })
    .join('');
}

describe('texts of models', () => {
  it.each([
    ['so $x = \\frac{1}{2}$ holds', 'so ‹x = \\frac{1}{2}› holds'],
    ['$$a^2$$ and \\[b\\] and \\(c\\)', '«a^2» and «b» and ‹c›'],
    ['the answer is \\boxed{\\frac{1}{2}}.', 'the answer is ‹\\boxed{\\frac{1}{2}}›.'],
    ['\\frac12 \\frac{1}{2}\\sqrt[3]{x}', '\\frac12 ‹\\frac{1}{2}›‹\\sqrt[3]{x}›'],
    ['\\begin{aligned}a&=b\\end{aligned}', '«\\begin{aligned}a&=b\\end{aligned}»'],
    ['3 notebooks for $4 each, paid with a $20 note', '3 notebooks for $4 each, paid with a $20 note'],
    ['from $5-$6 to \\$7', 'from $5-$6 to \\$7'],
    ['use `f(x)` and\n```python\nprint("$1$")\n```\ndone', 'use |f(x)| and\n‖print("$1$")‖done'],
    ['```\nfor', '‖for‖'],
    ['a ` b\nc` d', 'a ` b\nc` d'],
    ['\\boxed{ and $ and \\( and \\begin{cases}', '\\boxed{ and $ and \\( and \\begin{cases}'],
    ['one $a\n\nb$ two', 'one $a\n\nb$ two'],
  ])('%j', (text, wanted) => {
    expect(shown(piecesOf(text))).toBe(wanted);
  });

  it('show an answer that has lost its marks as a formula', () => {
    expect(shown(answerPieces('\\frac{1}{2}'))).toBe('‹\\frac{1}{2}›');
    expect(shown(answerPieces('x \\le 3'))).toBe('‹x \\le 3›');
    expect(shown(answerPieces('42'))).toBe('42');
    expect(shown(answerPieces('a $\\pi$ b'))).toBe('a ‹\\pi› b');
    expect(shown(answerPieces('print(x)\n\\n'))).toBe('print(x)\n\\n');
  });

  it('go on as code from one step to the next until the fence is closed', () => {
    const steps = [
      'Run:\n```python\nimport sympy',
      'x = 1 # $y$',
      'print(x)\n```\nIt says $1$.',
      '```',
      'a',
      '```',
      'so $b$',
    ];
    const told = ['Run:\n‖import sympy‖', '‖x = 1 # $y$‖', '‖print(x)‖It says ‹1›.', '', '‖a‖', '', 'so ‹b›'];
    expect(piecesOfSteps(steps).map(shown)).toEqual(told);
  });

  it('lose nothing but the marks of code', () => {
    const part = fc.constantFrom(
      '$',
      '$$',
      '\\(',
      '\\)',
      '\\[',
      '\\]',
      '\\boxed{',
      '}',
      '{',
      '`',
      '```',
      '\n',
      ' ',
      'a',
      '1',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const kept = piecesOf(text).reduce((sum, each) => sum + each.text.replaceAll(/[`\n]/g, '').length, 0);
        const fences = piecesOf(text).filter(({ kind }) => kind === 'block').length;
        if (fences === 0) expect(kept).toBe(text.replaceAll(/[`\n]/g, '').length);
      }),
    );
  });

  it('are read once for each mark, whatever is left open', () => {
    for (const part of ['$', '\\(', '\\[', '\\boxed{', '`', '```\n', '\\begin{cases}', '$a ', '\\sqrt[', '{', '\\']) {
      const text = part.repeat(20_000 / part.length);
      let read = 0;
      const find = String.prototype.indexOf;
      const spy = vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, what, from = 0) {
        const at = find.call(this, what, from);
        read += (at === -1 ? this.length : at) - from;
        return at;
      });
      piecesOf(text);
      spy.mockRestore();
      expect(read, part).toBeLessThanOrEqual(4 * text.length);
    }
  });

  it('hold no more formulas than a page can draw', () => {
    const pieces = piecesOf('$x$ '.repeat(1000));
    expect(pieces.filter(({ kind }) => kind === 'formula')).toHaveLength(200);
    expect(piecesOf(`$${'x'.repeat(5000)}$`)).toHaveLength(1);
  });
});
