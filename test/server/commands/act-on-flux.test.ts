import { describe, expect, it } from 'vitest';
import type { FluxActRequest, ShownSource } from '@/lib/contract/flux-acts';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import type { KubeObject } from '@/lib/kube/object';
import { KubeApiError } from '@/server/kube';
import { aFluxRelease, itsSources } from '../../support/flux-definitions';
import type { CommandRig } from './rig';
import { createCommandRig } from './rig';

const PLACE = { ns: 'shop', name: 'podinfo' };
const SEEN = { kind: 'helmrelease-v2', uid: 'podinfo-uid', generation: 1 } as const;
const SOURCES: FluxActRequest['sources'] = [
  { kind: 'helmchart', ns: 'shop', name: 'shop-podinfo', uid: 'podinfo-chart-uid' },
  { kind: 'helmrepository', ns: 'shop', name: 'podinfo', uid: 'podinfo-repo-uid' },
];
const objects = [aFluxRelease('podinfo', 'shop'), ...itsSources('podinfo', 'shop')];
const annotationsOf = ({ metadata }: KubeObject) => metadata.annotations ?? {};

describe('asking something of Flux', () => {
  it.each([
    ['reconcile', []],
    ['force', ['reconcile.fluxcd.io/forceAt']],
    ['reset', ['reconcile.fluxcd.io/resetAt']],
  ] as const)('[issue 12] %s writes one token as the person, once it was tried and is on record', async (verb, more) => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects });
    expect(await commands.actOnFlux(session, PLACE, { ...SEEN, verb, reason: 'a new key' })).toMatchObject({
      accepted: { kind: 'HelmRelease', uid: 'podinfo-uid' },
    });
    expect(cluster.writes).toMatchObject([
      { verb: 'patch', person: { user: 'operator' }, dryRun: true },
      { verb: 'patch', person: { user: 'operator' }, dryRun: false },
    ]);
    const [, written] = cluster.writes;
    const annotations = annotationsOf(written?.object as KubeObject);
    expect(Object.keys(annotations).sort()).toEqual(['reconcile.fluxcd.io/requestedAt', ...more].sort());
    expect(new Set(Object.values(annotations)).size).toBe(1);
    expect(Object.values(annotations)[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    expect(recorded).toMatchObject([
      { action: `flux.${verb}`, actor: 'operator', about: { kind: 'HelmRelease', namespace: 'shop', name: 'podinfo' } },
    ]);
    expect(recorded[0]?.message).toContain('a new key');
  });

  it('[issue 12] asks the sources first where the person saw them, the one that fetches before the chart, and all with one token', async () => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects });
    await commands.actOnFlux(session, PLACE, { ...SEEN, verb: 'reconcile', sources: SOURCES });
    const done = cluster.writes.filter(({ dryRun }) => !dryRun);
    expect(done.map(({ object }) => object.kind)).toEqual(['HelmRepository', 'HelmChart', 'HelmRelease']);
    expect(new Set(done.map(({ object }) => annotationsOf(object)['reconcile.fluxcd.io/requestedAt'])).size).toBe(1);
    expect(recorded.map(({ about }) => about.kind)).toEqual(['HelmRepository', 'HelmChart', 'HelmRelease']);
    expect(recorded.map(({ message }) => message)).toEqual([
      'asks Flux to reconcile it now',
      'asks Flux to reconcile it now',
      'asks Flux to reconcile it now, after HelmRepository podinfo in shop and HelmChart shop-podinfo in shop',
    ]);
  });

  it('[issue 12] writes nothing to any of them where the sources are others, one is suspended, or the right to one is missing', async () => {
    const other = await createCommandRig({ objects });
    const [chart] = SOURCES ?? [];
    const fewer = other.commands.actOnFlux(other.session, PLACE, {
      ...SEEN,
      verb: 'reconcile',
      sources: chart === undefined ? [] : [chart],
    });
    await expect(fewer).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('helmrepository podinfo') as string });
    const renewed = other.commands.actOnFlux(other.session, PLACE, {
      ...SEEN,
      verb: 'reconcile',
      sources: SOURCES?.map((one) => ({ ...one, uid: 'older' })),
    });
    await expect(renewed).rejects.toMatchObject({ code: 'conflict' });
    const asleep = objects.map((object) =>
      object.kind === 'HelmRepository' ? { ...object, spec: { ...(object.spec as object), suspend: true } } : object,
    );
    const suspended = await createCommandRig({ objects: asleep });
    await expect(suspended.commands.actOnFlux(suspended.session, PLACE, { ...SEEN, verb: 'reconcile', sources: SOURCES })).rejects.toThrow(
      'Flux leaves HelmRepository podinfo in shop alone while it is suspended',
    );
    const decisionsBlockedReason = await createCommandRig({ objects, may: ({ resource }) => resource !== 'helmrepositories' });
    await expect(
      decisionsBlockedReason.commands.actOnFlux(decisionsBlockedReason.session, PLACE, { ...SEEN, verb: 'reconcile', sources: SOURCES }),
    ).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('"patch" on helmrepositories') as string,
    });
    for (const { cluster, recorded } of [other, suspended, decisionsBlockedReason]) expect([cluster.writes, recorded]).toEqual([[], []]);
  });

  it('[issue 10.3] suspends while the store does not answer, and has it on record; everything else is refused then', async () => {
    const rig = await createCommandRig({ objects });
    rig.unrecorded = new Error('the store is down');
    await expect(rig.commands.actOnFlux(rig.session, PLACE, { ...SEEN, verb: 'reconcile' })).rejects.toThrow('the store is down');
    expect(rig.cluster.writes).toEqual([]);
    await rig.commands.actOnFlux(rig.session, PLACE, { ...SEEN, verb: 'suspend' });
    expect(rig.cluster.writes.map(({ dryRun }) => dryRun)).toEqual([true, false]);
    expect(rig.recorded).toMatchObject([{ action: 'flux.suspend' }]);
  });

  it('[issue 12] suspends and resumes only the spec that was seen', async () => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects });
    await commands.actOnFlux(session, PLACE, { ...SEEN, verb: 'suspend' });
    const body = Object.values((cluster.writes[1]?.object ?? {}) as object).filter(
      (member) => typeof member === 'object' && 'op' in (member as object),
    );
    expect(body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'podinfo-uid' },
      { op: 'test', path: '/metadata/generation', value: 1 },
      { op: 'add', path: '/spec/suspend', value: true },
    ]);
    expect(recorded).toMatchObject([{ action: 'flux.suspend' }]);
    const moved = commands.actOnFlux(session, PLACE, { ...SEEN, generation: 0, verb: 'suspend' });
    await expect(moved).rejects.toMatchObject({
      code: 'conflict',
      message: 'HelmRelease podinfo in shop was changed since you opened it; review it again',
    });
    await expect(commands.actOnFlux(session, PLACE, { ...SEEN, verb: 'resume' })).rejects.toThrow('is not suspended');
    const raced = await createCommandRig({
      objects,
      refuse: () => new KubeApiError({ code: 422, reason: 'Invalid', message: 'testing value failed' }),
    });
    await expect(raced.commands.actOnFlux(raced.session, PLACE, { ...SEEN, verb: 'suspend' })).rejects.toMatchObject({ code: 'conflict' });
    expect(raced.recorded).toEqual([]);
  });

  it('[issue 12] writes nothing to another object of the name, to what Flux leaves alone, of old data, or off the record; suspending waits for neither', async () => {
    const rig = await createCommandRig({ objects });
    const ask = (more: Partial<FluxActRequest>) => rig.commands.actOnFlux(rig.session, PLACE, { ...SEEN, verb: 'reconcile', ...more });
    await expect(ask({ uid: 'older' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was deleted and created again') as string,
    });
    rig.stale = { since: '2026-11-20T09:00:00Z', reason: 'the watch is gone' };
    await expect(ask({})).rejects.toMatchObject({ code: 'stale' });
    rig.stale = null;
    rig.unrecorded = new Error('the store is down');
    await expect(ask({})).rejects.toThrow('the store is down');
    const asleep = await createCommandRig({ objects: [aFluxRelease('podinfo', 'shop', { spec: { suspend: true } })] });
    await expect(asleep.commands.actOnFlux(asleep.session, PLACE, { ...SEEN, verb: 'force' })).rejects.toThrow(
      'while it is suspended; resume it first',
    );
    const none = asleep.commands.actOnFlux(asleep.session, PLACE, { ...SEEN, kind: 'helmchart', verb: 'force' });
    await expect(none).rejects.toMatchObject({ code: 'invalid', message: 'Flux has no force for a HelmChart' });
    expect([...rig.cluster.writes, ...asleep.cluster.writes]).toEqual([]);
    rig.stale = { since: '2026-11-20T09:00:00Z', reason: 'the watch is gone' };
    await ask({ verb: 'suspend' });
    expect(rig.cluster.writes).toHaveLength(2);
  });

  it('[issue 12] tells the rights by the patch alone, and asks it of the person', async () => {
    const rig = await createCommandRig({ objects, may: ({ verb }) => verb !== 'patch' });
    const rights = await rig.commands.readFluxRights(rig.session, { ...PLACE, kind: 'helmrelease-v2' });
    expect(Object.keys(rights)).toEqual(['reconcile', 'force', 'reset', 'suspend', 'resume']);
    expect(rights.force).toContain('"patch" on helmreleases.helm.toolkit.fluxcd.io');
    await expect(rig.commands.actOnFlux(rig.session, PLACE, { ...SEEN, verb: 'reconcile' })).rejects.toMatchObject({ code: 'forbidden' });
    expect(Object.keys(await rig.commands.readFluxRights(rig.session, { ...PLACE, kind: 'helmchart' }))).toEqual([
      'reconcile',
      'suspend',
      'resume',
    ]);
  });

  describe('[issue 12] with its sources', () => {
    const [chart, repository] = (SOURCES ?? []) as [ShownSource, ShownSource];
    const [release = aFluxRelease('podinfo', 'shop'), itsChart, itsRepository] = objects as readonly KubeObject[];
    const withSpec = (object: KubeObject | undefined, more: object) =>
      ({ ...object, spec: { ...(object?.spec as object), ...more } }) as KubeObject;
    const oci: KubeObject = {
      ...FLUX_KINDS.ocirepository,
      metadata: { name: 'podinfo', namespace: 'shop', uid: 'oci-uid', generation: 1 },
      spec: {},
    };
    const asks = async (held: readonly KubeObject[], sources: FluxActRequest['sources'], kind: FluxActRequest['kind'] = SEEN.kind) => {
      const rig = await createCommandRig({ objects: held });
      const { uid = '', name = '' } = held[0]?.metadata ?? {};
      await rig.commands.actOnFlux(rig.session, { ns: 'shop', name }, { ...SEEN, kind, uid, verb: 'reconcile', sources });
      return rig.cluster.writes.filter(({ dryRun }) => !dryRun).map(({ object }) => object.kind);
    };

    it.each<readonly [string, readonly KubeObject[], FluxActRequest['sources'], readonly string[]]>([
      ['in whatever order they were shown', objects, [repository, chart], ['HelmRepository', 'HelmChart', 'HelmRelease']],
      [
        'but for a repository that is only an address',
        [release, itsChart as KubeObject, withSpec(itsRepository, { type: 'oci' })],
        [chart],
        ['HelmChart', 'HelmRelease'],
      ],
      [
        'as far as they are of kinds that are shown',
        [release, withSpec(itsChart, { sourceRef: { kind: 'Bucket', name: 'podinfo' } })],
        [chart],
        ['HelmChart', 'HelmRelease'],
      ],
      [
        'which may be an artifact of a registry',
        [withSpec(release, { chart: undefined, chartRef: { kind: 'OCIRepository', name: 'podinfo' } }), oci],
        [{ kind: 'ocirepository', ns: 'shop', name: 'podinfo', uid: 'oci-uid' }],
        ['OCIRepository', 'HelmRelease'],
      ],
    ])('asks them %s', async (_how, held, sources, written) => {
      expect(await asks(held, sources)).toEqual(written);
    });

    it('is asked of a release alone', async () => {
      const of = asks([itsChart as KubeObject, itsRepository as KubeObject], [repository], 'helmchart');
      await expect(of).rejects.toMatchObject({
        code: 'invalid',
        message: 'only a release is reconciled with its sources, and HelmChart is one itself',
      });
    });

    it('says that it has none where there are none', async () => {
      await expect(asks([withSpec(release, { chart: undefined })], SOURCES)).rejects.toMatchObject({
        code: 'conflict',
        message: 'the sources of podinfo have changed since you opened it: it has none; review it again',
      });
    });
  });

  it.each([
    ['suspend', 409, 'Conflict', true],
    ['suspend', 422, 'Invalid', true],
    ['suspend', 403, 'Forbidden', false],
    ['reconcile', 409, 'Conflict', true],
    ['reconcile', 422, 'Invalid', false],
    ['reconcile', 403, 'Forbidden', false],
  ] as const)('[issue 12] %s that fails with %i %s: it was changed in the meantime is %s', async (verb, code, reason, isOther) => {
    const failure = new KubeApiError({ code, reason, message: 'the API server says no' });
    const { commands, session, recorded } = await createCommandRig({ objects, refuse: () => failure });
    const told = await commands.actOnFlux(session, PLACE, { ...SEEN, verb }).catch((error: unknown) => error);
    const message = 'HelmRelease podinfo in shop was changed in the meantime; review it again';
    if (isOther) expect(told).toMatchObject({ code: 'conflict', message, cause: failure });
    else expect(told).toBe(failure);
    expect(recorded).toEqual([]);
  });

  it('[issue 10.3] does nothing but suspend where the store goes just as it was tried', async () => {
    for (const verb of ['reconcile', 'suspend'] as const) {
      const rig: CommandRig = await createCommandRig({
        objects,
        refuse() {
          rig.unrecorded = new Error('the store is down');
          return undefined;
        },
      });
      const asked = rig.commands.actOnFlux(rig.session, PLACE, { ...SEEN, verb });
      if (verb === 'suspend') await expect(asked).resolves.toBeDefined();
      else await expect(asked).rejects.toThrow('the store is down');
      expect(rig.cluster.writes.filter(({ dryRun }) => !dryRun)).toHaveLength(verb === 'suspend' ? 1 : 0);
    }
  });
});
