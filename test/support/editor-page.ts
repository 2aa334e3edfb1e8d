import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';

const LIMIT_MS = 60_000;

/** The text of the editor. */
export function manifest(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Manifest', exact: true });
}

/** Replaces the text of the editor by keyboard. */
export async function write(page: Page, text: string): Promise<void> {
  await manifest(page).click({ timeout: LIMIT_MS });
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/** Makes a dry run of what stands in the editor and gives the answer that the page shows. */
export async function dryRun(page: Page): Promise<SavePreview> {
  const button = page.getByRole('button', { name: 'Preview', exact: true });
  await expect.poll(() => button.getAttribute('aria-disabled'), { timeout: LIMIT_MS }).toBeNull();
  const answer = page.waitForResponse(
    (response) => response.url().endsWith('/api/v1/applications') && response.request().method() === 'POST',
  );
  await button.click();
  const preview = (await (await answer).json()) as SavePreview;
  await page.getByRole('heading', { name: 'What will change' }).waitFor({ timeout: LIMIT_MS });
  return preview;
}
