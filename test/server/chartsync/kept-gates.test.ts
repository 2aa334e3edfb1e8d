import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { Holds } from '@/server/chartsync/decisions/holds';
import { Gates } from '@/server/chartsync/gate/gates';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { Cluster, Store } from '@/server/kube';

const release = (annotations: Readonly<Record<string, string>> = {}) =>
  readDeclared({
    ...{ apiVersion: 'helm.fluxcd.io/v1', kind: 'HelmRelease' },
    metadata: { name: 'web', namespace: 'shop', uid: 'u', annotations },
    spec: { chart: { git: 'https://git.example.com/charts', path: 'web' } },
  } as KubeObject);
const kept = (status?: object): KubeObject => ({
  ...KINDS.releaseDecision,
  metadata: { name: 'gate-u', namespace: 'shop', uid: 'g', resourceVersion: '5' },
  spec: { releaseRef: { kind: 'HelmRelease', name: 'web', uid: 'u' }, verb: 'gate', actor: { user: 'slipway' } },
  ...(status === undefined ? {} : { status }),
});

/** The gates of a server whose copies hold these objects; what they write comes back as it was sent. */
function gatesOver(...objects: readonly KubeObject[]) {
  const written: KubeObject[] = [];
  const live = { namespace: undefined as KubeObject | undefined, state: 'watching' };
  const store = (...held: readonly KubeObject[]) =>
    ({
      health: () => ({ synced: true, state: { kind: held[0]?.kind === 'Namespace' ? live.state : 'watching' } }),
      get: (key: string) => held.find(({ metadata }) => toObjectKey(metadata) === key),
    }) as unknown as Store;
  const cluster = {
    get: async () => {
      if (live.namespace === undefined) throw new Error('no answer');
      return live.namespace;
    },
    create: async (object: KubeObject) => object,
    update: async (object: KubeObject) => {
      written.push(object);
      return object;
    },
  } as unknown as Cluster;
  const namespaces = store({ ...KINDS.namespace, metadata: { name: 'shop' } });
  return {
    gates: new Gates({ decisions: store(...objects), namespaces, cluster, approvals: 0, clock: { now: () => 0 as never } }),
    written,
    live,
  };
}

describe('the gate of a release', () => {
  it.each<[string, object]>([
    ['a part of it', { phase: 'Accepted', gate: { required: 2, groups: [], wanted: { required: 0 } } }],
    ['all of it', { phase: 'Accepted', at: '2026-01-01T00:00:00Z' }],
    ['its number', { gate: { groups: [] } }],
  ])(
    '[issue 10.2] is not taken for none where a definition drops %s: nothing is released, and nothing is written over it',
    async (_what, status) => {
      const { gates, written } = gatesOver(kept(status));
      const sentence = 'it is unknown which approvals are required: status.gate of ReleaseDecision gate-u in shop cannot be read';
      for (const annotations of [{}, { 'slipway.dev/approvals': '1' }])
        await expect(gates.enter(release(annotations))).rejects.toThrow(sentence);
      expect(() => gates.of(release())).toThrow(sentence);
      expect(written).toEqual([]);
    },
  );

  it('[issue 10.2] is in force as it is kept, also where nothing is demanded any more, and begins where it was only made', async () => {
    const gate = { required: 2, groups: [] };
    const { gates } = gatesOver(kept({ phase: 'Accepted', gate }));
    expect(await gates.enter(release())).toMatchObject({ ...gate, wanted: { required: 0, groups: [] } });
    expect(gatesOver(kept()).gates.of(release())).toBeUndefined();
    const begun = gatesOver(kept());
    expect(await begun.gates.enter(release({ 'slipway.dev/approvals': '1' }))).toMatchObject({ required: 1, wanted: null });
    expect(begun.written).toHaveLength(1);
  });

  it('[issue 10.2] is demanded by its namespace as the server has it, where the watch of namespaces was lost; and nothing is released while that is unknown', async () => {
    const { gates, live } = gatesOver();
    live.state = 'retrying';
    await expect(gates.enter(release())).rejects.toThrow('no answer');
    live.namespace = { ...KINDS.namespace, metadata: { name: 'shop', annotations: { 'slipway.dev/approvals': '2' } } };
    expect(await gates.enter(release())).toMatchObject({ required: 2 });
    const watched = gatesOver();
    expect(await watched.gates.enter(release())).toBeUndefined();
  });
});

describe('the hold of a release', () => {
  const decided = (verb: string, at: string, spec: object = { actor: { user: 'ann' } }): KubeObject => ({
    ...KINDS.releaseDecision,
    metadata: { name: `${verb}-${at}`, namespace: 'shop', uid: `${verb}-${at}` },
    spec: { releaseRef: { kind: 'HelmRelease', name: 'web', uid: 'u' }, verb, ...spec },
    status: { phase: 'Accepted', at },
  });
  const holdsOver = (...objects: readonly KubeObject[]) =>
    new Holds({ health: () => ({ synced: true, state: { kind: 'watching' } }), byIndex: () => objects } as unknown as Store); // no more of it is asked for

  it('[issue 10.2] is not taken for none where a definition drops a part of the decision that holds it', () => {
    expect(() => holdsOver(decided('lift', '1'), decided('hold', '2', {})).of('u')).toThrow(
      'it is unknown whether this release is held: ReleaseDecision hold-2 in shop cannot be read',
    );
    expect(holdsOver(decided('hold', '2')).of('u')).toMatchObject({ by: 'ann', verb: 'hold' });
    expect(holdsOver(decided('hold', '1', {}), decided('lift', '2')).of('u'), 'what was lifted since').toBeUndefined();
  });
});
