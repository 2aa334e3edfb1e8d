import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { STAGE_DECISION_API_VERSION } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from '../support/browser';
import { expectBlocked } from '../support/controls';
import { dryRun, write } from '../support/editor-page';
import type { OpenConsole } from '../support/open-console';
import { openConsole, openShop } from '../support/open-console';
import { actions } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const POLL = { timeout: LIMIT_MS, interval: 100 } as const;
const NAME = 'ledger';
const TWO_OTHERS = { gates: 'every-stage', approvals: { required: 2, allowSelf: false } };
const LOOSER =
  'control.gates, control.approvals.required and control.approvals.allowSelf are looser than the policy in force; they take effect once 2 people';

/** An application whose rollouts are decided under a policy. */
function manifestOf(control: object): string {
  return stringify({
    ...KINDS.application,
    metadata: { name: NAME, namespace: 'shop' },
    spec: {
      components: [
        {
          name: 'entries',
          type: 'webservice',
          properties: { image: 'registry.example.com/ledger:1' },
          traits: [{ type: 'scaler', properties: { replicas: 2 } }],
        },
      ],
      policies: [{ name: 'staged', type: 'rollout', properties: { component: 'entries', ratio: 50, control } }],
    },
  });
}

/** An application of what operators may not write, with labels. */
const auditOf = (labels: Readonly<Record<string, string>>) => ({
  ...KINDS.application,
  metadata: { name: 'audit', namespace: 'shop', labels },
  spec: {
    components: [
      {
        name: 'roles',
        type: 'k8s-objects',
        properties: {
          objects: [{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'audit' }, rules: [] }],
        },
      },
    ],
  },
});

const waiting = (page: Page) => page.getByRole('region', { name: 'What it loosens' });

describe('a looser policy', () => {
  let server: ServerProcess;
  let browser: OpenConsole;
  let cluster: RemoteCluster;
  let operator: Visit;
  let approver: Visit;
  let viewer: Visit;

  const read = async (): Promise<RolloutDetail | undefined> => {
    const answer = await operator.context.request.get(`${server.origin}/api/v1/rows?topic=rollout/shop/${NAME}`);
    return answer.ok() ? ((await answer.json()) as { rows: readonly RolloutDetail[] }).rows[0] : undefined;
  };
  const open = ({ page }: Visit) => page.goto(`${server.origin}/rollouts/shop/${NAME}`);
  /** Decides as somebody whom no session is of. */
  const loosenAs = async (user: string) => {
    const rollout = await read();
    const action = rollout?.actions.find(({ verb }) => verb === 'loosen');
    const groups = ['slipway:approvers'];
    await cluster.as({ user, groups }).create({
      apiVersion: STAGE_DECISION_API_VERSION,
      kind: 'StageDecision',
      metadata: { generateName: `${NAME}-`, namespace: 'shop' },
      spec: {
        rolloutRef: { name: NAME, uid: rollout?.uid },
        verb: 'loosen',
        revision: action?.revision,
        reason: 'a second pair of eyes',
        actor: { user, groups },
        seen: { rollout: action?.seen.rollout, policy: action?.seen.policy },
      },
    });
  };

  beforeAll(async () => {
    server = await startServerProcess(['--demonstration', 'off']);
    cluster = await openShop(server);
    browser = await openConsole(server);
    operator = browser.operator;
    approver = await browser.enter('approver');
    viewer = await browser.enter('viewer');
    const made = await operator.context.request.post(`${server.origin}/api/v1/applications`, {
      data: { manifest: manifestOf(TWO_OTHERS) },
      headers: { origin: server.origin },
    });
    expect(made.status(), await made.text()).toBe(202);
    await until('its first revision runs', async () => (await read())?.activity === 'idle');
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[design 14] is told before it is applied, and stays out of force when it is', async () => {
    const { page, faults } = operator;
    await page.goto(`${server.origin}/applications/shop/${NAME}/edit`);
    await write(page, manifestOf({ gates: 'none' }));
    const { looser } = await dryRun(page);
    expect(looser).toContain(LOOSER);
    await page.getByText(LOOSER).first().waitFor({ timeout: LIMIT_MS });
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.waitForURL(new RegExp(`/applications/shop/${NAME}(?:[?]|$)`), { timeout: LIMIT_MS });
    await open(operator);
    await page
      .getByText(/is waiting for 2 decisions to loosen; until then the stricter policy applies/)
      .filter({ visible: true })
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await expect
      .poll(() => waiting(page).getByRole('row').allInnerTexts(), POLL)
      .toEqual([
        expect.stringMatching(/^Field\s+In force\s+Requested$/),
        expect.stringMatching(/^control\.gates\s+every-stage\s+none$/),
        expect.stringMatching(/^control\.approvals\.required\s+2\s+not set$/),
        expect.stringMatching(/^control\.approvals\.allowSelf\s+false\s+not set$/),
      ]);
    expect(faults).toEqual([]);
  });

  it('[design 8] is decided by nobody without the right: the button says which', async () => {
    const { page, faults } = viewer;
    await open(viewer);
    await waiting(page).waitFor({ timeout: LIMIT_MS });
    const button = actions(page).getByRole('button', { name: 'Loosen policy', exact: true });
    await expectBlocked(button, /viewer may not do this: it requires the right "create" on stagedecisions/i);
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('[design 5] is not decided by who requested it, where the policy in force requires someone else', async () => {
    const { page, faults } = operator;
    await open(operator);
    const refused = /operator requested this change, and the policy requires someone else/;
    await expectBlocked(actions(page).getByRole('button', { name: 'Loosen policy', exact: true }), refused);
    // By kubectl no button is in the way.
    await loosenAs('operator');
    await page.getByRole('tab', { name: /Decisions/ }).click();
    await page.getByRole('tabpanel').getByText(refused).filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    await page
      .getByText(/is waiting for 2 decisions to loosen/)
      .filter({ visible: true })
      .first()
      .waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[design 5] is in force once as many people as its quorum needs have decided it, and each sees who has', async () => {
    const { page, faults } = approver;
    await open(approver);
    await actions(page).getByRole('button', { name: 'Loosen policy', exact: true }).click({ timeout: LIMIT_MS });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What the policy loosens').getByText('control.gates').first().waitFor({ timeout: LIMIT_MS });
    await dialog.getByRole('button', { name: 'Loosen policy', exact: true }).click();
    await dialog
      .getByText(/needs a reason/)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await dialog.getByLabel(/^Reason/).fill('agreed in the review');
    await dialog.getByRole('button', { name: 'Loosen policy', exact: true }).click();
    await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
    for (const each of [approver, operator]) await waiting(each.page).getByText('approver').first().waitFor({ timeout: LIMIT_MS });

    await loosenAs('ada');
    for (const each of [approver, operator, viewer]) await waiting(each.page).waitFor({ state: 'hidden', timeout: LIMIT_MS });
    expect((await read())?.loosening).toBeNull();
    await page.getByRole('button', { name: 'Loosen policy', exact: true }).waitFor({ state: 'detached', timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });

  it('[issue 10, 1] a label that may not reach what the application holds is named in the preview of whoever writes it', async () => {
    const { page, faults } = operator;
    await cluster.create(auditOf({}));
    const revision = { ...KINDS.applicationRevision, namespace: 'shop', name: 'audit-v1' };
    await expect
      .poll(
        () =>
          cluster.get(revision).then(
            () => true,
            () => false,
          ),
        POLL,
      )
      .toBe(true);
    await page.goto(`${server.origin}/applications/shop/audit/edit`);
    await write(page, stringify(auditOf({ tier: 'front' })));
    const { withheld } = await dryRun(page);
    expect(withheld).toMatch(/^tier of Application audit in shop, changed by operator, is not propagated to its objects/);
    await page
      .getByText(withheld ?? '', { exact: true })
      .first()
      .waitFor({ timeout: LIMIT_MS });
    expect(faults).toEqual([]);
  });
});
