import { describe, expect, it } from 'vitest';
import { LiveObjects } from '@/server/chartsync/cluster/live-objects';
import { realClock } from '@/server/platform';
import type { Rig } from '../kube/rig';
import { startRig } from '../kube/rig';
import type { Received } from '../kube/stand-in';
import { acts, give } from '../kube/stand-in';

const MARK = 'slipway.dev/owner';
const act = { release: { namespace: 'pay', name: 'pay-ledger' }, onBehalfOf: { namespace: 'pay', account: undefined } };
const at = (wanted: string) => (received: Received) => received.path === wanted;
const widgets = { resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Namespaced', singularResource: 'widget', verbs: ['get'] };
const metadata = { namespace: 'pay', name: 'first', annotations: { [MARK]: 'pay:helmrelease/other' } };

/** Reads the mark of a release whose first object was rendered as a Widget of v1beta1. */
function readMark({ cluster }: Rig): Promise<string | undefined> {
  const storage = {
    readHistory: async () => [{ revision: 1, status: 'deployed' as const }],
    readManifest: async () => 'apiVersion: example.com/v1beta1\nkind: Widget\nmetadata: { name: first }\n',
    readHooks: async () => [],
  };
  return new LiveObjects({ storage, clusterFor: () => cluster, clock: realClock }).readMark(act, MARK);
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

  it('[issue 12.1] is not taken for none while the API server does not list the group yet; where it knows of none, it is', async () => {
    await using rig = await startRig(100);
    rig.standIn.fault(at('/apis/example.com'), acts.status(503, 'ServiceUnavailable'), 99);
    await expect(readMark(rig)).rejects.toThrow('the API group "example.com" could not be discovered');
    rig.standIn.forgive();
    expect(await readMark(rig)).toBeUndefined();
  });
});
