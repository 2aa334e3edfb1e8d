import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { Drift } from '@/server/chartsync/cluster/drift';
import { readDeclared } from '@/server/chartsync/model/declared';
import { heededDeviations } from '@/server/chartsync/model/drift-policy';
import type { ResourceEvent } from '@/server/chartsync/ports';
import { syncDrift } from '@/server/chartsync/sync/drift';
import { StatusDraft } from '@/server/chartsync/sync/status-draft';
import type { Sync } from '@/server/chartsync/sync/sync';
import type { Cluster, PatchBody } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import { ManualClock } from '../../support/manual-clock';

const release = { namespace: 'pay', name: 'web' };
const act = (account?: string) => ({ release, onBehalfOf: { namespace: 'pay', account } });
const config = (data: Fields): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'pay' }, data });

/** A release of one ConfigMap; each dry run of applying it is counted. */
class Ground {
  manifest = config({ size: 'small' });
  live: KubeObject | undefined;
  dryRuns = 0;
  readonly written: PatchBody[] = [];
  readonly drift = new Drift({
    objects: {
      read: async () => [this.manifest],
      addressOf: async ({ apiVersion, kind, metadata: { name, namespace } }) => ({ apiVersion, kind, name, namespace }) as ObjectAddress, // as it is written
    },
    clusterFor: () => this as unknown as Cluster, // no more of it is asked for
  });

  constructor() {
    this.put({ size: 'small' });
  }

  put(data: Fields): void {
    const version = String(Number(this.live?.metadata.resourceVersion ?? 0) + 1);
    this.live = { ...config(data), metadata: { ...config(data).metadata, uid: 'u', resourceVersion: version } };
  }

  async get(at: ObjectAddress): Promise<KubeObject> {
    if (this.live === undefined) throw new KubeApiError({ code: 404, reason: 'NotFound', message: `${toObjectId(at)} is not there`, details: {} });
    return this.live;
  }

  async create(object: KubeObject): Promise<KubeObject> {
    this.put(object.data as Fields); // that of a ConfigMap
    return object;
  }

  async patch(_at: ObjectAddress, patch: PatchBody): Promise<KubeObject> {
    if (this.live === undefined) throw new Error('nothing is there to be patched');
    if (patch.type === 'apply') {
      this.dryRuns++;
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
  it('[issue 12.1] is asked about by a dry run once, and again only where the object, its manifest or the account moved', async () => {
    const ground = new Ground();
    const look = async (account?: string) => (await ground.drift.find(act(account))).map(({ path }) => path);
    expect([await look(), await look(), ground.dryRuns]).toEqual([[], [], 1]);
    ground.put({ size: 'large' });
    expect([await look(), await look(), ground.dryRuns]).toEqual([['/data/size'], ['/data/size'], 2]);
    expect([await look('deployer'), ground.dryRuns]).toEqual([['/data/size'], 3]);
    ground.manifest = config({ size: 'large' });
    expect([await look('deployer'), await look('deployer'), ground.dryRuns]).toEqual([[], [], 4]);
    ground.live = undefined;
    expect([await look('deployer'), ground.dryRuns]).toEqual([[''], 4]);
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
    const [told] = (draft.takeChanges()?.conditions ?? []) as { readonly status: string; readonly reason: string; readonly message: string }[];
    expect(told === undefined ? '' : `${told.status} ${told.reason}`).toBe(condition);
    expect([ground.written.length, events.length]).toEqual([writes, condition === '' || condition.startsWith('Unknown') ? 0 : 1]);
    if (annotation === 'Enabled') {
      expect(told?.message).toBe('drift detection must be disabled, warn or enabled, found "Enabled": live objects are neither compared nor put back');
      expect(ground.dryRuns).toBe(0);
    }
  });

  it('[X-DRIFT-3] creates what is missing, and heeds what the resource does not ignore', async () => {
    const ground = new Ground();
    ground.live = undefined;
    const deviations = heededDeviations(await ground.drift.find(act()), declared('enabled').spec.driftDetection);
    await ground.drift.correct(act(), deviations);
    expect(await ground.drift.find(act())).toEqual([]);
  });
});
