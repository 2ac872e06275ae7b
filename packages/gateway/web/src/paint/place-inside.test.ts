import { expect, test } from 'vitest';
import { placeInside } from './place-inside.ts';

test('scores are whole at every edge of the picture', () => {
  const size = { width: 390, height: 300 };
  expect(placeInside({ x: 380, y: 2 }, 24, 0, size)).toEqual({ x: 390 - 8 - 24, y: 8 });
  expect(placeInside({ x: 385, y: 150 }, 40, 20, size)).toEqual({ x: 390 - 8 - 20, y: 150 });
  expect(placeInside({ x: 0, y: 400 }, 40, 20, size)).toEqual({ x: 28, y: 292 });
  expect(placeInside({ x: 100, y: 100 }, 24, 0, size)).toEqual({ x: 100, y: 100 });
});
