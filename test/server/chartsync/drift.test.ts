import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import type { CachedObject } from '@/server/chartsync/drift/cached-objects';
import { Drift } from '@/server/chartsync/drift/drift';
import { revertOperations } from '@/server/chartsync/drift/revert-operations';
import { readDeclared } from '@/server/chartsync/model/declared';
import { formatDeviations, withoutIgnored } from '@/server/chartsync/model/drift-policy';
import type { ResourceEvent } from '@/server/chartsync/ports';
import { syncDrift } from '@/server/chartsync/sync/drift';
import { StatusDraft } from '@/server/chartsync/sync/status/status-draft';
import type { Sync } from '@/server/chartsync/sync/sync';
import type { Cluster, PatchBody } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import { ManualClock } from '../../support/manual-clock';

const release = { namespace: 'pay', name: 'web' };
const act = (account?: string) => ({ release, onBehalfOf: { namespace: 'pay', account } });
const config = (data: Fields): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'pay' }, data });

/** A release of one ConfigMap; each read of it is counted. */
class Ground {
  manifest = config({ size: 'small' });
  live: KubeObject | undefined;
  reads = 0;
  /** What the copy says; as much of what is live as a watch of the kind has. */
  copied: CachedObject['kind'] = 'whole';
  followed: readonly ObjectAddress[] = [];
  readonly written: PatchBody[] = [];
  readonly drift = new Drift({
    objects: {
      read: async () => [this.manifest],
      addressOf: async ({ apiVersion, kind, metadata: { name, namespace } }) => ({ apiVersion, kind, name, namespace }) as ObjectAddress, // as it is written
    },
    copies: { follow: (_release, objects) => this.#follow(objects), of: () => this.#copy() },
    clusterFor: () => this as unknown as Cluster, // no more of it is asked for
  });

  constructor() {
    this.put({ size: 'small' });
  }

  put(data: Fields): void {
    const version = String(Number(this.live?.metadata.resourceVersion ?? 0) + 1);
    this.live = { ...config(data), metadata: { ...config(data).metadata, uid: 'u', resourceVersion: version } };
  }

  #follow(objects: readonly ObjectAddress[]): void {
    this.followed = objects;
  }

  #copy(): CachedObject {
    if (this.copied === 'absent' || this.copied === 'unknown') return { kind: this.copied };
    if (this.live === undefined) return { kind: 'absent' };
    const { apiVersion, kind, metadata } = this.live;
    return { kind: this.copied, object: this.copied === 'whole' ? this.live : { apiVersion, kind, metadata } };
  }

  async get(at: ObjectAddress): Promise<KubeObject> {
    this.reads++;
    if (this.live === undefined)
      throw new KubeApiError({ code: 404, reason: 'NotFound', message: `${toObjectId(at)} is not there`, details: {} });
    return this.live;
  }

  async create(object: KubeObject): Promise<KubeObject> {
    this.put(object.data as Fields); // that of a ConfigMap
    return object;
  }

  async patch(_at: ObjectAddress, patch: PatchBody): Promise<KubeObject> {
    if (this.live === undefined) throw new Error('nothing is there to be patched');
    if (patch.type === 'apply') {
      return { ...this.live, data: { ...(this.live.data as Fields), ...(this.manifest.data as Fields) } };
    }
    this.written.push(patch);
    this.put(this.manifest.data as Fields);
    return this.live;
  }
}

const declared = (mode: string | undefined, annotation?: string) => {
  const annotations = annotation === undefined ? {} : { 'slipway.dev/drift-detection': annotation };
  const spec = { chart: { git: 'https://git.example.com/a', path: 'a' }, ...(mode === undefined ? {} : { driftDetection: { mode } }) };
  const resource = readDeclared({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'web', annotations }, spec });
  if (resource.profile !== 'extended') throw new Error('a HelmRelease is of a later kind');
  return resource;
};

describe('drift of a release', () => {
  it('[issue 12.1] is told from the copy, and the cluster is asked once for what that says to differ', async () => {
    const ground = new Ground();
    const look = async (account?: string) => (await ground.drift.find(act(account))).map(({ path }) => path);
    expect([await look(), await look(), ground.reads]).toEqual([[], [], 0]);
    expect(ground.followed.map(({ name }) => name)).toEqual(['web']);
    ground.put({ size: 'large' });
    expect([await look(), await look(), ground.reads]).toEqual([['/data/size'], ['/data/size'], 1]);
    expect([await look('deployer'), ground.reads]).toEqual([['/data/size'], 2]);
    ground.manifest = config({ size: 'large' });
    expect([await look('deployer'), ground.reads]).toEqual([[], 2]);
    ground.live = undefined;
    expect([await look('deployer'), ground.reads]).toEqual([[''], 3]);
    ground.drift.forget(release);
    expect(ground.followed).toEqual([]);
  });

  it.each([
    ['metadata', 1],
    ['unknown', 2],
  ] as const)(
    '[issue 12.1] where of an object the copy has %s, is asked about %i times while it stands as it is',
    async (copied, reads) => {
      const ground = new Ground();
      ground.copied = copied;
      for (const _time of [1, 2]) expect(await ground.drift.find(act())).toEqual([]);
      expect(ground.reads).toBe(reads);
      ground.put({ size: 'large' });
      expect((await ground.drift.find(act())).map(({ path }) => path)).toEqual(['/data/size']);
    },
  );

  it('[X-DRIFT-2] points into lists, up to the entry that is not there', async () => {
    const ground = new Ground();
    const pod = (image: string, ...env: readonly string[]) => ({
      containers: [{ name: 'app', image, env: env.map((name) => ({ name, value: '1' })) }],
    });
    const deployment = (spec: Fields): KubeObject => ({
      ...KINDS.deployment,
      metadata: { name: 'web', namespace: 'pay', uid: 'u', resourceVersion: '7' },
      spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec } },
    });
    ground.manifest = deployment(pod('a:1', 'A', 'B'));
    ground.live = deployment(pod('a:2', 'A'));
    const at = '/spec/template/spec/containers/0';
    expect((await ground.drift.find(act())).map(({ path }) => path)).toEqual([`${at}/image`, `${at}/env`]);
    expect(revertOperations([`${at}/env`, `${at}/image`], { live: ground.live, wanted: ground.manifest })).toEqual([
      { op: 'add', path: `${at}/env`, value: pod('', 'A', 'B').containers[0]?.env },
      { op: 'add', path: `${at}/image`, value: 'a:1' },
    ]);
    const lists = (...ports: readonly number[]) => config({ ports });
    expect(revertOperations(['/data/ports/1'], { live: lists(1, 3), wanted: lists(1, 2) })).toEqual([
      { op: 'replace', path: '/data/ports/1', value: 2 },
    ]);
    expect(revertOperations(['/data/ports/1'], { live: lists(1, 3, 2), wanted: lists(1, 2) })).toEqual([
      { op: 'add', path: '/data/ports', value: [1, 2] },
    ]);
    expect(revertOperations(['/data/x', '/data/y~1z'], { live: config({ x: '1' }), wanted: config({ 'y/z': '2' }) })).toEqual([
      { op: 'remove', path: '/data/x' },
      { op: 'add', path: '/data/y~1z', value: '2' },
    ]);
  });

  it.each([
    ['an autoscaler', 'kube-controller-manager', 'scale', []],
    ['KEDA', 'keda', 'scale', []],
    ['a person by kubectl scale', 'kubectl', 'scale', ['/spec/replicas']],
    ['another controller of the cluster', 'kube-controller-manager', undefined, ['/spec/replicas']],
  ])('[issue 12.1] replicas that %s set are drift or not by who set them', async (_who, manager, subresource, paths) => {
    const ground = new Ground();
    ground.manifest = { ...KINDS.deployment, metadata: { name: 'web', namespace: 'pay' }, spec: { replicas: 1, paused: false } };
    const owned = { manager, subresource, operation: 'Update', time: '2026-11-26T10:00:00Z', fieldsV1: { 'f:spec': { 'f:replicas': {} } } };
    ground.live = {
      ...KINDS.deployment,
      metadata: { name: 'web', namespace: 'pay', uid: 'u', resourceVersion: '7', managedFields: [owned] },
      spec: { replicas: 4, paused: true },
    };
    expect((await ground.drift.find(act())).map(({ path }) => path).sort()).toEqual(['/spec/paused', ...paths].sort());
  });

  it('[issue 12.4] is told in one sentence with the first of it and no value', async () => {
    const object = { group: '', version: 'v1', kind: 'ConfigMap', name: 'web', namespace: 'pay', labels: {}, annotations: {} };
    const at = (...paths: readonly string[]) => formatDeviations(paths.map((path) => ({ object, path })));
    expect(at('/data/size')).toBe('1 field differs from the release: /data/size of ConfigMap web');
    expect(at('/data/size', '/data/x')).toBe('2 fields differ from the release, first /data/size of ConfigMap web');
    expect(at('')).toBe('1 object of the release is missing: ConfigMap web');
    expect(at('/data/x', '', '')).toBe(
      '1 field differs from the release: /data/x of ConfigMap web; 2 objects of the release are missing, first ConfigMap web',
    );
  });

  it.each([
    ['enabled', undefined, 'False DriftCorrected', 1],
    [undefined, 'enabled', 'False DriftCorrected', 1],
    ['warn', 'enabled', 'True DriftDetected', 0],
    [undefined, 'warn', 'True DriftDetected', 0],
    ['disabled', 'enabled', '', 0],
    [undefined, undefined, '', 0],
    [undefined, 'Enabled', 'Unknown InvalidMode', 0],
  ])('[issue 12.1] with mode %s and annotation %s comes to "%s"', async (mode, annotation, condition, writes) => {
    const ground = new Ground();
    ground.put({ size: 'large' });
    const resource = declared(mode, annotation);
    const draft = new StatusDraft({}, new ManualClock());
    const events: ResourceEvent[] = [];
    const sync = { resource, draft } as unknown as Sync; // no more of it is asked for
    await syncDrift(sync, act(), {
      objects: {
        findDrift: (of) => ground.drift.find(of),
        correctDrift: (of, deviations) => ground.drift.correct(of, deviations),
      } as Parameters<typeof syncDrift>[2]['objects'], // nor of these
      resources: { recordEvent: async (_at, event) => void events.push(event) } as Parameters<typeof syncDrift>[2]['resources'],
    });
    const written: Fields[] = [];
    await draft.write(async (changes) => void written.push(changes));
    const [told] = (written[0]?.conditions ?? []) as {
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
    expect(told === undefined ? '' : `${told.status} ${told.reason}`).toBe(condition);
    expect([ground.written.length, events.length]).toEqual([writes, condition === '' || condition.startsWith('Unknown') ? 0 : 1]);
    if (annotation === 'Enabled') {
      expect(told?.message).toBe(
        'drift detection must be disabled, warn or enabled, found "Enabled": live objects are neither compared nor reverted',
      );
      expect(ground.followed).toEqual([]);
    }
  });

  it('[X-DRIFT-3] creates what is missing, and heeds what the resource does not ignore', async () => {
    const ground = new Ground();
    ground.live = undefined;
    const deviations = withoutIgnored(await ground.drift.find(act()), declared('enabled').spec.driftDetection);
    await ground.drift.correct(act(), deviations);
    expect(await ground.drift.find(act())).toEqual([]);
  });
});
