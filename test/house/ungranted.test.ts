import { describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { formatRollout } from '@/lib/words/format-rollout';
import { decide } from '../support/decisions';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import { toldOf } from '../support/told';

/** How long a grant may take until it is noticed. */
const NOTICED_MS = 60_000;

const aRevision = (name: string, replicas: number, annotations: Readonly<Record<string, string>> = {}): KubeObject => {
  const labels = { 'serving.knative.dev/revision': name, 'serving.knative.dev/service': 'web' };
  const template = {
    metadata: { labels: { app: name, ...labels }, annotations },
    spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] },
  };
  return { ...KINDS.deployment, metadata: { name, labels }, spec: { replicas, selector: { matchLabels: { app: name } }, template } };
};
const entry = (revisionName: string) => ({ revisionName, minScale: 4, maxScale: 4, percent: 100 });

/** Two revisions and a rollout from one to the other, as kubectl makes them. */
async function roll(
  house: House,
  { annotations, ...spec }: { readonly annotations?: Readonly<Record<string, string>>; readonly control?: object } = {},
): Promise<void> {
  await house.apply(aRevision('web-v1', 4));
  await house.apply(aRevision('web-v2', 0, annotations));
  await house.until('the first revision runs', async () => (await house.ready('web-v1')) === 4);
  const asked = { initialRevisions: [entry('web-v1')], targetRevisions: [entry('web-v2')], rolloutStrategy: 'availability', ...spec };
  await house.apply({ ...KINDS.rolloutOrchestrator, metadata: { name: 'web' }, spec: asked });
}

const rollout = (house: House) => house.get(KINDS.rolloutOrchestrator, 'web');
const granted = async (house: House) => {
  const found = await rollout(house);
  return found && getCondition(found, 'Granted');
};
const waits = (house: House) => house.until('the rollout waits', async () => (await granted(house))?.reason === 'NotGranted');
const replicas = async (house: House, name: string) => readNumber(await house.get(KINDS.deployment, name), 'spec', 'replicas');
const grant = async (house: House) => {
  for (const object of grantObjects(house.ns)) await house.cluster.create(object);
};

describe('a rollout that no application made, in a namespace that nobody granted', () => {
  it('[issue 10.1] stays as it is; condition, page, Event and doctor tell the command, and once its owner applied what it prints it goes on', async () => {
    await using house = await startHouse({ asServer: true });
    await roll(house);
    await waits(house);
    const command = `slipway grant ${house.ns} | kubectl apply -f -`;
    const why = `the server may not patch deployments.apps/scale in namespace ${house.ns} until its owner grants it`;
    expect(await granted(house)).toMatchObject({ status: 'False', severity: 'Info', message: `${why}: ${command}` });
    await house.advance(5 * NOTICED_MS);
    const told = toldOf(await rollout(house));
    expect(told?.activity).toBe('held');
    expect(told && formatRollout(told.waitsFor.message)).toBe(`waiting for a grant: ${why}: ${command}`);
    expect(readString(await rollout(house), 'status', 'control', 'message')).toBe(`waiting for a grant: ${why}: ${command}`);
    expect(house.findings()).toEqual([{ area: 'rights', subject: house.ns, sentence: `1 rollout waits: ${why}`, remedy: command }]);
    const events = (await house.list({ apiVersion: 'v1', kind: 'Event' })).filter((event) => readString(event, 'reason') === 'NotGranted');
    expect(events).toMatchObject([
      { type: 'Warning', message: `${why}: ${command}`, involvedObject: { kind: 'RolloutOrchestrator', name: 'web' }, count: 1 },
    ]);
    expect([await replicas(house, 'web-v1'), await replicas(house, 'web-v2')]).toEqual([4, 0]);

    await grant(house);
    await house.until(
      'the second revision took over',
      async () => (await house.ready('web-v2')) === 4 && (await house.ready('web-v1')) === 0,
      NOTICED_MS,
    );
    expect(await granted(house)).toBeUndefined();
    expect(house.findings()).toEqual([]);
  });

  it('[issue 10.1] can be paused and aborted meanwhile, and is not aborted by the time that it waits', async () => {
    await using house = await startHouse({ asServer: true });
    await grant(house);
    const control = { progressDeadlineSeconds: 120, progressDeadlineAbort: true };
    await roll(house, { control, annotations: { 'sim.slipway.dev/start': '4h' } });
    await house.until('it is under way', async () => ((await replicas(house, 'web-v2')) ?? 0) > 0);
    const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', namespace: house.ns, name: 'slipway:writer' };
    await house.cluster.delete(binding);
    await waits(house);
    const left = [await replicas(house, 'web-v1'), await replicas(house, 'web-v2')];
    await house.advance(10 * NOTICED_MS);
    expect(toldOf(await rollout(house))?.abort).toBeNull();
    expect(readString(await decide(house, 'web', 'pause'), 'status', 'phase')).toBe('Accepted');
    expect(readString(await decide(house, 'web', 'abort', { reason: 'nobody grants it' }), 'status', 'phase')).toBe('Accepted');
    await house.advance(NOTICED_MS);
    expect([await replicas(house, 'web-v1'), await replicas(house, 'web-v2')]).toEqual(left);
    expect(toldOf(await rollout(house))?.waitsFor.clauses.map(({ message }) => message.id)).toContain('wait.ungranted');
  });

  it('[issue 10.1] forgets a rollout that is gone', async () => {
    await using house = await startHouse({ asServer: true });
    await roll(house);
    await waits(house);
    expect(house.findings()).toHaveLength(1);
    await house.cluster.delete({ ...KINDS.rolloutOrchestrator, namespace: house.ns, name: 'web' });
    await house.until('nobody waits any more', () => house.findings().length === 0, NOTICED_MS);
  });
});

describe('a change of an application there', () => {
  it('[issue 10.1] says before it is applied that nothing is written until the owner grants it', async () => {
    await using house = await startHouse({ asServer: true });
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } }];
    const application: KubeObject = {
      ...KINDS.application,
      metadata: { name: 'web', namespace: house.ns },
      spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
    };
    const before = await house.plan(application);
    expect(before.ungranted).toBe(
      `the server may not create, patch configmaps in namespace ${house.ns} until its owner grants it: slipway grant ${house.ns} | kubectl apply -f -`,
    );
    expect(before.objects.map(({ verdict }) => verdict)).toEqual(['new']);
    expect(house.findings()).toEqual([]);
    await grant(house);
    await house.advance(NOTICED_MS);
    const after = await house.plan(application);
    expect(after.ungranted).toBeUndefined();
    expect(after.digest).toBe(before.digest);
  });

  it('[issue 10.1] tells of a Secret there that nobody knows what becomes of it, since it cannot be read before', async () => {
    await using house = await startHouse({ asServer: true });
    const objects = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { key: 'unlocked' } }];
    const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] };
    const plan = await house.plan({ ...KINDS.application, metadata: { name: 'web', namespace: house.ns }, spec });
    expect(plan.ungranted).toContain('may not create, patch secrets');
    expect(plan.objects.map(({ verdict }) => verdict)).toEqual(['unknown']);
  });
});
