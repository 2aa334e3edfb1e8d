import path from 'node:path';
import type { Page } from 'playwright-core';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { ApiPerson } from '../support/api-person';
import { sentenceOf, signIn } from '../support/api-person';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { openCluster, versions } from '../support/census';
import { expectBlocked } from '../support/controls';
import { demonstrationInPlace } from '../support/demonstration';
import { actions } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';

const LIMIT_MS = 60_000;
const CANARY = 'canary-7f3a9c51-never-seen';
const BASE64 = Buffer.from(CANARY).toString('base64');
const TOPICS = [
  'inbox',
  'applications',
  'application/shop/vault',
  'rollouts',
  'trackers',
  'tracker/vault-v1-shop',
  'activity',
  'engine',
  'status',
];
const PAGES = ['/', '/applications', '/applications/shop/vault', '/trackers', '/trackers/vault-v1-shop', '/activity', '/engine'];
const SECRET_OBJECTS = [
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'vault' }, stringData: { password: CANARY } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'vault-raw' }, data: { password: BASE64 } },
];
const VAULT = {
  ...KINDS.application,
  metadata: { name: 'vault', namespace: 'shop' },
  spec: { components: [{ name: 'secrets', type: 'k8s-objects', properties: { objects: SECRET_OBJECTS } }] },
};

describe('rights and secrets', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let cluster: RemoteCluster;
  let first: Visit;
  let operator: ApiPerson;

  const invite = async (role: string): Promise<string> => {
    const answer = await first.context.request.post(`${server.origin}/api/v1/session/links`, {
      data: { role },
      headers: { origin: server.origin },
    });
    expect(answer.status()).toBe(200);
    return ((await answer.json()) as { url: string }).url;
  };

  beforeAll(async () => {
    server = await startServerProcess([], { SLIPWAY_LOG_LEVEL: 'debug' });
    visitors = await startBrowser();
    cluster = openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
    first = await visitors.visit(server.address);
    await first.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    operator = await signIn(server, await invite('operator'));
    await demonstrationInPlace(operator); // what is still being made would look like something that a refused call had changed
  });

  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[design 8] a viewer sees everything; every action says why it is not theirs', async () => {
    const { page, faults } = await visitors.visit(await invite('viewer'));
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await page.goto(`${server.origin}/rollouts/shop/checkout`);
    await page
      .getByText(/waiting for 1 approval after stage 1/i)
      .first()
      .waitFor({ timeout: LIMIT_MS });
    const buttons = actions(page).getByRole('button');
    await vi.waitFor(async () => {
      const states = await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('aria-disabled')));
      expect(states.length).toBeGreaterThan(0);
      expect(new Set(states)).toEqual(new Set(['true']));
    }, LIMIT_MS);
    const approve = actions(page).getByRole('button', { name: 'Approve', exact: true });
    await expectBlocked(approve, /viewer may not .*stagedecisions/i);
    await page.goto(`${server.origin}/applications/shop/checkout`);
    await expectRefused(page, 'Edit', /viewer may not .*"update" on applications\.core\.oam\.dev checkout in namespace shop/);
    await expectRefused(page, 'Change checkout', /viewer may not .*"update" on applications\.core\.oam\.dev checkout in namespace shop/);
    await page.goto(`${server.origin}/applications/shop/checkout/edit`);
    await expectRefused(page, 'Preview', /viewer may not .*"update" on applications\.core\.oam\.dev checkout in namespace shop/);
    await expectRefused(page, 'Apply', /viewer may not .*"update" on applications\.core\.oam\.dev checkout in namespace shop/);
    await page.goto(`${server.origin}/applications`);
    await expectRefused(
      page,
      'New application',
      /viewer may not .*"create" on applications\.core\.oam\.dev in all namespaces or in any one/,
    );
    expect(faults).toEqual([]);
    const answer = await page.goto(`${server.origin}/applications/new`);
    expect(answer?.status()).toBe(403);
    const said = page.getByRole('alert').filter({ hasText: /viewer may not .*"create" on applications\.core\.oam\.dev/ });
    await said.getByText(/kubectl create clusterrole slipway-create-applications /).waitFor({ timeout: LIMIT_MS });
  });

  it('[design 8] the API refuses a viewer with a sentence, and nothing changes', async () => {
    const viewer = await signIn(server, await invite('viewer'));
    const rollout = await viewer.row<RolloutDetail>('rollout/shop/checkout');
    const approve = rollout?.actions.find(({ verb }) => verb === 'approve');
    const before = await versions(cluster);
    const decision = { verb: 'approve', uid: rollout?.uid, stage: approve?.stage, revision: approve?.revision, seen: approve?.seen };
    const refused = [
      await viewer.post('/api/v1/namespaces/shop/rollouts/checkout/decisions', decision),
      await viewer.post('/api/v1/namespaces/shop/applications/checkout/change', { component: 'checkout', image: 'x:1', generation: 1 }),
      await viewer.post('/api/v1/applications', { manifest: JSON.stringify(VAULT) }),
      await viewer.post('/api/v1/session/links', { role: 'operator' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    for (const answer of refused) expect(sentenceOf(answer)).toContain('viewer');
    expect(await versions(cluster)).toEqual(before);
  });

  it('[design 8] the value of a Secret is found nowhere outside the cluster', async () => {
    const heard: string[] = [];
    const socket = io(server.origin, { transports: ['websocket'], extraHeaders: { cookie: operator.cookie, origin: server.origin } });
    socket.onAny((...frame: unknown[]) => heard.push(JSON.stringify(frame)));
    try {
      await Promise.all(TOPICS.map(async (topic) => heard.push(JSON.stringify(await socket.emitWithAck('subscribe', { topic })))));
      const dry = await operator.post('/api/v1/applications', { manifest: JSON.stringify(VAULT), dryRun: true });
      heard.push(dry.text);
      const made = await operator.post('/api/v1/applications', { manifest: JSON.stringify(VAULT) });
      expect(made.status).toBe(202);
      heard.push(made.text);
      await vi.waitFor(
        async () => {
          expect((await operator.row<{ message: string }>('application/shop/vault'))?.message).toMatch(/^everything is ready/i);
        },
        { timeout: LIMIT_MS, interval: 200 },
      );
      // A second revision, so that there are differences to tell about; and one that fails, so that there are errors.
      const next = JSON.stringify(VAULT).replace('"name":"vault-raw"', '"name":"vault-other"');
      heard.push((await operator.post('/api/v1/applications', { manifest: next })).text);
      await vi.waitFor(async () => expect(await operator.row('tracker/vault-v2-shop')).toBeDefined(), { timeout: LIMIT_MS, interval: 200 });
      heard.push(
        (await operator.post('/api/v1/applications', { manifest: next.replace(`"password":"${CANARY}"`, `"password":["${CANARY}"]`) }))
          .text,
      );
      for (const topic of [...TOPICS, 'tracker/vault-v2-shop'])
        heard.push((await operator.get(`/api/v1/rows?topic=${encodeURIComponent(topic)}`)).text);
      heard.push(
        (await operator.get('/api/v1/namespaces/shop/applications/vault/manifest')).text,
        (await operator.get('/api/v1/objects?apiVersion=v1&kind=Secret&ns=shop&name=vault')).text,
        (await operator.get('/api/v1/objects?apiVersion=core.oam.dev/v1beta1&kind=Application&ns=shop&name=vault')).text,
        (await operator.get('/api/v1/objects?apiVersion=core.oam.dev/v1beta1&kind=ApplicationRevision&ns=shop&name=vault-v1')).text,
        (await operator.get('/api/v1/objects?apiVersion=core.oam.dev/v1beta1&kind=ResourceTracker&name=vault-v2-shop')).text,
        (await operator.get('/api/v1/trackers/vault-v1-shop/compare/vault-v2-shop')).text,
        (await operator.get('/api/v1/activity')).text,
        (await operator.get('/api/v1/activity/export')).text,
        (await operator.get('/metrics')).text,
      );
      for (const place of PAGES) heard.push((await operator.get(place)).text);
    } finally {
      socket.disconnect();
    }
    const trackers = await versionsAsText(cluster);
    const everything = { heard: heard.join('\n'), trackers, log: server.stderr() };
    expect(everything.heard).toContain('vault-other');
    expect(everything.log).toContain('"level":20');
    for (const [where, text] of Object.entries(everything)) {
      for (const form of [CANARY, BASE64]) expect(text.includes(form), `${form} in ${where}: ${around(text, form)}`).toBe(false);
    }
  });
});

/** A button that the keyboard reaches, that cannot be pressed, and that is described by the sentence why. */
async function expectRefused(page: Page, name: string, sentence: RegExp): Promise<void> {
  const button = page.getByRole('button', { name, exact: true }).first(); // an empty list has it once more
  await expectBlocked(button, sentence);
  await button.focus();
  await expect.poll(() => button.evaluate((element) => element === element.ownerDocument.activeElement), { timeout: LIMIT_MS }).toBe(true);
}

/** The trackers as the cluster holds them. */
async function versionsAsText(cluster: RemoteCluster): Promise<string> {
  const found: string[] = [];
  for await (const page of cluster.list(KINDS.resourceTracker)) found.push(JSON.stringify(page.items));
  return found.join('\n');
}

function around(text: string, form: string): string {
  const at = text.indexOf(form);
  return at < 0 ? '' : text.slice(Math.max(0, at - 200), at + form.length + 40);
}
