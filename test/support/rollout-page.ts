import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const LIMIT_MS = 60_000;

/** What a person may do on the page of a rollout. */
export function actions(page: Page): Locator {
  return page.getByRole('group', { name: 'Actions' });
}

/** Opens an action's dialog, gives a reason and confirms. */
export async function decide(page: Page, word: string, reason = ''): Promise<void> {
  const button = actions(page).getByRole('button', { name: word, exact: true });
  await expect.poll(() => button.getAttribute('aria-disabled'), { timeout: LIMIT_MS }).not.toBe('true');
  await button.click();
  const dialog = page.getByRole('dialog');
  if (reason !== '') await dialog.getByLabel(/Reason/).fill(reason);
  const confirm = dialog.getByRole('button', { name: word, exact: true });
  await expect.poll(() => confirm.getAttribute('aria-disabled'), { timeout: LIMIT_MS }).not.toBe('true');
  await confirm.click();
  await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
}

/** Waits until the page says that the gate after a stage waits for approvals. */
export async function waitsAtGate(page: Page, stage: number): Promise<void> {
  await page
    .getByText(new RegExp(`waiting for .*approvals? .*after stage ${stage}\\b`, 'i'))
    .first()
    .waitFor({ timeout: LIMIT_MS });
  const approve = actions(page).getByRole('button', { name: 'Approve', exact: true });
  await expect.poll(() => approve.getAttribute('aria-disabled'), { timeout: LIMIT_MS }).not.toBe('true');
}

/** The figures of each revision as shown: replicas, bounds of stage and own, traffic. */
export async function figuresOf(page: Page): Promise<readonly string[]> {
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Replicas and traffic' }) });
  const lanes = panel.locator('dl').locator('..');
  return (await lanes.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
}

/** Waits until the list of what the rollout did says that the application runs as a revision. */
export async function seesRunning(page: Page, application: string, revision: string): Promise<void> {
  await page
    .getByRole('listitem')
    .getByText(`${application} runs as ${revision}`)
    .filter({ visible: true })
    .first()
    .waitFor({ timeout: LIMIT_MS });
}
