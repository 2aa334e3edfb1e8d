import { describe, expect, it } from 'vitest';
import { decidedTypeOf } from '@/lib/contract/release-decision';
import {
  RELEASE_KIND_NAMES,
  RELEASE_TYPES,
  readReleaseKindRef,
  releaseKindNamed,
  releaseKindOf,
  toReleaseKindRef,
} from '@/lib/contract/release-kind';
import { readList } from '@/lib/kube/fields';
import { describeResource, KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { Resources } from '@/server/chartsync/cluster/resources';
import { waitReason } from '@/server/chartsync/depends-on/wait-reason';
import { ReconcileHistory } from '@/server/chartsync/describe/reconcile-history';
import { GitCharts } from '@/server/chartsync/exports/git-charts';
import { releaseOwnerOf } from '@/server/chartsync/loops/claims';
import { BoundedReconciles } from '@/server/chartsync/loops/keyed-mutex';
import type { DeclaredRelease, ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared, readMark } from '@/server/chartsync/model/declared';
import type { GitChart } from '@/server/chartsync/model/extended-spec';
import type { SyncReport } from '@/server/chartsync/ports';
import { WatchedReleases } from '@/server/chartsync/watched-releases';
import { requeueAfter } from '@/server/framework';
import { createRandom } from '@/server/platform';
import { readDeployed, schemaOf } from '../../support/definitions';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from '../framework/fake-store';

const LATER = KINDS.helmRelease;
const OLDER = KINDS.olderHelmRelease;

const declare = (type: TypeRef, spec: object = {}, created = '2026-01-01T00:00:00Z'): ExtendedRelease => {
  const metadata = {
    namespace: 'pay',
    name: 'web',
    uid: type.apiVersion,
    creationTimestamp: created,
    finalizers: ['slipway.dev/helm-uninstall'],
  };
  const declared: DeclaredRelease = readDeclared({ ...type, metadata, spec } as KubeObject);
  if (declared.profile !== 'extended') throw new Error('a HelmRelease was wanted');
  return declared;
};

/** As helm-operator 0.10 took it, every field of it. */
const OF_0_10 = {
  chart: { repository: 'https://charts.example.com', name: 'web', version: '1.2.3', chartPullSecret: { name: 'pull' } },
  releaseName: 'front',
  targetNamespace: 'shop',
  timeout: 90,
  resetValues: false,
  forceUpgrade: true,
  values: { replicas: 2 },
  valueFileSecrets: [{ name: 'defaults' }],
  valuesFrom: [
    { configMapKeyRef: { name: 'more', key: 'a.yaml', optional: true } },
    { externalSourceRef: { url: 'https://example.com/v.yaml' } },
  ],
  rollback: { enable: true, force: true, recreate: true, disableHooks: true, timeout: 60, wait: true },
};

describe('a HelmRelease of flux.weave.works', () => {
  it('[issue 12.1] is normalised to what one of helm.fluxcd.io is, but for its mark', () => {
    const [older, later] = [declare(OLDER, OF_0_10), declare(LATER, OF_0_10)];
    expect(older.spec).toEqual(later.spec);
    expect(older).toMatchObject({ release: { namespace: 'shop', name: 'front' }, hasFinalizer: true, profile: 'extended' });
    expect(older.spec).toMatchObject({
      chart: { kind: 'repository', repository: 'https://charts.example.com', secret: { name: 'pull' } },
      timeoutSeconds: 90,
      resetValues: false,
      forceUpgrade: true,
      wait: true,
      rollback: { enable: true, force: true, disableHooks: true, timeoutSeconds: 60, wait: true },
    });
    expect(older.spec.valuesFrom).toHaveLength(3);
    expect(older.mark).toEqual({ annotation: 'flux.weave.works/antecedent', value: 'pay:helmrelease/web' });
    expect(later.mark).toEqual({ annotation: 'helm.fluxcd.io/antecedent', value: 'pay:helmrelease/web' });
    expect(declare(OLDER, { chart: { git: 'ssh://git@git.example.com/charts', path: 'charts/web', skipDepUpdate: true } })).toMatchObject({
      release: { namespace: 'pay', name: 'pay-web' },
      spec: { chart: { kind: 'git', ref: undefined, path: 'charts/web', skipDepUpdate: true } },
    });
  });

  it('[issue 12.1] is read of a mark, as the base kind is of the same annotation', () => {
    const at = { namespace: 'pay', name: 'web' };
    const weave = 'flux.weave.works/antecedent';
    expect(readMark({ [weave]: 'pay:helmrelease/web' })).toEqual({ ...OLDER, ...at });
    expect(readMark({ [weave]: 'pay:fluxhelmrelease/web' })).toEqual({ ...KINDS.fluxHelmRelease, ...at });
    expect(readMark({ 'helm.fluxcd.io/antecedent': 'pay:helmrelease/web' })).toEqual({ ...LATER, ...at });
    expect(readMark({ [weave]: 'pay:deployment/web' })).toBeUndefined();
  });

  it('[issue 12.1] takes in every field that one of helm.fluxcd.io does, by a definition of the same schema', async () => {
    const named = async (name: string) => (await readDeployed('deploy/crds')).find(({ metadata }) => metadata.name === name);
    const [later, older] = [await named('helmreleases.helm.fluxcd.io'), await named('helmreleases.flux.weave.works')];
    expect(older?.spec).toMatchObject({
      group: 'flux.weave.works',
      names: { plural: 'helmreleases' },
      versions: [{ name: 'v1beta1', served: true }],
    });
    expect(older && schemaOf(older)).toEqual(later && schemaOf(later));
  });

  it('[issue 12.1] has one release with the other of its name: who came first, but nothing before anything was attempted for it', () => {
    const [untried, later] = [declare(OLDER), declare(LATER, {}, '2026-01-02T00:00:00Z')];
    // It may be what was left behind when the release moved on.
    expect(releaseOwnerOf(untried, [later, untried])).toBe(later);
    expect(releaseOwnerOf(later, [later, untried])).toBeUndefined();
    const older = { ...untried, status: { lastAttemptedRevision: 'c1' } };
    expect(releaseOwnerOf(later, [later, older])).toBe(older);
    expect(releaseOwnerOf(older, [later, older])).toBeUndefined();
    const afterwards = { ...older, created: '2026-01-03T00:00:00Z' };
    expect(releaseOwnerOf(afterwards, [later, afterwards])).toBe(later);
    expect([describeResource(older.at), describeResource(later.at)]).toEqual([
      'HelmRelease.flux.weave.works web in pay',
      'HelmRelease web in pay',
    ]);
  });

  it('[issue 12.1] is named with its group by what waits for it, and by a gate whose definition drops the group', () => {
    const db = declare(OLDER, { ...OF_0_10, dependsOn: ['db'] });
    expect(waitReason({ ...db, dependsOn: ['pay/db'] }, () => undefined)).toBe(
      'it depends on HelmRelease.flux.weave.works pay/db, which does not exist',
    );
    const gate = (verb: string) => ({
      ...KINDS.releaseDecision,
      metadata: { name: 'g', ownerReferences: [{ ...OLDER, name: 'web', uid: 'u' }] },
      spec: { verb, releaseRef: { kind: 'HelmRelease', name: 'web', uid: 'u' } },
    });
    expect(decidedTypeOf(gate('gate'))).toEqual(OLDER);
    expect(decidedTypeOf(gate('hold'))).toEqual(LATER);
  });

  it('[issue 12.1] has its gate left alone while its definition would drop what is written, also one whose definition drops the group', async () => {
    const copies = () => new FakeStore();
    const watched = new WatchedReleases(
      {
        cluster: {},
        clock: new ManualClock(),
        log: silentLog,
        mayAct: () => true,
        stoppedReason: (kind: string) => (kind === nameOfKind(OLDER) ? 'it drops status' : null),
      } as never, // no more of it is asked for
      undefined,
      { base: copies(), extended: [], decisions: copies(), namespaces: copies(), ownRights: undefined, enqueue: () => undefined },
    );
    const gate = {
      ...KINDS.releaseDecision,
      metadata: { namespace: 'pay', name: 'g', ownerReferences: [{ ...OLDER, name: 'web', uid: 'u' }] },
      spec: { verb: 'gate', releaseRef: { kind: 'HelmRelease', name: 'web', uid: 'u' }, actor: { user: 'slipway' } },
    } as KubeObject;
    expect(await watched.decide('pay/g', gate)).toMatchObject(requeueAfter(5000));
  });
});

describe('two resources of one name', () => {
  it('[issue 12.4] have each a history of their own, also of drift and of the next fetch', () => {
    const journal = new ReconcileHistory(new ManualClock());
    const [older, later] = [declare(OLDER), declare(LATER)];
    journal.note({ resource: older, by: 'schedule', revision: 'a', outcome: 'equal' } satisfies SyncReport);
    journal.noteDrift(older.at, { state: 'drifted', message: 'm' } as never); // no more of it is read
    journal.noteNextFetch(older.at, new ManualClock().now());
    expect([journal.reconcilesOf(older.at).length, journal.reconcilesOf(later.at).length]).toEqual([1, 0]);
    expect([journal.driftOf(later.at), journal.nextFetchOf(later.at)]).toEqual([undefined, undefined]);
    journal.note({ resource: later, by: 'deletion', revision: undefined, outcome: 'uninstalled' } satisfies SyncReport);
    expect(journal.reconcilesOf(older.at)).toHaveLength(1);
  });

  it('[X-SRC-1] have each a head of their own in git, which goes with its resource', async () => {
    let head = 'c1';
    const copy = { folder: '/copy', bytes: 1, kindOf: async () => 'folder', hasLinks: () => false, remove: async () => undefined };
    const mirror = { id: 'repo', revision: async () => head, export: async (revision: string) => ({ ...copy, revision }) };
    const sources = { mirrorOf: () => mirror } as never; // no more is asked of it
    const git = { isGated: () => false, sources, defaultRef: 'main', maxExportsBytes: 1, clock: new ManualClock(), log: silentLog };
    const charts = new GitCharts(git);
    const [older, later] = [OLDER, LATER].map((type) => declare(type, { chart: { git: 'repo', path: 'a' } }));
    if (older === undefined || later === undefined) throw new Error('two were wanted');
    const take = async (resource: ExtendedRelease) => {
      const holding = { exports: new Set<string>(), folders: new Set<string>() };
      const chart = resource.spec.chart as GitChart; // it is declared so above
      return (await charts.chartOf(resource, { chart, commit: undefined, holding }, new AbortController().signal)).revision;
    };
    expect(await take(later)).toBe('c1');
    head = 'c2';
    expect([await take(older), await take(later)]).toEqual(['c2', 'c1']);
    head = 'c3';
    await charts.forget(later);
    expect([await take(older), await take(later)]).toEqual(['c2', 'c3']);
  });

  it('[issue 12.1] are looked at beside each other: one that hangs holds up no look at the other', async () => {
    const clock = new ManualClock();
    const patience = new BoundedReconciles({ clock, failed: () => undefined });
    const { signal } = new AbortController();
    const looked: string[] = [];
    const hanging = patience.look(declare(OLDER), signal, () => new Promise(() => undefined));
    await clock.advance(20_000);
    await hanging;
    await patience.look(declare(LATER), signal, async () => void looked.push('later'));
    await patience.look(declare(OLDER), signal, async () => void looked.push('older'));
    expect(looked).toEqual(['later']);
  });
});

describe('the copies of the kinds that declare releases', () => {
  const object = (type: TypeRef): KubeObject => ({
    ...type,
    metadata: { namespace: 'pay', name: 'web', uid: type.apiVersion },
    spec: {},
  });
  const open = (stores: readonly FakeStore[], stoppedReason: (kind: string) => string | null = () => null) =>
    new Resources({ stores, stoppedReason, clock: new ManualClock(), random: createRandom(1), log: silentLog } as never); // no cluster is asked

  it('[issue 12.1] are asked each for its own, whatever another of the name is', async () => {
    const [later, older] = [LATER, OLDER].map((scope) => new FakeStore({ scope }));
    if (later === undefined || older === undefined) throw new Error('two stores were wanted');
    older.put(object(OLDER));
    const resources = open([later, older]);
    expect([resources.copyOf(LATER, 'pay/web'), resources.copyOf(OLDER, 'pay/web')?.uid]).toEqual([undefined, OLDER.apiVersion]);
    later.put(object(LATER));
    expect(resources.copyOf(LATER, 'pay/web')?.uid).toBe(LATER.apiVersion);
    const stopped = open([later, older], (kind) => (kind === 'HelmRelease.flux.weave.works' ? 'it drops status' : null));
    expect([stopped.isStopped(LATER), stopped.isStopped(OLDER)]).toEqual([false, true]);
    expect((await stopped.listResources('pay')).map(({ uid }) => uid)).toEqual([LATER.apiVersion]);
  });

  it('[issue 12.1] that nobody ever let the server list hold up no other kind, as with the roles of an older version; one that was lost does', async () => {
    const later = new FakeStore({ scope: LATER });
    later.put(object(LATER));
    const refused = new FakeStore({ scope: OLDER, synced: false });
    refused.setState({ kind: 'refused', reason: 'it may not' } as never);
    expect(await open([later, refused]).listResources('pay')).toHaveLength(1);
    const lost = new FakeStore({ scope: OLDER });
    lost.setState({ kind: 'refused', reason: 'it may not any more' } as never);
    await expect(open([later, lost]).listResources('pay')).rejects.toThrow('HelmReleases.flux.weave.works are not watched now');
  });
});

describe('the kinds that declare releases', () => {
  it.each(RELEASE_KIND_NAMES)('[issue 12.4] %s is told from every other by its name, its type and what a decision says', (name) => {
    const type = RELEASE_TYPES[name];
    expect([releaseKindOf(type), releaseKindNamed(nameOfKind(type)), readReleaseKindRef(toReleaseKindRef(type))]).toEqual([
      name,
      name,
      name,
    ]);
    expect(releaseKindOf({ ...type, apiVersion: type.apiVersion.replace(/[^/]+$/, 'v9') })).toBe(name);
  });

  it('[issue 12.4] are no others of their name: what Flux drives is none, nor a group that no kind of ours is of', () => {
    expect(releaseKindOf({ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' })).toBeUndefined();
    expect(readReleaseKindRef({ kind: 'HelmRelease', group: 'helm.fluxcd.io' })).toBeUndefined();
    expect(readReleaseKindRef({ kind: 'FluxHelmRelease', group: 'flux.weave.works' })).toBeUndefined();
    expect(readReleaseKindRef({})).toBeUndefined();
    expect(toReleaseKindRef(LATER)).toEqual({ kind: 'HelmRelease' });
  });
});

it('[issue 12.4] a short name means one kind: `kubectl get hr` that of helm.fluxcd.io', async () => {
  const named = (await readDeployed('deploy/crds')).flatMap(({ metadata: { name }, spec }) =>
    readList(spec, 'names', 'shortNames').map((short) => [short, name] as const),
  );
  expect(new Set(named.map(([short]) => short)).size).toBe(named.length);
  expect(Object.fromEntries(named)).toMatchObject({ hr: 'helmreleases.helm.fluxcd.io', hrs: 'helmreleases.helm.fluxcd.io' });
});
