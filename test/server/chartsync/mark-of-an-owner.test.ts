import { describe, expect, it } from 'vitest';
import { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import { realClock } from '@/server/platform';
import type { Rig } from '../kube/rig';
import { startRig } from '../kube/rig';
import type { Received } from '../kube/stand-in';
import { acts, give } from '../kube/stand-in';

const MARK = 'slipway.dev/owner';
const WEAVE = 'flux.weave.works/antecedent';
const act = { release: { namespace: 'pay', name: 'pay-ledger' }, onBehalfOf: { namespace: 'pay', account: undefined } };
const at = (wanted: string) => (received: Received) => received.path === wanted;
const widgets = { resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Namespaced', singularResource: 'widget', verbs: ['get'] };
const releases = {
  resource: 'helmreleases',
  responseKind: { kind: 'HelmRelease' },
  scope: 'Namespaced',
  singularResource: 'helmrelease',
  verbs: ['get'],
};
const metadata = { namespace: 'pay', name: 'first', annotations: { [MARK]: 'pay:helmrelease/other' } };

/** Reads the mark of a release whose first object was rendered as a Widget of v1beta1. */
function readMark({ cluster }: Rig, annotation = MARK): Promise<string | undefined> {
  const storage = {
    readHistory: async () => [{ revision: 1, status: 'deployed' as const }],
    readManifest: async () => 'apiVersion: example.com/v1beta1\nkind: Widget\nmetadata: { name: first }\n',
    readHooks: async () => [],
  };
  return new LiveObjects({ storage, clusterFor: () => cluster, cluster, clock: realClock }).readMark(act, annotation);
}

describe('the mark of the resource that a release belongs to', () => {
  it('[issue 12.1] is read at the version by which the kind is served now', async () => {
    await using rig = await startRig(100);
    const items = [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources: [widgets] }] }];
    rig.standIn.fault(at('/apis'), give({ kind: 'APIGroupDiscoveryList', items }), 9);
    const widget = give({ apiVersion: 'example.com/v1', kind: 'Widget', metadata });
    rig.standIn.fault(at('/apis/example.com/v1/namespaces/pay/widgets/first'), widget, 9);
    expect(await readMark(rig)).toBe('pay:helmrelease/other');
  });

  it.each([
    [
      'that of Flux, which has taken the release since',
      MARK,
      '/apis/helm.toolkit.fluxcd.io/v2',
      'HelmRelease web in pay of helm.toolkit.fluxcd.io',
    ],
    ['that of helm.fluxcd.io, to one of the older group', WEAVE, '/apis/helm.fluxcd.io/v1', 'HelmRelease web in pay of helm.fluxcd.io'],
  ])('[issue 12.1] is %s, as long as that resource exists', async (_what, annotation, api, owner) => {
    await using rig = await startRig(100);
    const groups = ['example.com/v1', 'helm.toolkit.fluxcd.io/v2', 'helm.fluxcd.io/v1'].map((each) => each.split('/') as [string, string]);
    const items = groups.map(([name, version]) => ({
      metadata: { name },
      versions: [{ version, resources: [name === 'example.com' ? widgets : releases] }],
    }));
    rig.standIn.fault(at('/apis'), give({ kind: 'APIGroupDiscoveryList', items }), 9);
    const annotations = {
      [annotation]: 'pay:helmrelease/web',
      ...(annotation === WEAVE ? { 'helm.fluxcd.io/antecedent': 'pay:helmrelease/web' } : {}),
    };
    const labels = annotation === MARK ? { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'pay' } : {};
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { ...metadata, annotations, labels } };
    rig.standIn.fault(at('/apis/example.com/v1/namespaces/pay/widgets/first'), give(widget), 9);
    const path = `${api}/namespaces/pay/helmreleases/web`;
    rig.standIn.fault(at(path), acts.status(404, 'NotFound'), 1);
    expect(await readMark(rig, annotation)).toBe('pay:helmrelease/web');
    rig.standIn.fault(at(path), give({ apiVersion: api.slice(6), kind: 'HelmRelease', metadata: { namespace: 'pay', name: 'web' } }), 1);
    expect(await readMark(rig, annotation)).toBe(owner);
    rig.standIn.fault(at(path), acts.status(403, 'Forbidden'), 1);
    await expect(readMark(rig, annotation)).rejects.toThrow('Forbidden');
  });

  it('[issue 12.1] is not taken for none while the API server does not list the group yet; where it knows of none, it is', async () => {
    await using rig = await startRig(100);
    rig.standIn.fault(at('/apis/example.com'), acts.status(503, 'ServiceUnavailable'), 99);
    await expect(readMark(rig)).rejects.toThrow('the API group "example.com" could not be discovered');
    rig.standIn.forgive();
    expect(await readMark(rig)).toBeUndefined();
  });
});
