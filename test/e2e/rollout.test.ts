import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { signIn } from '../support/api-person';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { MADE_KINDS, openCluster, versions } from '../support/census';
import { printFigure } from '../support/figure';
import { actions, decide, figuresOf, waitsAtGate } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { axeFindings } from './axe-findings';
import { pressByKeys, tabTo } from './by-keys';

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

describe('an operator rolls a new version out', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let operator: Visit;

  beforeAll(async () => {
    server = await startServerProcess();
    visitors = await startBrowser();
    cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
    const asked = performance.now();
    operator = await visitors.visit(server.address);
    await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    printFigure('first start', server.startedIn, 8000, 'ms');
    printFigure('first page', performance.now() - asked, 3000, 'ms');
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[style 1.3] a page sees the very engine that serves the API', async () => {
    const { context } = operator;
    const html = await (await context.request.get(`${server.origin}/`)).text();
    const live = (await (await context.request.get(`${server.origin}/api/v1/live?topic=inbox`)).json()) as { seq: { bootId: string } };
    expect(live.seq.bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(html).toContain(live.seq.bootId);
  });

  it('[design 3] [issue 14.3] from the preview to the last object deleted, with an approval and an abort by keyboard alone and a retry on the way', async () => {
    const { page, faults } = operator;
    await pressByKeys(page.getByRole('button', { name: 'See what it does', exact: true }));
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
    await page
      .getByRole('listitem')
      .getByText('storefront runs as storefront-v2')
      .filter({ visible: true })
      .first()
      .waitFor({ timeout: LIMIT_MS });
    const after = await contentsOf(cluster, 'shop');
    const deleted = before.filter((line) => !after.includes(line)).map((line) => line.split(' ').slice(0, 2).join(' '));
    expect(
      previewed.map((text) => /Deleted\s+(\S+) (\S+) in (\S+)/.exec(text)).map((found) => `${found?.[1]} ${found?.[3]}/${found?.[2]}`),
    ).toEqual(deleted);
    expect(deleted).toEqual(['Deployment shop/web-v1']);
    expect(faults).toEqual([]);
  });

  it('[design 3.7] a second browser sees what somebody else changed, and says how long that took', async () => {
    const person = await signIn(server, (await inviteBy(operator, server)).url);
    const second = await visitors.visit((await inviteBy(operator, server)).url);
    await second.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await second.page.goto(`${server.origin}/applications/shop/storefront`);
    await second.page.getByText('storefront/cart:4.2').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    const application = await person.row<{ uid: string; generation: number }>('application/shop/storefront');
    const clicked = performance.now();
    const body = {
      component: 'cart',
      image: 'registry.example.com/storefront/cart:4.3',
      uid: application?.uid,
      generation: application?.generation,
    };
    expect((await person.post('/api/v1/namespaces/shop/applications/storefront/change', body)).status).toBe(202);
    await second.page.getByText('storefront/cart:4.3').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    printFigure('a change is seen in a second browser after', Math.round(performance.now() - clicked), 1000, 'ms');
    expect(second.faults).toEqual([]);
  });

  it('[issue figures] idle memory', () => {
    const kib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
    printFigure('resident memory', kib / 1024, 450, 'MB');
    expect(kib).toBeGreaterThan(0);
  });
});

async function inviteBy({ context }: Visit, { origin }: ServerProcess): Promise<{ readonly url: string }> {
  const answer = await context.request.post(`${origin}/api/v1/session/links`, { data: { role: 'operator' }, headers: { origin } });
  expect(answer.status()).toBe(200);
  return (await answer.json()) as { url: string };
}
