import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DriftedObject, ObjectDrift, RefusedObjects } from '@/lib/contract/drift-rows';
import type { ActivityRow } from '@/lib/contract/system-rows';
import { readFields, readList, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit } from './browser';
import { until } from './until';

const LIMIT_MS = 120_000;
const POLL = { timeout: LIMIT_MS, interval: 250 } as const;
const ADDRESS = '10.96.200.17';

/** A server with a person in front of it, and the cluster that it drives. */
export interface ReplaceGround extends AsyncDisposable {
  readonly origin: string;
  readonly operator: Visit;
  readonly cluster: RemoteCluster;
  /** A namespace of the test's own, also part of the names of what lives in none. */
  readonly namespace: string;
}

interface Wanted {
  readonly address?: string;
  readonly size: string;
  readonly storageClass: string;
  readonly image: string;
}

const labels = { app: 'db' };
const requests = { cpu: '0.01', memory: '16Mi' };
const podOf = (image: string, more: object) => ({
  containers: [{ name: 'main', image: `registry.example.com/${image}`, resources: { requests } }],
  ...more,
});

/** A Service, a claim, a StatefulSet that mounts the claim and makes one of its own, and a Job: each with a field that is written once. */
function depot(namespace: string, { address, size, storageClass, image }: Wanted): KubeObject {
  const claim = (storage: string, className: string) => ({
    accessModes: ['ReadWriteOnce'],
    storageClassName: className,
    resources: { requests: { storage } },
  });
  const mounts = { volumes: [{ name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }] };
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'db' },
      spec: { ...(address ? { clusterIP: address } : {}), selector: labels, ports: [{ port: 80 }] },
    },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'shared' }, spec: claim('1Gi', storageClass) },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podOf('db:1', mounts) },
        volumeClaimTemplates: [{ metadata: { name: 'own' }, spec: claim(size, `own-${namespace}`) }],
      },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'seed' },
      spec: { template: { spec: podOf(image, { restartPolicy: 'Never' }) } },
    },
  ];
  return {
    ...KINDS.application,
    metadata: { name: 'depot', namespace },
    spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
  };
}

const aVolume = (namespace: string, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `${name}-${namespace}` },
  spec: {
    hostPath: { path: `/tmp/${name}-${namespace}` },
    capacity: { storage: '4Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: `${name}-${namespace}`,
    persistentVolumeReclaimPolicy: 'Retain',
  },
});
const VOLUMES = ['slow', 'fast', 'own'];

const lineOf = (page: Page, name: string) =>
  page
    .getByRole('list', { name: /^Objects of depot-v2 that the cluster refuses/ })
    .locator('> li', { has: page.getByRole('button', { name, exact: true }) });

/** A revision that changes what is written once: refused with the reason of each object, replaced one by one by a person, then done. */
export function defineReplace(title: string, prepare: () => Promise<ReplaceGround>): void {
  describe(`what cannot be changed is replaced, ${title}`, () => {
    let ground: ReplaceGround;
    const page = () => ground.operator.page;
    const base = () => `${ground.origin}/api/v1/namespaces/${ground.namespace}/applications/depot`;
    const get = async <Answer>(address: string) =>
      (await (await ground.operator.context.request.get(address, { maxRetries: 2 })).json()) as Answer;
    const post = async (address: string, data: object) => {
      const answer = await ground.operator.context.request.post(address, { data, headers: { origin: ground.origin }, maxRetries: 2 });
      expect(answer.status(), await answer.text()).toBe(202);
    };
    const apply = (wanted: Wanted) =>
      post(`${ground.origin}/api/v1/applications`, { manifest: JSON.stringify(depot(ground.namespace, wanted)) });
    const live = (apiVersion: string, kind: string, name: string) =>
      ground.cluster.get({ apiVersion, kind, namespace: ground.namespace, name }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    const reached = async () =>
      readString(await live(KINDS.application.apiVersion, 'Application', 'depot'), 'status', 'latestRevision', 'name');
    const refused = async () => (await get<RefusedObjects>(`${base()}/refused-objects`)).objects;
    const read = (one: Pick<DriftedObject, 'apiVersion' | 'kind' | 'name'>) =>
      get<ObjectDrift>(
        `${base()}/drift?${new URLSearchParams({ apiVersion: one.apiVersion, kind: one.kind, ns: ground.namespace, name: one.name })}`,
      );
    const find = async (kind: string) => {
      const found = (await refused()).find((one) => one.kind === kind);
      if (found === undefined) throw new Error(`no ${kind} is refused`);
      return found;
    };
    const replace = async (kind: string) => {
      const { apiVersion, name } = await find(kind);
      const drift = await read({ apiVersion, kind, name });
      const { uid, blast, waitsFor } = drift.replacement ?? { uid: '', blast: [], waitsFor: [] };
      await post(`${base()}/replace`, {
        apiVersion,
        kind,
        ns: ground.namespace,
        name,
        seen: drift.fields.map(({ path }) => path),
        uid,
        blast,
        waitsFor,
      });
      return drift;
    };
    const acts = async () =>
      (await get<{ rows: readonly ActivityRow[] }>(`${ground.origin}/api/v1/activity?ns=${ground.namespace}&health=drift.replace`)).rows;

    beforeAll(async () => {
      ground = await prepare();
      const { cluster, namespace } = ground;
      await cluster.create({ ...KINDS.namespace, metadata: { name: namespace } });
      for (const name of VOLUMES) await cluster.create(aVolume(namespace, name));
      await page().getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
      await apply({ size: '1Gi', storageClass: `slow-${namespace}`, image: 'seed:1' });
      await until(
        'the first revision runs',
        async () =>
          (await reached()) === 'depot-v1' && readNumber(await live('apps/v1', 'StatefulSet', 'db'), 'status', 'readyReplicas') === 1,
        LIMIT_MS,
      );
      await apply({ address: ADDRESS, size: '2Gi', storageClass: `fast-${namespace}`, image: 'seed:2' });
      await until('the second revision is refused', async () => (await refused()).length === 4, LIMIT_MS);
    });
    afterAll(async () => {
      for (const name of VOLUMES) {
        await ground?.cluster
          .delete({ apiVersion: 'v1', kind: 'PersistentVolume', name: `${name}-${ground.namespace}` })
          .catch(() => undefined);
      }
      await ground?.[Symbol.asyncDispose]();
    });

    it('[issue 9.4] each object is told with the one field that is changed and with why it is not taken, in short', async () => {
      const told = await Promise.all(
        (await refused()).map(async (one) => [one.kind, one.why, (await read(one)).fields.map(({ path }) => path)]),
      );
      expect(told.sort()).toEqual([
        ['Job', 'spec.template: field is immutable', ['spec.template.spec.containers[name=main].image']],
        [
          'PersistentVolumeClaim',
          'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
          ['spec.storageClassName'],
        ],
        ['Service', 'spec.clusterIPs[0]: may not change once set', ['spec.clusterIP']],
        [
          'StatefulSet',
          expect.stringMatching(/^spec: Forbidden: updates to statefulset spec for fields other than .* are forbidden$/),
          ['spec.volumeClaimTemplates[0].spec.resources.requests.storage'],
        ],
      ]);
    });

    it('[issue 9.4] what goes with each stands there before anything goes: pods, data, a run, an address', async () => {
      const blast = async (kind: string) => (await read(await find(kind))).replacement?.blast ?? [];
      const address = readString(await live('v1', 'Service', 'db'), 'spec', 'clusterIP');
      expect(await blast('Service')).toContain(`its address ${address} is released`);
      const ofSet = await blast('StatefulSet');
      expect(ofSet).toContain('deletes 1 Pod with it: db-0');
      expect(ofSet).toContain('leaves 1 PersistentVolumeClaim with its data: own-db-0');
      expect(await blast('Job')).toContain('the new Job runs from the start');
      expect(await blast('PersistentVolumeClaim')).toEqual([
        `its PersistentVolume slow-${ground.namespace} stays with the data on it, released and unused (reclaim policy Retain)`,
        'used by 1 Pod: db-0',
        'held until no Pod uses it (kubernetes.io/pvc-protection)',
        'the new PersistentVolumeClaim starts empty: no data is copied to it',
      ]);
    });

    it('[issue 9.4] the page of the application says it once, and its dialog replaces the Service', async () => {
      await page().goto(`${ground.origin}/applications/${ground.namespace}/depot`);
      await page().getByText('depot-v2 is not applied: the cluster refuses 4 objects.').first().waitFor({ timeout: LIMIT_MS });
      const line = lineOf(page(), 'Service db');
      await line.getByRole('button', { name: 'Service db', exact: true }).click();
      await line.getByText('Needs 1 field changed: spec.clusterIP.').first().waitFor({ timeout: LIMIT_MS });
      const text = (await line.textContent()) ?? '';
      expect(text.split('may not change once set')).toHaveLength(2);
      expect(text).not.toMatch(/appRevision|ownerReferences|last-applied|was edited/);
      await line.getByRole('button', { name: 'Replace…' }).click();
      const dialog = page().getByRole('dialog', { name: 'Replace Service db' });
      await dialog
        .filter({ hasText: /It stays missing until .*StatefulSet db.* are replaced or corrected too/ })
        .waitFor({ timeout: LIMIT_MS });
      await dialog.getByRole('button', { name: 'Delete and create' }).click();
      await dialog.waitFor({ state: 'hidden', timeout: LIMIT_MS });
      await expect.poll(() => live('v1', 'Service', 'db'), POLL).toBeUndefined();
      await page().getByText('depot-v2 is not applied: the cluster refuses 3 objects.').first().waitFor({ timeout: LIMIT_MS });
      expect(ground.operator.faults).toEqual([]);
    });

    it('[issue 9.4] a claim that a pod uses is terminating, and says until when', async () => {
      await replace('PersistentVolumeClaim');
      const going = await find('PersistentVolumeClaim');
      const until_ = 'it is being deleted, held until no Pod uses it (kubernetes.io/pvc-protection)';
      expect(going).toMatchObject({ state: 'terminating', why: until_ });
      expect(await read(going)).toMatchObject({ terminating: until_, replacement: null });
    });

    it('[issue 9.4] once the last one is replaced the revision is applied whole, and each act is on record with who asked', async () => {
      await replace('Job');
      const set = await replace('StatefulSet');
      expect(set.replacement?.waitsFor).toEqual(['PersistentVolumeClaim shared']);
      await until('the second revision is applied', async () => (await reached()) === 'depot-v2', LIMIT_MS);
      const [service, claim, job, next] = await Promise.all([
        live('v1', 'Service', 'db'),
        live('v1', 'PersistentVolumeClaim', 'shared'),
        live('batch/v1', 'Job', 'seed'),
        live('apps/v1', 'StatefulSet', 'db'),
      ]);
      expect(readString(service, 'spec', 'clusterIP')).toBe(ADDRESS);
      expect((await read({ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' })).fields).toEqual([]);
      expect([claim?.metadata.deletionTimestamp, readString(claim, 'spec', 'storageClassName')]).toEqual([
        undefined,
        `fast-${ground.namespace}`,
      ]);
      expect(readString(job, 'spec', 'template', 'spec', 'containers', 0, 'image')).toBe('registry.example.com/seed:2');
      const [template] = readList(next, 'spec', 'volumeClaimTemplates');
      expect(readFields(template, 'spec', 'resources', 'requests')).toEqual({ storage: '2Gi' });
      const told = (await acts()).map(({ actor, message }) => `${actor}: ${message}`).sort();
      const anew = (what: string) =>
        expect.stringMatching(new RegExp(`^operator: Deletes ${what} in ${ground.namespace}, so that it is created again as specified$`));
      expect(told).toEqual([anew('Job seed'), anew('PersistentVolumeClaim shared'), anew('Service db'), anew('StatefulSet db')]);
    });
  });
}
