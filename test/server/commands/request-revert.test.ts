import { describe, expect, it } from 'vitest';
import type { DriftRepair } from '@/lib/contract/drift-rows';
import { PUT_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';

import { KubeApiError } from '@/server/kube';
import type { FakeRules } from '../auth/fake-cluster';
import type { Bench } from './drift-bench';
import { AT, deployment, edited, liveOf, open, PATHS, request } from './drift-bench';
import { anApplication, SHOP } from './rig';

const ASKED = 'Deployment.apps/shop/web%uid:Deployment/shop/web';

describe('asking that an object be put back', () => {
  it('[dispatch 13] is written as the person and on record first, and changes nothing about who requested the application', async () => {
    const rig = await open({ manifest: deployment, live: await edited() });
    await rig.commands.revertObject(rig.session, SHOP, request(PATHS));
    const written = rig.cluster.writes.filter(({ dryRun }) => !dryRun);
    expect(written).toMatchObject([
      {
        verb: 'update',
        person: { user: 'operator' },
        object: {
          kind: 'Application',
          metadata: { annotations: { [PUT_BACK.asked]: ASKED, 'slipway.dev/requested-by': 'alice' } },
        },
      },
    ]);
    expect(rig.recorded).toMatchObject([
      {
        actor: 'operator',
        action: 'drift.put-back',
        about: AT,
        message: expect.stringMatching(/^requests a revert of Deployment web in shop: spec\.replicas, /),
      },
    ]);
  });

  it('[design 14] names the uid of the object that was seen, and none where it is gone', async () => {
    const live = await edited();
    const asked = async (held: KubeObject | undefined, paths: readonly string[]) => {
      const rig = await open({ manifest: deployment, live: held });
      await rig.commands.revertObject(rig.session, SHOP, request(paths));
      return rig.cluster.writes.at(-1)?.object.metadata.annotations?.[PUT_BACK.asked];
    };
    expect(await asked({ ...live, metadata: { ...live.metadata, uid: 'seen' } }, PATHS)).toBe('Deployment.apps/shop/web%seen');
    expect(await asked(undefined, [])).toBe('Deployment.apps/shop/web');
  });

  it.each<[string, Partial<Bench>, readonly string[], string, RegExp]>([
    ['what differs otherwise by now', {}, ['spec.replicas'], 'conflict', /has changed since you opened it/],
    ['what a policy never writes', { policy: { readOnly: true } }, PATHS, 'rejected', /never written, because the policy read-only/],
    [
      'anything while nothing is applied',
      { repair: { when: 'waits', why: 'It waits.' } },
      PATHS,
      'rejected',
      /cannot be reverted now\. It waits\./,
    ],
    [
      'what another controller keeps',
      { repair: { when: 'never', why: 'Another drives.' } },
      PATHS,
      'rejected',
      /cannot be reverted\. Another drives\./,
    ],
    [
      'anything without the right to change the application',
      { rules: { may: ({ verb }) => verb !== 'update' } },
      PATHS,
      'forbidden',
      /may not do this/,
    ],
  ])('[dispatch 13] refuses %s, and writes nothing', async (_title, bench, seen, code, message) => {
    const rig = await open({ manifest: deployment, live: await edited(), ...bench });
    await expect(rig.commands.revertObject(rig.session, SHOP, request(seen))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
  });

  it('[issue 10.4] is refused, as the page says, where a whole number beyond 2^53 would go by it', async () => {
    const live = await liveOf(deployment, (held) => ({ ...held, spec: { ...(held.spec as object), replicas: 2n ** 53n + 1n } })); // as it was written above
    const rig = await open({ manifest: deployment, live });
    const why = 'spec.replicas of Deployment web holds 9007199254740993: whole numbers beyond 2^53 are shown but never written';
    expect(await rig.commands.readDrift(rig.session, SHOP, AT)).toMatchObject({ repair: { when: 'never', why }, replacement: null });
    await expect(rig.commands.revertObject(rig.session, SHOP, request(['spec.replicas']))).rejects.toMatchObject({
      code: 'rejected',
      message: `Deployment web in shop cannot be reverted: ${why}`,
    });
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
  });

  it('[dispatch 13] refuses what is as it is wanted', async () => {
    const rig = await open({ manifest: deployment, live: await liveOf(deployment, (held) => held) });
    await expect(rig.commands.revertObject(rig.session, SHOP, request([]))).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('already matches what is desired'),
    });
  });

  it('[dispatch 13] is possible where apply-once leaves everything, also for what is gone', async () => {
    const never: DriftRepair = { when: 'never', why: 'The policy apply-once leaves what others change.' };
    const rig = await open({ manifest: deployment, live: undefined, policy: { keep: ['*'] }, repair: never });
    await rig.commands.revertObject(rig.session, SHOP, request([]));
    expect(rig.recorded).toMatchObject([{ message: 'requests a revert of Deployment web in shop: it is gone' }]);
  });

  it.each([
    ['patch', true],
    ['create', false],
  ])('[design 8] requires the right to %s the object of whoever asks, since the engine writes it for them', async (verb, exists) => {
    const rules: FakeRules = { may: (asked) => !(asked.resource === 'deployments' && asked.verb === verb) };
    const rig = await open({ manifest: deployment, live: exists ? await edited() : undefined, rules });
    await expect(rig.commands.revertObject(rig.session, SHOP, request(exists ? PATHS : []))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`operator may not do this: it requires the right "${verb}" on deployments.apps`),
    });
    expect([rig.recorded, rig.cluster.writes]).toEqual([[], []]);
  });

  it('[dispatch 13] notes who asks, where the cluster does not, and adds nothing to what another asked for', async () => {
    const rig = await open({ manifest: deployment, live: await edited() });
    await rig.commands.revertObject(rig.session, SHOP, request(PATHS));
    expect(rig.cluster.writes.at(-1)?.object?.metadata.annotations).toMatchObject({ [PUT_BACK.user]: 'operator' });

    const pending = { [PUT_BACK.asked]: 'ConfigMap/shop/a', [PUT_BACK.user]: 'alice', [PUT_BACK.groups]: '' };
    const live = await edited();
    const beside = await open({ manifest: deployment, live, rules: { objects: [anApplication({ annotations: pending }), live] } });
    await expect(beside.commands.revertObject(beside.session, SHOP, request(PATHS))).rejects.toMatchObject({
      code: 'rejected',
      message: 'alice requested another revert of application web, which is in progress; try again in a moment',
    });
    expect([beside.recorded, beside.cluster.writes]).toEqual([[], []]);
  });

  it('[design 8] requires the right where the object is, and no other', async () => {
    const rules: FakeRules = { may: ({ resource, namespace }) => resource !== 'deployments' || namespace === 'shop' };
    const rig = await open({ manifest: deployment, live: await edited(), rules });
    await rig.commands.revertObject(rig.session, SHOP, request(PATHS));
    expect(rig.recorded).toHaveLength(1);
  });

  it('[design 8] of an object of the whole cluster requires the right in the cluster, whatever namespace the request names', async () => {
    const manifest: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk' } };
    const asked = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'disk', seen: [] };
    const inShop: FakeRules = {
      may: ({ resource, verb, namespace }) => resource !== 'persistentvolumes' || verb !== 'create' || namespace === 'shop',
    };
    for (const ns of ['shop', undefined]) {
      const rig = await open({ manifest, live: undefined, rules: inShop });
      await expect(rig.commands.revertObject(rig.session, SHOP, { ...asked, ns })).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('"create" on persistentvolumes (cluster-scoped)'),
      });
      expect([rig.recorded, rig.cluster.writes]).toEqual([[], []]);
    }
    const everywhere = await open({
      manifest,
      live: undefined,
      rules: { may: ({ resource, verb, namespace }) => resource !== 'persistentvolumes' || verb !== 'create' || namespace === undefined },
    });
    await everywhere.commands.revertObject(everywhere.session, SHOP, asked);
    expect(everywhere.recorded).toHaveLength(1);
  });

  it('[dispatch 13] takes what was seen in whatever order', async () => {
    for (const seen of [PATHS, [...PATHS].reverse(), [...PATHS].sort()]) {
      const rig = await open({ manifest: deployment, live: await edited() });
      await rig.commands.revertObject(rig.session, SHOP, request(seen));
      expect(rig.recorded).toHaveLength(1);
    }
  });

  it('[dispatch 13] adds to what the same person asked for, up to fifty objects at a time', async () => {
    const live = await edited();
    const withPending = (asked: string) => {
      const pending = { [PUT_BACK.asked]: asked, [PUT_BACK.user]: 'operator', [PUT_BACK.groups]: '' };
      return open({ manifest: deployment, live, rules: { objects: [anApplication({ annotations: pending }), live] } });
    };
    const one = await withPending('ConfigMap/shop/a');
    await one.commands.revertObject(one.session, SHOP, request(PATHS));
    expect(one.cluster.writes.at(-1)?.object.metadata.annotations?.[PUT_BACK.asked]).toBe(`ConfigMap/shop/a,${ASKED}`);
    const many = await withPending(Array.from({ length: 50 }, (_, at) => `ConfigMap/shop/a${at}`).join(','));
    await expect(many.commands.revertObject(many.session, SHOP, request(PATHS))).rejects.toMatchObject({
      code: 'rejected',
      message: 'application web already has fifty objects to revert; wait until it has finished',
    });
    expect([many.recorded, many.cluster.writes]).toEqual([[], []]);
  });

  it.each([
    [10, /, data\.k9$/],
    [12, /, data\.k9 and 2 more$/],
  ])('[dispatch 13] of %i fields names ten in its sentence, and all beside it', async (count, sentence) => {
    const dataOf = (value: string) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));
    const manifest: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'web', namespace: 'shop' },
      data: dataOf('wanted'),
    };
    const rig = await open({ manifest, live: await liveOf(manifest, (held) => ({ ...held, data: dataOf('found') })) });
    const seen = Object.keys(dataOf('')).map((key) => `data.${key}`);
    await rig.commands.revertObject(rig.session, SHOP, { apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'web', seen });
    expect(rig.recorded).toMatchObject([{ message: expect.stringMatching(sentence), data: { paths: seen } }]);
  });

  it('[design 8] leaves no trace of what the cluster refuses', async () => {
    const refuse = () => new KubeApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    const rig = await open({ manifest: deployment, live: await edited(), rules: { refuse } });
    await expect(rig.commands.revertObject(rig.session, SHOP, request(PATHS))).rejects.toMatchObject({ status: { code: 403 } });
    expect(rig.recorded).toEqual([]);
  });
});
