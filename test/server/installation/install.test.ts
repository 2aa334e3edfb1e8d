import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { installMissing } from '@/server/installation';
import type { ApiResource, Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';

const DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gauges.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Gauge', plural: 'gauges' },
    versions: [
      { name: 'v1', served: true },
      { name: 'v2', served: true },
      { name: 'v3', served: false },
    ],
  },
};

/** A cluster that establishes a definition at once and lists its versions when it is told to. */
function aCluster() {
  const listed: string[] = [];
  let stored: KubeObject | undefined;
  const notFound = () => new KubeApiError({ code: 404, reason: 'NotFound', message: 'not found' });
  const cluster = {
    discovery: {
      invalidate: () => undefined,
      all: async () => listed.map((version) => ({ group: 'example.com', version, kind: 'Gauge' }) as ApiResource),
    },
    get: async () => {
      if (stored === undefined) throw notFound();
      return stored;
    },
    create: async (object: KubeObject) => {
      stored = { ...object, status: { conditions: [{ type: 'Established', status: 'True' }] } };
      return stored;
    },
  };
  return { listed, cluster: cluster as unknown as Cluster };
}

describe('what is installed on a cluster', () => {
  it('[design 4] is there once every served version of a new definition is listed, not when it is established', async () => {
    const { listed, cluster } = aCluster();
    const clock = new ManualClock();
    let isDone = false;
    const installed = installMissing([DEFINITION], { cluster, clock, log: silentLog }).finally(() => {
      isDone = true;
    });
    await clock.advance(1_000);
    expect(isDone).toBe(false);
    listed.push('v1');
    await clock.advance(1_000);
    expect(isDone).toBe(false);
    listed.push('v2');
    await clock.advance(1_000);
    expect(await installed).toMatchObject({ created: ['CustomResourceDefinition gauges.example.com'], present: [] });
  });

  it('[design 4] says which kinds a cluster did not list in time', async () => {
    const { cluster } = aCluster();
    const clock = new ManualClock();
    const installed = installMissing([DEFINITION], { cluster, clock, log: silentLog });
    const refused = expect(installed).rejects.toThrow('the cluster did not list Gauge.v1.example.com, Gauge.v2.example.com within 30 s');
    await clock.advance(31_000);
    await refused;
  });
});
