import { describe, expect, it } from 'vitest';
import { getServed, isNoMatch, isNotFound, isTransportFailure, isUnserved } from '@/server/kube';
import { DiscoveryFailedError } from '@/server/kube/errors';
import { AT, CONFIG_MAPS, isRead, startRig } from './rig';
import type { Received } from './stand-in';
import { acts, give } from './stand-in';

describe('discovery', () => {
  const isRoot = ({ path }: Received) => path === '/api' || path === '/apis';

  it('[cluster C5] is read once, again for an unknown kind, and revalidated by its etag', async () => {
    await using rig = await startRig(100);
    await rig.cluster.discovery.resolve(CONFIG_MAPS);
    await rig.cluster.discovery.resolve(CONFIG_MAPS);
    expect(rig.standIn.received.filter(isRoot)).toHaveLength(2);
    const unknown = { apiVersion: 'x.io/v1', kind: 'Foo' };
    expect(isNoMatch(await rig.cluster.get({ ...unknown, namespace: 'a', name: 'b' }).catch((error: unknown) => error))).toBe(true);
    rig.cluster.discovery.invalidate();
    expect(await rig.cluster.discovery.resolve(CONFIG_MAPS)).toMatchObject({ plural: 'configmaps', namespaced: true });
    expect(
      rig.standIn.received
        .filter(isRoot)
        .slice(2)
        .map(({ headers }) => headers['if-none-match']),
    ).toContain('"the-only"');
  });

  it('[cluster C5] a group that fails hides no other, and is told apart from a kind that is not there', async () => {
    await using rig = await startRig(100);
    const groups = ['good.io', 'bad.io'].map((name) => ({ name, versions: [{ groupVersion: `${name}/v1` }] }));
    rig.standIn.fault(({ path }) => path === '/apis', give({ kind: 'APIGroupList', groups }), 9);
    const things = [
      { name: 'things', singularName: 'thing', kind: 'Thing', namespaced: true, verbs: ['get'] },
      { name: 'things/status', kind: 'Thing', namespaced: true, verbs: ['get'] },
    ];
    rig.standIn.fault(({ path }) => path === '/apis/good.io/v1', give({ kind: 'APIResourceList', resources: things }), 9);
    rig.standIn.fault(({ path }) => path === '/apis/bad.io/v1', acts.status(503, 'ServiceUnavailable'), 99);
    expect(await rig.cluster.discovery.resolve({ apiVersion: 'good.io/v1', kind: 'Thing' })).toMatchObject({
      plural: 'things',
      namespaced: true,
      subresources: ['status'],
    });
    await rig.cluster.discovery.resolve(CONFIG_MAPS);
    await expect(rig.cluster.discovery.resolve({ apiVersion: 'bad.io/v1', kind: 'Thing' })).rejects.toBeInstanceOf(DiscoveryFailedError);
    expect(
      isNoMatch(await rig.cluster.discovery.resolve({ apiVersion: 'none.io/v1', kind: 'Thing' }).catch((error: unknown) => error)),
    ).toBe(true);
  });

  const versions = (...served: readonly string[]) =>
    give({
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: { name: 'water.test' }, versions: served.map((version) => ({ version, resources: [pumps] })) }],
    });
  const pumps = { resource: 'pumps', responseKind: { kind: 'Pump' }, scope: 'Namespaced', singularResource: 'pump', verbs: ['get'] };
  const isGroups = ({ path }: Received) => path === '/apis';
  const isGroup = ({ path }: Received) => path === '/apis/water.test';
  const PUMP = { group: 'water.test', kind: 'Pump', version: 'v1beta1' };
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => 'it was found',
      (error: unknown) => error,
    );

  it('[issue 9.4] a kind is found at the version wanted where that is served, else at the one that the server prefers, and told of where only that will do', async () => {
    await using rig = await startRig(100);
    rig.standIn.fault(isGroups, versions('v2', 'v1'), 9);
    expect(await rig.cluster.discovery.resolveKind({ ...PUMP, version: 'v1' })).toMatchObject({ version: 'v1' });
    expect(await rig.cluster.discovery.resolveKind(PUMP)).toMatchObject({ version: 'v2', plural: 'pumps' });
    await expect(rig.cluster.discovery.resolve({ apiVersion: 'water.test/v1beta1', kind: 'Pump' })).rejects.toThrow(
      'no matches for kind "Pump" in version "water.test/v1beta1": the cluster does not serve that version, only water.test/v2, water.test/v1',
    );
  });

  it('[issue 9.4] a kind is served at no version when the server knows no such group, which it is asked once', async () => {
    await using rig = await startRig(1);
    for (const _again of [1, 2]) expect(isNoMatch(await failureOf(rig.cluster.discovery.resolveKind(PUMP)))).toBe(true);
    expect(rig.standIn.received.filter(isGroup)).toHaveLength(1);
    expect(rig.standIn.received.filter(isGroups)).toHaveLength(1);
  });

  it.each([
    ['that knows the group and does not list it yet', isGroup, give({ kind: 'APIGroup', name: 'water.test', versions: [] })],
    ['that is not ready to tell', isGroup, acts.status(503, 'ServiceUnavailable')],
    [
      'whose other server does not answer',
      isGroups,
      give({
        kind: 'APIGroupDiscoveryList',
        items: [{ metadata: { name: 'water.test' }, versions: [{ version: 'v1', freshness: 'Stale', resources: [] }] }],
      }),
    ],
  ])('[issue 9.4] a server %s is no proof that a kind is gone', async (_what, matches, act) => {
    await using rig = await startRig(100);
    rig.standIn.fault(matches, act, 99);
    expect(await failureOf(rig.cluster.discovery.resolveKind(PUMP))).toBeInstanceOf(DiscoveryFailedError);
  });

  it('[issue 9.4] a path that the server does not know says nothing of the object', async () => {
    await using rig = await startRig(100);
    const error = await failureOf(rig.cluster.get(AT));
    expect([isNotFound(error), isUnserved(error)]).toEqual([false, true]);
    expect(await failureOf(getServed(rig.cluster, AT))).toMatchObject({ status: { code: 404 } });
    rig.standIn.fault(isRead, (_received, response) => {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ kind: 'Status', code: 404, reason: 'NotFound', message: 'not found', details: { name: 'a', kind: 'configmaps' } }),
      );
    });
    expect(await getServed(rig.cluster, AT)).toBeUndefined();
  });

  it('[cluster C5] a server that does not answer is no proof that a kind is missing', async () => {
    await using rig = await startRig(100);
    await rig.standIn.stop();
    const error = await rig.cluster.discovery.resolve(CONFIG_MAPS).catch((failure: unknown) => failure);
    expect([error instanceof DiscoveryFailedError, isTransportFailure(error), isNoMatch(error), isNotFound(error)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('[cluster C5] an answer that the path is unknown makes discovery look again', async () => {
    await using rig = await startRig(100);
    await rig.cluster.discovery.resolve(CONFIG_MAPS);
    await expect(rig.cluster.get(AT)).rejects.toMatchObject({ status: { code: 404 } });
    const before = rig.standIn.received.filter(isRoot).length;
    await rig.cluster.discovery.resolve(CONFIG_MAPS);
    expect(rig.standIn.received.filter(isRoot).length).toBeGreaterThan(before);
  });
});
