import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

const MAX_STOPS = 200;
const LIMIT_MS = 60_000;

/** Walks by the Tab key to a control, as somebody without a pointer does; fails where no number of stops leads there. */
export async function tabTo(target: Locator): Promise<void> {
  const page = target.page();
  await target.waitFor({ timeout: LIMIT_MS });
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no ${MAX_STOPS} stops of the Tab key lead to ${target}`);
}

/** Walks to a button, waits until it can be pressed, and presses Enter. */
export async function pressByKeys(button: Locator): Promise<void> {
  await tabTo(button);
  await expect.poll(() => button.getAttribute('aria-disabled'), { timeout: LIMIT_MS }).not.toBe('true');
  await button.page().keyboard.press('Enter');
}
