import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from '../../support/browser';
import { MADE_KINDS, openCluster, versions } from '../../support/census';
import type { Scene } from '../../support/open-console';
import { actions, decide, figuresOf, seesRunning, waitsAtGate } from '../../support/rollout-page';
import { axeFindings } from '../axe-findings';
import { pressByKeys, tabTo } from '../by-keys';

const LIMIT_MS = 60_000;
/** Objects that come and go by themselves or keep the record of the rollout: not what an application consists of. */
const CONTENT = MADE_KINDS.filter(({ kind }) => ['Deployment', 'Service', 'ConfigMap', 'Secret'].includes(kind));

/** Identities of the contents of a namespace: `Kind namespace/name uid`. */
async function contentsOf(cluster: RemoteCluster, namespace: string): Promise<readonly string[]> {
  const all = await versions(cluster, CONTENT);
  return all.filter((line) => line.includes(` ${namespace}/`)).map((line) => line.split(' ').slice(0, 3).join(' '));
}

/** Reads the figures until those of both revisions were seen to change. */
async function seeBothMove(page: Page, before: readonly string[]): Promise<void> {
  const moved = new Set<number>();
  await expect
    .poll(
      async () => {
        const now = await figuresOf(page);
        for (const [at, text] of now.entries()) if (text !== before[at]) moved.add(at);
        return moved.size;
      },
      { timeout: LIMIT_MS, interval: 100 },
    )
    .toBe(2);
}

/** A rollout from its first preview to its end; the application `storefront` is another one afterwards. */
export function describeRollout(scene: () => Scene): void {
  describe('an operator rolls a new version out', () => {
    let cluster: RemoteCluster;
    let operator: Visit;

    beforeAll(async () => {
      const { server, console } = scene();
      cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
      operator = await console.enter('operator');
    });

    afterAll(async () => {
      await cluster?.[Symbol.asyncDispose]();
      await operator?.context.close();
    });

    it('[design 3] [issue 14.3] from the preview to the last object deleted, with an approval and an abort by keyboard alone and a retry on the way', async () => {
      const { page, faults } = operator;
      await pressByKeys(page.getByRole('button', { name: 'Preview', exact: true }));
      await page.getByRole('list', { name: 'Objects by verdict' }).waitFor({ timeout: LIMIT_MS });
      await pressByKeys(page.getByRole('button', { name: 'Start the rollout', exact: true }));
      await page.waitForURL(/\/rollouts\/shop\/storefront/, { timeout: LIMIT_MS });

      await waitsAtGate(page, 1);
      const before = await contentsOf(cluster, 'shop');
      const figures = await figuresOf(page);
      await pressByKeys(actions(page).getByRole('button', { name: 'Approve', exact: true }));
      const dialog = page.getByRole('dialog');
      await dialog.getByText('web-v1 goes from 8 to 6 replicas').first().waitFor({ timeout: LIMIT_MS });
      const preview = dialog.getByRole('region', { name: 'What will be deleted' });
      await preview
        .getByText(/objects? (is|are) deleted/)
        .first()
        .waitFor({ timeout: LIMIT_MS });
      const previewed = await preview.getByRole('listitem').allInnerTexts();
      expect(await axeFindings(page)).toEqual([]);
      await pressByKeys(dialog.getByRole('button', { name: 'Approve', exact: true }));
      await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
      await seeBothMove(page, figures);

      await waitsAtGate(page, 2);
      await pressByKeys(actions(page).getByRole('button', { name: 'Abort', exact: true }));
      await tabTo(dialog.getByLabel(/Reason/));
      await page.keyboard.type('the error rate rose');
      await pressByKeys(dialog.getByRole('button', { name: 'Abort', exact: true }));
      await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
      await page.getByText('Aborted', { exact: true }).filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
      await expect.poll(async () => (await figuresOf(page))[0], { timeout: LIMIT_MS }).toMatch(/\b10 of 10 desired/);
      await decide(page, 'Retry', 'it was the network');
      await waitsAtGate(page, 1);
      await decide(page, 'Promote fully', 'seen enough');
      await page.getByText('all traffic goes to web-v2').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });

      await expect
        .poll(async () => (await contentsOf(cluster, 'shop')).join('\n'), { timeout: LIMIT_MS })
        .not.toContain('Deployment shop/web-v1 ');
      await seesRunning(page, 'storefront', 'storefront-v2');
      const after = await contentsOf(cluster, 'shop');
      const deleted = before.filter((line) => !after.includes(line)).map((line) => line.split(' ').slice(0, 2).join(' '));
      expect(
        previewed.map((text) => /Deleted\s+(\S+) (\S+) in (\S+)/.exec(text)).map((found) => `${found?.[1]} ${found?.[3]}/${found?.[2]}`),
      ).toEqual(deleted);
      expect(deleted).toEqual(['Deployment shop/web-v1']);
      expect(faults).toEqual([]);
    });
  });
}
