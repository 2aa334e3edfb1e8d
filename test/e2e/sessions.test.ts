import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionsPage } from '@/lib/contract/sessions/session-rows';
import type { Visit } from '../support/browser';
import type { OpenConsole } from '../support/open-console';
import { openConsole } from '../support/open-console';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { axeFindings } from './axe-findings';

const LIMIT_MS = 60_000;

describe('the sessions page', () => {
  let server: ServerProcess;
  let console: OpenConsole;
  let viewer: Visit;
  let second: Visit;

  const open = async ({ page }: Visit, path = '/sessions') => {
    await page.goto(`${server.origin}${path}`);
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor({ timeout: LIMIT_MS });
  };
  const read = async (visit: Visit, of: string) =>
    (await (await visit.context.request.get(`${server.origin}/api/v1/sessions?of=${of}`)).json()) as SessionsPage;

  beforeAll(async () => {
    server = await startServerProcess();
    console = await openConsole(server);
    second = await console.enter('operator');
    viewer = await console.enter('viewer');
  });

  afterAll(async () => {
    await console?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[issue 14.3] shows a person their own sessions and no others, and says which right is missing for those', async () => {
    await open(viewer);
    const table = viewer.page.getByRole('table', { name: 'Your sessions', exact: true });
    await table.getByRole('button', { name: 'Sign out', exact: true }).waitFor({ timeout: LIMIT_MS });
    expect((await read(viewer, 'mine')).rows.map(({ user, address, isThis }) => [user, address, isThis])).toEqual([
      ['viewer', '127.0.0.1', true],
    ]);
    await viewer.page.getByRole('tab', { name: 'Everyone’s sessions', exact: true }).click();
    await viewer.page.getByText('clusterrole=slipway:administrator').first().waitFor({ timeout: LIMIT_MS });
    expect(viewer.faults.filter((fault) => !fault.includes('403'))).toEqual([]);
  });

  it('[issue 14.3] by keyboard alone: whoever administers ends the session of another person, whose page closes within seconds', async () => {
    const { page } = console.operator;
    await open(console.operator, '/sessions?of=everyone&q=viewer');
    const table = page.getByRole('table', { name: 'Everyone’s sessions', exact: true });
    await table.waitFor({ timeout: LIMIT_MS });
    expect(await axeFindings(page)).toEqual([]);
    await table.getByRole('button', { name: /^End the session of viewer, / }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'End session', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await viewer.page.getByRole('status').filter({ hasText: 'Signed out' }).first().waitFor({ state: 'attached', timeout: 5000 });
    expect((await viewer.context.request.get(`${server.origin}/api/v1/session`)).status()).toBe(401);
    expect((await read(console.operator, 'everyone')).rows.map(({ user }) => user).sort()).toEqual(['operator', 'operator']);
  });

  it('[issue 14.3] ends all others of one’s own, and puts on record who ended them, with nothing that opens a session', async () => {
    const { page, context, faults } = console.operator;
    await open(console.operator);
    await page.getByRole('button', { name: 'End all other sessions', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all others', exact: true }).waitFor({ timeout: LIMIT_MS });
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'End all others', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden', timeout: LIMIT_MS });
    expect((await second.context.request.get(`${server.origin}/api/v1/session`)).status()).toBe(401);
    expect((await read(console.operator, 'mine')).rows.map(({ isThis }) => isThis)).toEqual([true]);
    const record = await (await context.request.get(`${server.origin}/api/v1/activity?act=session`)).text();
    expect(record).toContain('Ended 1 session of viewer (Headless Chrome');
    expect(record).toContain('Ended 1 session of operator (');
    const secrets = (await context.cookies()).map(({ value }) => value);
    expect(secrets.length).toBeGreaterThan(0);
    for (const secret of [...secrets, '127.0.0.1']) expect(record).not.toContain(secret);
    expect(faults).toEqual([]);
  });
});
