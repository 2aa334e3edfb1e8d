import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { ApiPerson } from '../support/api-person';
import { signIn } from '../support/api-person';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { census, openCluster } from '../support/census';
import { demonstrationInPlace } from '../support/demonstration';
import { printFigure } from '../support/figure';
import { decide, seesRunning, waitsAtGate } from '../support/rollout-page';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { until } from '../support/until';

const LIMIT_MS = 60_000;
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

const SHELVES = 120;
const CRATES = 600;
/** Fewer than half of the application, more than which is never collected at once. */
const DROPPED = 350;

const crate = (at: number) => `crate-${String(at).padStart(3, '0')}`;
const nameOf = ({ metadata }: KubeObject) => metadata.name ?? '';
const identities = (objects: ReadonlyMap<string, KubeObject>) => new Map([...objects].map(([id, { metadata }]) => [id, metadata.uid]));

describe('the server is killed and goes on where it was, nothing twice', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let operator: ApiPerson;
  let screen: Visit;

  const cluster = (): RemoteCluster => openCluster(path.join(server.dataDir, 'cluster/kubeconfig'));
  /** Asks the cluster itself, at the address that it has now. */
  async function ask<Answer>(question: (asked: RemoteCluster) => Promise<Answer>): Promise<Answer> {
    await using asked = cluster();
    return await question(asked);
  }
  const rollout = () => operator.row<RolloutDetail>('rollout/shop/storefront');
  const messageOf = async (topic: string) => (await operator.row<{ message: string }>(topic))?.message ?? '';
  const apply = async (namespace: string, name: string, change: (spec: string) => string) => {
    const application = await ask((asked) => asked.get({ ...KINDS.application, namespace, name }));
    const manifest = JSON.stringify({
      ...KINDS.application,
      metadata: { name, namespace },
      spec: JSON.parse(change(JSON.stringify(application.spec))),
    });
    expect((await operator.post('/api/v1/applications', { manifest })).status).toBe(202);
  };
  const killAndStart = async () => {
    await server.kill();
    await server.restart();
    printFigure('start on held data', server.startedIn, 3000, 'ms');
  };
  /** How many lines of the embedded cluster's journal match: what was on disk by now, whatever the server is busy with. */
  const written = (pattern: RegExp) =>
    readFileSync(path.join(server.dataDir, 'cluster/objects.journal'), 'utf8').match(pattern)?.length ?? 0;
  /** Kills the server as soon as a change begins to be carried out; answers how far it had come. */
  const killInTheMiddle = async (change: () => Promise<void>, pattern: RegExp) => {
    expect(written(pattern)).toBe(0);
    // The answer may be cut off with the server; what counts is what is on disk.
    const sent = change().catch(() => undefined);
    await until('the change is under way', () => written(pattern) > 0, LIMIT_MS);
    await server.kill();
    await sent;
    const reached = written(pattern);
    await server.restart();
    printFigure('start on held data', server.startedIn, 3000, 'ms');
    return reached;
  };
  const trackersOf = async (name: string) =>
    [...(await ask((asked) => census(asked, [KINDS.resourceTracker]))).values()].filter(
      ({ metadata }) => metadata.labels?.['app.oam.dev/name'] === name,
    );

  beforeAll(async () => {
    server = await startServerProcess();
    visitors = await startBrowser();
    screen = await visitors.visit(server.address);
    await screen.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    const invited = await screen.context.request.post(`${server.origin}/api/v1/session/links`, {
      data: { role: 'operator' },
      headers: { origin: server.origin },
    });
    operator = await signIn(server, ((await invited.json()) as { url: string }).url);
    await demonstrationInPlace(operator);
  });

  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[design 13 K] in mid-stage: the rollout goes on, the open page recovers and decides', async () => {
    const { page } = screen;
    await page.goto(`${server.origin}/rollouts/shop/storefront`);
    await apply('shop', 'storefront', (spec) => spec.replace('storefront/web:1.0', 'storefront/web:1.1'));
    await waitsAtGate(page, 1);
    await decide(page, 'Approve');
    await vi.waitFor(async () => expect((await rollout())?.currentStage).toBe(2), { timeout: LIMIT_MS, interval: 20 });
    const before = await ask((asked) =>
      census(asked, [KINDS.deployment, KINDS.applicationRevision, KINDS.resourceTracker, KINDS.stageDecision]),
    );
    await killAndStart();
    await waitsAtGate(page, 2);
    const after = await ask((asked) =>
      census(asked, [KINDS.deployment, KINDS.applicationRevision, KINDS.resourceTracker, KINDS.stageDecision]),
    );
    expect(identities(after)).toEqual(identities(before));
    await decide(page, 'Promote fully', 'goes on after the crash');
    await seesRunning(page, 'storefront', 'storefront-v2');
    const deployments = await ask((asked) => census(asked, [KINDS.deployment]));
    expect([...deployments.keys()].filter((id) => id.includes('/web-'))).toEqual(['Deployment shop/web-v2']);
  });

  it('[design 13 K] in mid-dispatch of 720 objects: the rest follows, each is written once', async () => {
    const before = await ask((asked) => census(asked, [CONFIG]));
    const more = Array.from({ length: CRATES }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: crate(at) },
      data: { title: crate(at) },
    }));
    const change = () =>
      apply('catalogue', 'catalogue', (spec) =>
        spec.replace('"objects":[', `"objects":[${more.map((object) => JSON.stringify(object)).join()},`),
      );
    const reached = await killInTheMiddle(change, /"k":"catalogue\/crate-\d+","o":\{"/g);
    expect(reached).toBeLessThan(CRATES);
    const cut = await ask((asked) => census(asked, [CONFIG]));
    await expect.poll(async () => (await trackersOf('catalogue')).map(nameOf), { timeout: LIMIT_MS }).toEqual(['catalogue-v2-catalogue']);
    await expect.poll(() => messageOf('application/catalogue/catalogue'), { timeout: LIMIT_MS }).toMatch(/^everything is ready/i);
    const after = await ask((asked) => census(asked, [CONFIG]));
    expect(after.size).toBe(before.size + CRATES);
    for (const [id, uid] of identities(new Map([...before, ...cut]))) expect(identities(after).get(id), id).toBe(uid);
    expect((await operator.row<{ entries: unknown[] }>('tracker/catalogue-v2-catalogue'))?.entries).toHaveLength(SHELVES + CRATES);
    const revisions = await ask((asked) => census(asked, [KINDS.applicationRevision]));
    expect([...revisions.keys()].filter((id) => id.includes(' catalogue/')).sort()).toEqual([
      'ApplicationRevision catalogue/catalogue-v1',
      'ApplicationRevision catalogue/catalogue-v2',
    ]);
  });

  it('[design 13 K] in mid-collection of 350 objects: what was planned goes, and nothing else', async () => {
    const kinds = [KINDS.deployment, KINDS.service, CONFIG, KINDS.application, KINDS.namespace];
    const before = identities(await ask((asked) => census(asked, kinds)));
    const planned = Array.from({ length: DROPPED }, (_, at) => `ConfigMap catalogue/${crate(at)}`);
    const change = () =>
      apply('catalogue', 'catalogue', (text) => {
        const spec = JSON.parse(text) as { components: { properties: { objects: KubeObject[] } }[] };
        for (const { properties } of spec.components) {
          properties.objects = properties.objects.filter((object) => !planned.includes(`ConfigMap catalogue/${nameOf(object)}`));
        }
        return JSON.stringify(spec);
      });
    const reached = await killInTheMiddle(change, /"k":"catalogue\/crate-\d+","o":null/g);
    expect(reached).toBeLessThan(DROPPED);
    await expect.poll(async () => (await trackersOf('catalogue')).map(nameOf), { timeout: LIMIT_MS }).toEqual(['catalogue-v3-catalogue']);
    await expect.poll(() => messageOf('application/catalogue/catalogue'), { timeout: LIMIT_MS }).toMatch(/^everything is ready/i);
    const after = identities(await ask((asked) => census(asked, kinds)));
    expect([...before.keys()].filter((id) => !after.has(id)).sort()).toEqual(planned.sort());
    for (const [id, uid] of after) expect(before.get(id), id).toBe(uid);
  });

  it('[design 13 K] at rest a start writes nothing again', async () => {
    const generations = async () =>
      new Map([...(await ask((asked) => census(asked)))].map(([id, { metadata }]) => [id, `${metadata.uid} ${metadata.generation ?? ''}`]));
    const before = await generations();
    await killAndStart();
    await expect.poll(() => messageOf('application/catalogue/catalogue'), { timeout: LIMIT_MS }).toMatch(/^everything is ready/i);
    expect(await generations()).toEqual(before);
    expect(screen.faults.filter((fault) => !/ERR_CONNECTION|ERR_INCOMPLETE_CHUNKED_ENCODING|WebSocket/.test(fault))).toEqual([]);
  });
});
