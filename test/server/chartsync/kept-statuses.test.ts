import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { readFields } from '@/lib/kube/fields';
import { HELM_FINALIZER, KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { Resources } from '@/server/chartsync/cluster/resources';
import { startEmbedded } from '@/server/embedded';
import { installMissing } from '@/server/installation';
import { createRandom, realClock, systemIds } from '@/server/platform';
import { readDeployed } from '../../support/definitions';
import { silentLog } from '../../support/silent-log';

const NAME = 'helmreleases.helm.fluxcd.io';
const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: NAME } as const;
const AT: ObjectAddress = { ...KINDS.helmRelease, namespace: 'pay', name: 'ledger' };

/** A resource of an API server whose definition of the kind may come to drop every status, and whether that is known. */
async function opened() {
  const embedded = await startEmbedded({ clock: realClock, random: createRandom(3), ids: systemIds, log: silentLog, controllers: false });
  const { cluster } = embedded;
  const [definition] = (await readDeployed('deploy/crds')).filter(({ metadata }) => metadata.name === NAME);
  if (definition === undefined) throw new Error(`there is no definition ${NAME}`);
  await installMissing([definition], { cluster, clock: realClock, log: silentLog });
  await cluster.create({ ...KINDS.namespace, metadata: { name: 'pay' } });
  const spec = { chart: { git: 'https://git.example/charts', path: 'ledger' } };
  const create = () => cluster.create({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'ledger' }, spec });
  await create();
  let isKnown = false;
  const shared = { clock: realClock, random: createRandom(4), log: silentLog };
  const stoppedReason = () => (isKnown ? 'its definition drops status' : null);
  const resources = new Resources({ cluster, clusterFor: () => cluster, stores: [], stoppedReason, ...shared });
  const define = async (made: KubeObject) => {
    const { metadata } = await cluster.get(DEFINITION);
    await cluster.update({ ...made, metadata });
  };
  return {
    resources,
    read: async () => (await resources.read(AT))?.status,
    stored: async () => readFields(await cluster.get(AT), 'status'),
    dropStatus: () => define(withoutStatus(definition)),
    mend: () => define(definition),
    knows: (known: boolean) => {
      isKnown = known;
    },
    change: (members: Fields) => cluster.patch(AT, { type: 'merge', body: members }),
    patchStatus: (status: Fields) => cluster.patch(AT, { type: 'merge', body: { status } }, { subresource: 'status' }),
    again: async () => {
      await cluster.delete(AT);
      await create();
    },
    [Symbol.asyncDispose]: () => embedded[Symbol.asyncDispose](),
  };
}

function withoutStatus(definition: KubeObject): KubeObject {
  const { versions, ...spec } = definition.spec as { versions: { schema: { openAPIV3Schema: { properties: object } } }[] };
  const dropping = versions.map((version) => {
    const { properties, ...schema } = version.schema.openAPIV3Schema;
    return { ...version, schema: { openAPIV3Schema: { ...schema, properties: { ...properties, status: { type: 'object' } } } } };
  });
  return { ...definition, spec: { ...spec, versions: dropping } };
}

describe('[issue 12.3] the status of a release whose definition drops it', () => {
  it('is told as it would be, and written whole once it can be', async () => {
    await using given = await opened();
    const { resources, read, stored, dropStatus, mend, knows } = given;
    await resources.writeStatus(AT, { lastAttemptedRevision: 'c1', phase: 'Upgrading', failure: { message: 'x', at: null } });
    await dropStatus();
    // Before anybody noticed, and after.
    await resources.writeStatus(AT, { phase: 'Succeeded', observedGeneration: 2 });
    expect(await read()).toMatchObject({ lastAttemptedRevision: 'c1', phase: 'Succeeded', observedGeneration: 2 });
    knows(true);
    await resources.writeStatus(AT, { revision: 'c1', failure: null });
    expect(await read()).toEqual({ lastAttemptedRevision: 'c1', phase: 'Succeeded', observedGeneration: 2, revision: 'c1' });
    await mend();
    expect(await read()).toMatchObject({ revision: 'c1' });
    expect(await stored()).not.toHaveProperty('phase');
    knows(false);
    // Whoever comes first writes all of it, and what is newer stays.
    await resources.writeStatus(AT, { phase: 'Failed' });
    expect(await stored()).toEqual({ lastAttemptedRevision: 'c1', phase: 'Failed', observedGeneration: 2, revision: 'c1' });
    expect(await read()).toEqual(await stored());
  });

  it('is known before anything was written while it is dropped, and is written by the first who reads it then', async () => {
    await using given = await opened();
    const { resources, read, stored, dropStatus, mend, change } = given;
    await resources.writeStatus(AT, { lastAttemptedRevision: 'c1' });
    await dropStatus();
    await change({ metadata: { labels: { team: 'pay' } } });
    expect([await stored(), await read()]).toEqual([{}, { lastAttemptedRevision: 'c1' }]);
    await mend();
    expect(await read()).toEqual({ lastAttemptedRevision: 'c1' });
    expect(await stored()).toEqual({ lastAttemptedRevision: 'c1' });
  });

  it('is not that of one that came after it', async () => {
    await using given = await opened();
    const { resources, read, stored, knows, again } = given;
    await read();
    knows(true);
    await resources.writeStatus(AT, { lastAttemptedRevision: 'c1' });
    await again();
    knows(false);
    expect([await read(), await stored()]).toEqual([{}, {}]);
    await resources.writeStatus(AT, { phase: 'Succeeded' });
    expect(await stored()).toEqual({ phase: 'Succeeded' });
  });

  it('is not written while nothing is to be done for its kind, and told all the same', async () => {
    await using given = await opened();
    const { resources, read, stored, knows, patchStatus } = given;
    await resources.writeStatus(AT, { phase: 'Upgrading' });
    knows(true);
    await resources.writeStatus(AT, { phase: 'Succeeded' });
    expect([await stored(), await read()]).toEqual([{ phase: 'Upgrading' }, { phase: 'Succeeded' }]);
    knows(false);
    expect(await read()).toEqual(await stored());
    // What is written is what changed: what somebody else writes stays.
    await patchStatus({ phase: 'UninstallFailed' });
    await resources.writeStatus(AT, { revision: 'c1' });
    expect(await stored()).toEqual({ phase: 'UninstallFailed', revision: 'c1' });
  });

  it('is forgotten with the finalizer that held the resource, since nobody reads the resource again', async () => {
    await using given = await opened();
    const { resources, read, knows, change, stored } = given;
    await change({ metadata: { finalizers: [HELM_FINALIZER, 'example.com/other'] } });
    await read();
    knows(true);
    await resources.writeStatus(AT, { phase: 'Uninstalling' });
    expect(await read()).toEqual({ phase: 'Uninstalling' });
    await resources.removeFinalizer(AT);
    expect([await read(), await stored()]).toEqual([{}, {}]);
  });
});
