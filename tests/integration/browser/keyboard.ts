// A reader without a pointer: presses keys and nothing else. No script ever sets the focus.

import type { Page } from 'playwright-core';

/** Presses Tab until the wanted element has the focus; shown is what a person could see of it. */
export async function tabTo(page: Page, selector: string, most = 80): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  throw new Error(`no way to ${selector} by ${most} presses of Tab`);
}

/** Of what has the focus: its words, and whether something around it says that it has it. */
export function focused(page: Page): Promise<{ readonly words: string; readonly seen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const marked = [element, element.nextElementSibling].some(
      (each) => each !== null && getComputedStyle(each).outlineStyle !== 'none',
    );
    return { words: element.textContent ?? '', seen: marked };
  });
}
