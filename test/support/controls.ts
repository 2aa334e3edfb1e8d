import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from './until';

const LIMIT_MS = 60_000;
const HEARD_MS = 1000;

/** The sentence that describes a control now, empty where none does; it waits for no sentence, since rights may not be read yet. */
export function reasonOf(control: Locator): Promise<string> {
  return control.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => element.ownerDocument.getElementById(id)?.textContent ?? '')
      .join(' '),
  );
}

/** Waits until a button cannot be pressed, and says why: rights are read after the page is shown. */
export async function expectBlocked(button: Locator, reason: RegExp = /./): Promise<void> {
  await expect.poll(() => button.getAttribute('aria-disabled'), { timeout: LIMIT_MS }).toBe('true');
  await expect.poll(() => reasonOf(button), { timeout: LIMIT_MS }).toMatch(reason);
}

/** Opens the palette by its keys and answers its field; they are pressed again where the page was not listening yet. */
export async function openPalette(page: Page): Promise<Locator> {
  const field = page.getByPlaceholder(/^Search objects, pages/);
  await until('the palette is open', async () => {
    await page.keyboard.press('Control+k');
    return field.waitFor({ timeout: HEARD_MS }).then(
      () => true,
      () => false,
    );
  });
  return field;
}
