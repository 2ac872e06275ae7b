// Whether a person can read a page: labels that are cut off without a way to read the rest, and text with less contrast to
// what lies behind it than WCAG 2.2 asks for (4.5, or 3 for large type).

import type { Page } from 'playwright-core';

/** Labels that are wider than their box and carry no title; boxes that scroll are fine. */
export function clippedLabels(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const clipped: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const { overflowX } = getComputedStyle(element);
      const hides = overflowX === 'hidden' || overflowX === 'clip';
      if (!hides || element.closest('.unseen, .skip, [title], [hidden], [aria-hidden=true]') !== null) continue;
      if (element.scrollWidth > element.clientWidth + 1) clipped.push(`${element.className}: ${element.textContent}`);
    }
    return clipped;
  });
}

export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const numbers = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([red = 0, green = 0, blue = 0]: number[]) => {
      const linear = [red, green, blue].map((each) => {
        const share = each / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
    };
    const groundOf = (element: Element): number[] => {
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const ground = numbers(getComputedStyle(at).backgroundColor);
        if (ground.length === 3 || ground[3] === 1) return ground;
      }
      return [255, 255, 255];
    };
    const faint: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent?.trim());
      const text = own.join('');
      if (text === '' || element.closest('.unseen, .skip, [aria-hidden=true], :disabled') !== null) continue;
      if (element.getClientRects().length === 0) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(element);
      const [high, low] = [luminance(numbers(color)), luminance(groundOf(element))].sort((a, b) => b - a);
      const points = Number.parseFloat(fontSize);
      const isLarge = points >= 24 || (points >= 18.66 && Number(fontWeight) >= 700);
      const contrast = (high! + 0.05) / (low! + 0.05);
      if (contrast < (isLarge ? 3 : 4.5)) faint.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
    }
    return faint;
  });
}
