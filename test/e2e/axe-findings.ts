import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on what the page shows now: of level serious or critical, or of any level. */
export async function axeFindings(page: Page, level: 'serious' | 'any' = 'serious'): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => level === 'any' || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
}
