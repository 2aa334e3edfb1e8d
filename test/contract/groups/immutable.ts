import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import type { Cluster } from '@/server/kube';
import { getApiStatus } from '@/server/kube';
import { CONFIG_MAP, POD, SERVICE } from '../objects';
import type { ContractCase } from '../scene';

const STATEFUL_SET = { apiVersion: 'apps/v1', kind: 'StatefulSet' } as const;
const JOB = { apiVersion: 'batch/v1', kind: 'Job' } as const;
const CLAIM = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' } as const;
const VOLUME = { apiVersion: 'v1', kind: 'PersistentVolume' } as const;

const template = (labels: object, image: string, more: object = {}) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image }], ...more },
});
const claimSpec = (storage: string, more: object = {}) => ({
  storageClassName: 'none',
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage } },
  ...more,
});

/** Code, reason and the words of each field. The values that are quoted before them, and differences line by line after them, are nobody's promise. */
async function refusal(outcome: Promise<unknown>): Promise<unknown> {
  try {
    await outcome;
    return 'taken';
  } catch (error) {
    const status = getApiStatus(error);
    if (status === undefined) throw error;
    const words = (message = '') => message.replace(/^Invalid value: [\s\S]*: /, 'Invalid value: … ').split('\n', 1)[0];
    const causes = status.details?.causes?.map(({ field, reason, message }) => ({ field, reason, message: words(message) }));
    return { code: status.code, reason: status.reason, ...(causes === undefined ? { message: words(status.message) } : { causes }) };
  }
}

const change = (cluster: Cluster, object: KubeObject, body: object) =>
  refusal(cluster.patch(toAddress(object), { type: 'merge', body }, { dryRun: true }));

/** What is written once and never changed, and why the server says that it is not. */
export const immutable: readonly ContractCase[] = [
  {
    title: '[cluster W5] an address, a data set and a class stay as they were written',
    async play({ cluster, ns, note }) {
      const meta = { namespace: ns, name: 'a' };
      const service = await cluster.create({ ...SERVICE, metadata: meta, spec: { ports: [{ port: 80 }] } });
      await note('another address', change(cluster, service, { spec: { clusterIP: '10.96.200.200', clusterIPs: ['10.96.200.200'] } }));
      await note('another address alone', change(cluster, service, { spec: { clusterIP: '10.96.200.200' } }));
      await note('no address', change(cluster, service, { spec: { clusterIP: 'None', clusterIPs: ['None'] } }));
      await note('another type', change(cluster, service, { spec: { type: 'NodePort' } }));
      const settings = await cluster.create({ ...CONFIG_MAP, metadata: meta, data: { x: '1' }, immutable: true });
      await note('other data', change(cluster, settings, { data: { x: '2' } }));
    },
  },
  {
    title: '[cluster W5] what makes the pods of a StatefulSet its own stays as it was written',
    async play({ cluster, ns, note }) {
      const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: claimSpec('1Gi') }];
      const spec = {
        replicas: 0,
        serviceName: 'a',
        selector: { matchLabels: { app: 's' } },
        template: template({ app: 's' }, 'web:1'),
        volumeClaimTemplates,
      };
      const set = await cluster.create({ ...STATEFUL_SET, metadata: { namespace: ns, name: 'a' }, spec });
      await note('another service', change(cluster, set, { spec: { serviceName: 'b' } }));
      await note(
        'larger claims',
        change(cluster, set, { spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec('2Gi') }] } }),
      );
      await note('another policy', change(cluster, set, { spec: { podManagementPolicy: 'Parallel' } }));
      await note(
        'another selector',
        change(cluster, set, { spec: { selector: { matchLabels: { app: 't' } }, template: { metadata: { labels: { app: 't' } } } } }),
      );
      await note('another template', change(cluster, set, { spec: { template: template({ app: 's' }, 'web:2') } }));
      await note(
        'what becomes of claims',
        change(cluster, set, { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } }),
      );
    },
  },
  {
    title: '[cluster W5] the work of a Job stays as it was written',
    async play({ cluster, ns, note }) {
      const spec = { suspend: true, completions: 2, template: template({}, 'web:1', { restartPolicy: 'Never' }) };
      const job = await cluster.create({ ...JOB, metadata: { namespace: ns, name: 'a' }, spec });
      await cluster.patch(toAddress(job), { type: 'merge', body: { spec: { suspend: false } } });
      await note(
        'another image',
        change(cluster, job, { spec: { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } } }),
      );
      await note('more completions', change(cluster, job, { spec: { completions: 3 } }));
      await note('more at once', change(cluster, job, { spec: { parallelism: 2 } }));
      await note('more tries', change(cluster, job, { spec: { backoffLimit: 1 } }));
    },
  },
  {
    title: '[cluster W5] a claim stays as it was written, and is held until no pod on a node uses it',
    async play({ cluster, ns, id, note, until }) {
      const claim = await cluster.create({
        ...CLAIM,
        metadata: { namespace: ns, name: 'a' },
        spec: claimSpec('2Gi', { storageClassName: `c-${id}` }),
      });
      await note('who holds it', claim.metadata.finalizers);
      await note('smaller', change(cluster, claim, { spec: { resources: { requests: { storage: '1Gi' } } } }));
      await note('larger', change(cluster, claim, { spec: { resources: { requests: { storage: '3Gi' } } } }));
      await note('of another class', change(cluster, claim, { spec: { storageClassName: 'other' } }));
      const source = { hostPath: { path: `/tmp/${id}` }, capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'] };
      const volume = {
        ...VOLUME,
        metadata: { name: `v-${id}` },
        spec: { ...source, storageClassName: `c-${id}`, persistentVolumeReclaimPolicy: 'Retain' },
      };
      await cluster.create(volume);
      try {
        await until('it is bound', async () => readString(await cluster.get(toAddress(claim)), 'status', 'phase') === 'Bound');
        await note('smaller, bound', change(cluster, claim, { spec: { resources: { requests: { storage: '1Gi' } } } }));
        await note('larger, bound', change(cluster, claim, { spec: { resources: { requests: { storage: '3Gi' } } } }));
        await note('of another class, bound', change(cluster, claim, { spec: { storageClassName: 'other' } }));
        await note('labelled, bound', change(cluster, claim, { metadata: { labels: { x: 'y' } } }));
        const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }];
        const pod = (name: string, schedulerName: string): KubeObject => ({
          ...POD,
          metadata: { namespace: ns, name },
          spec: { automountServiceAccountToken: false, schedulerName, containers: [{ name: 'main', image: 'web:1' }], volumes },
        });
        await cluster.create(pod('unplaced', 'nobody'));
        const placed = await cluster.create(pod('placed', 'default-scheduler'));
        await until('it is on a node', async () => readString(await cluster.get(toAddress(placed)), 'spec', 'nodeName') !== undefined);
        await cluster.delete(toAddress(claim));
        await note('held', (await cluster.get(toAddress(claim))).metadata.finalizers);
        await note('of another class, held', change(cluster, claim, { spec: { storageClassName: 'other' } }));
        await cluster.delete(toAddress(placed), { gracePeriodSeconds: 0 });
        await until('it goes', () =>
          cluster.get(toAddress(claim)).then(
            () => false,
            () => true,
          ),
        );
        await note('gone', refusal(cluster.get(toAddress(claim))));
      } finally {
        await cluster.delete({ ...VOLUME, name: `v-${id}` });
      }
    },
  },
];
