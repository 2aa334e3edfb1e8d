import { expect, it } from 'vitest';
import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress, TypeRef } from '@/lib/kube/object';
import { indexByRelease, Resources } from '@/server/chartsync/cluster/resources';
import { refusalOf, releaseOwnerOf } from '@/server/chartsync/loops/claims';
import { readDeclared } from '@/server/chartsync/model/declared';
import { KubeApiError } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';
import { FakeStore } from '../framework/fake-store';

const SECOND = '2026-01-01T00:00:02Z';
const declare = (type: TypeRef, { name = 'web', created = SECOND, releaseName = 'web', status = {} } = {}): KubeObject => ({
  ...type,
  metadata: { namespace: 'pay', name, uid: `${nameOfKind(type)} ${name}`, generation: 1, creationTimestamp: created },
  spec: { releaseName, chartGitPath: 'web', chart: { git: 'https://git.example.com/a', path: 'web' } },
  status,
});
const FORBIDDEN = new KubeApiError({ code: 403, reason: 'Forbidden', message: 'it may not list them' });
const FIRST = declare(KINDS.fluxHelmRelease, { created: '2026-01-01T00:00:01Z' });

/** A cluster with some resources, of which the watches have told some. */
function open({ live, heard, refused }: { readonly live: KubeObject[]; readonly heard: KubeObject[]; readonly refused?: TypeRef }) {
  const stores = [KINDS.fluxHelmRelease, KINDS.helmRelease].map((scope) => new FakeStore({ scope }));
  const isOf = (type: TypeRef) => (object: KubeObject) => nameOfKind(object) === nameOfKind(type);
  for (const store of stores) {
    indexByRelease(store);
    for (const object of heard.filter(isOf(store.scope))) store.put(object);
  }
  let lists = 0;
  const cluster = {
    async *list(of: TypeRef) {
      lists++;
      if (refused !== undefined && nameOfKind(refused) === nameOfKind(of)) throw FORBIDDEN;
      const items = live.filter(isOf(of)).map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }));
      yield { items, resourceVersion: '1' };
    },
    get: async (at: ObjectAddress) => live.find((object) => isOf(at)(object) && object.metadata.name === at.name),
  };
  const deps = { stores, cluster, clusterFor: () => cluster, clock: new ManualClock(), random: createRandom(1), log: silentLog };
  const resources = new Resources(deps as never); // no more of the cluster is asked for
  const refusal = (object: KubeObject) => refusalOf(readDeclared(object), resources);
  return { stores, refusal, lists: () => lists };
}

it('[issue 12.1] installs nothing for a resource whose release another one declared before it, also while nobody was told of that one', async () => {
  const second = declare(KINDS.helmRelease);
  const both = open({ live: [FIRST, second], heard: [second] });
  expect(await both.refusal(second)).toBe('release web in pay is declared by FluxHelmRelease web in pay');
  both.stores[0]?.put(FIRST);
  expect(await both.refusal(second)).toBe('release web in pay is declared by FluxHelmRelease web in pay');

  // One that moved on to this release since it was heard of is another claim.
  const elsewhere = declare(KINDS.fluxHelmRelease, { created: '2026-01-01T00:00:01Z', releaseName: 'front' });
  const moved = { ...FIRST, metadata: { ...FIRST.metadata, generation: 2 } };
  expect(await open({ live: [moved, second], heard: [elsewhere, second] }).refusal(second)).toContain('declared by');
});

it('[issue 12.1] asks the cluster for that once for each resource, of what came before it, and not after it was released', async () => {
  const second = declare(KINDS.helmRelease);
  const after = declare(KINDS.fluxHelmRelease, { created: '2026-01-01T00:00:03Z' });
  const other = declare(KINDS.fluxHelmRelease, { name: 'other', created: '2026-01-01T00:00:01Z', releaseName: 'other' });
  const alone = open({ live: [second, after, other], heard: [second] });
  expect([await alone.refusal(second), await alone.refusal(second), alone.lists()]).toEqual([undefined, undefined, 2]);
  const released = declare(KINDS.helmRelease, { status: { lastAttemptedRevision: 'c1' } });
  const known = open({ live: [FIRST, released], heard: [released] });
  expect([await known.refusal(released), known.lists()]).toEqual([undefined, 0]);
  const closed = open({ live: [FIRST, second], heard: [second], refused: KINDS.fluxHelmRelease });
  expect(await closed.refusal(second)).toBeUndefined();
});

it('[issue 12.1] gives a release of two that were made in one second to the one that it was released for', () => {
  const statuses = [{ lastAttemptedRevision: 'c1' }, { lastAct: { at: SECOND } }];
  const [base, later] = [declare(KINDS.fluxHelmRelease), declare(KINDS.helmRelease)].map(readDeclared);
  if (base === undefined || later === undefined) throw new Error('both are declared');
  expect([releaseOwnerOf(later, [base, later]), releaseOwnerOf(base, [base, later])]).toEqual([base, undefined]);
  for (const status of statuses) {
    const released = { ...later, status };
    expect([releaseOwnerOf(released, [base, released]), releaseOwnerOf(base, [base, released])]).toEqual([undefined, released]);
  }
});
