// Short solutions, each once right and once with a slip that the rest goes on from: for reward models trained on whole solutions.

export const workedSolutions = [
  {
    question: 'A box holds 12 pencils. Ben buys 3 boxes and gives 8 pencils away. How many pencils does he keep?',
    right: ['The 3 boxes hold 3 * 12 = 36 pencils.', 'He keeps 36 - 8 = 28 pencils.', 'The answer is 28.'],
    wrong: ['The 3 boxes hold 3 * 12 = 46 pencils.', 'He keeps 46 - 8 = 38 pencils.', 'The answer is 38.'],
  },
  {
    question: 'Ines reads 15 pages a day for 4 days and 20 pages on the fifth day. How many pages has she read?',
    right: ['In 4 days she reads 4 * 15 = 60 pages.', 'With the fifth day that is 60 + 20 = 80.', 'The answer is 80.'],
    wrong: ['In 4 days she reads 4 * 15 = 60 pages.', 'With the fifth day that is 60 + 20 = 90.', 'The answer is 90.'],
  },
  {
    question: 'A jacket costs 80 euros and is reduced by 25 percent. How many euros do 2 of them cost?',
    right: ['25 percent of 80 is 20, so one costs 80 - 20 = 60.', 'Two cost 2 * 60 = 120.', 'The answer is 120.'],
    wrong: ['25 percent of 80 is 25, so one costs 80 - 25 = 55.', 'Two cost 2 * 55 = 110.', 'The answer is 110.'],
  },
  {
    question:
      'A tank of 90 litres is filled at 12 litres a minute while 3 litres a minute leak out. How many minutes does it take?',
    right: ['Each minute adds 12 - 3 = 9 litres.', 'It takes 90 / 9 = 10 minutes.', 'The answer is 10.'],
    wrong: ['Each minute adds 12 + 3 = 15 litres.', 'It takes 90 / 15 = 6 minutes.', 'The answer is 6.'],
  },
];
