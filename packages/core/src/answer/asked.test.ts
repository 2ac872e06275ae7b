// What questions ask for, by their words, and how answers to a question for a number are read.

import { describe, expect, it } from 'vitest';
import { asksForNumber, asksForShortAnswer, readingFor } from './asked.ts';
import { extractAnswer } from './extract.ts';
import { groupAnswers } from './groups.ts';

describe('what a question asks for', () => {
  it.each([
    'Natalia sold 48 clips and half as many in May. How many clips did she sell?',
    'What is the value of $2^3$?',
    'What is 17 * 23?',
    'At what speed, in miles per hour, can the red car travel if the other goes 80?',
    '3 + 5?',
    '17*23=',
    '[asy]\nimport graph; draw(a);\n[/asy]\nWhat is the area of this?',
    'Compute the remainder when $7^{10}$ is divided by 5.',
  ])('%j asks for a number', (question) => {
    expect([asksForNumber(question), asksForShortAnswer(question)]).toEqual([true, true]);
  });

  it.each([
    'Find all real values of $x$ such that $x^2 = 4$.',
    'Convert $(0,3)$ to polar coordinates.',
    'Simplify $\\sqrt{50}$.',
    'The solution of the inequality $x - 1 \\ge 3$ is ____?',
    'Combine like terms: $-7 x-2 x$',
    'Write $\\frac{3}{20}$ as a decimal.',
    'Write the number in scientific notation: 1.09',
    'Which of 3, 5 and 9 is not prime?',
  ])('%j asks for a short answer that need not be one number', (question) => {
    expect([asksForNumber(question), asksForShortAnswer(question)]).toEqual([false, true]);
  });

  it.each([
    'Write a poem about how many stars there are.',
    'Please explain how much CO2 a car emits in 10 years.',
    'Can you write a function that counts how many words a text has?',
    'def area(radius):\n    """What is the area of a circle?"""',
    'Let $x$ be a number. Prove that $x^2 \\ge 0$.',
    'Write the 3 paragraphs of a letter.',
    'I paid $5 and she paid $10. Was that nice?',
    '2026-11-19',
    'Who wrote Faust?',
    'What is the capital of France?',
    'hi',
  ])('%j asks for neither', (question) => {
    expect([asksForNumber(question), asksForShortAnswer(question)]).toEqual([false, false]);
  });
});

describe('answers to a question for a number', () => {
  const read = readingFor('How many minutes does it take?', extractAnswer);

  it.each([
    ['It takes 60 minutes.', '60'],
    ['So it takes **60** minutes for the 3 of them.', '60'],
    ['Together that is 20 + 40 = 60.', '60'],
    ['The total is \\(60\\) minutes.', '60'],
    ['It costs $1,250.50.', '1,250.50'],
    ['It falls to -5.', '-5'],
    ['That is 9-2', '2'],
    ['It is 5 on the 3rd day.', '5'],
    ['She needs 1/2 cup.', '1/2'],
    ['She needs \\frac{1}{2} cup.', '\\frac{1}{2}'],
    ['The answer is that it takes 60 minutes in all.', '60'],
    ['The answer is 60 because 20+40=60.', '60'],
    ['The answer is 20 + 40 = 60 minutes.', '60'],
    ['\\boxed{20+40=60}', '60'],
    ['After 3 tries: \\boxed{60}', '60'],
    ['\\boxed{52_8}', '52_8'],
    ['\\boxed{x = 5}', 'x = 5'],
  ])('%j answers %j', (text, answer) => {
    expect(read(text)).toBe(answer);
  });

  it.each(['I do not know.', 'It is $3\\sqrt{13}$.', 'It is $9\\pi$.', 'We compute 5 * 12'])(
    '%j answers nothing',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );

  it('agree where three of four samples say 60, each in its own words', () => {
    const texts = [
      'So she needs 60 minutes.',
      'Therefore the total time is **60 minutes**.',
      'The answer is 60.',
      'It takes her 45 minutes.',
    ];
    const [first] = groupAnswers(texts.map((text) => ({ answer: read(text), weight: 1 })));
    expect(first).toMatchObject({ key: '60', weight: 3 });
  });

  it('are read as ever where the question asks for something else', () => {
    expect(readingFor('Who wrote Faust?', extractAnswer)('Goethe, in 1808.')).toBeUndefined();
  });
});
