import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { aStorefront } from '../applications';
import { until } from '../until';
import type { AuditedWrite } from './audit';
import { contentOf } from './content-of';

/** Far longer than anything takes: controllers of a real cluster come back up to a minute after the API server was away. */
const LIMIT_MS = 300_000;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const MADE: readonly TypeRef[] = [
  KINDS.applicationRevision,
  KINDS.rolloutOrchestrator,
  KINDS.stagePodAutoscaler,
  KINDS.deployment,
  KINDS.service,
  CONFIG_MAP,
];
const WHO = { fieldManager: 'faults' } as const;
/** No stage is overdue in that time, however long it is held up: what an overdue one does is another way to the same end. */
const STAGED = { annotations: { 'sim.slipway.dev/start': '2s' }, stageTimeoutMinutes: 60 };

/** What an upgrade of an application comes to on a real plane, in whatever way it was disturbed. */
export interface PlaneEnding {
  /** Each object that is there, by name, with what it says; identities, times, addresses and the namespace aside. */
  readonly objects: Readonly<Record<string, string>>;
  readonly trackers: readonly string[];
  /** What engines made more than once, and what they deleted, as the API server answered it. */
  readonly madeTwice: readonly string[];
  readonly deleted: readonly string[];
  /** What is on record, each act as often as it stands there. */
  readonly recorded: readonly string[];
}

interface Ground {
  readonly cluster: RemoteCluster;
  /** A namespace that nothing is in. */
  readonly ns: string;
  /** Every write that the API server answered so far. */
  readonly written: () => Promise<readonly AuditedWrite[]>;
  /** What is on record of the namespace: acts, kinds and names. */
  readonly recorded: () => Promise<readonly string[]>;
}

/** Upgrades an application in two stages, calls back in the middle of it, and answers what it comes to. */
export async function upgradeOn({ cluster, ns, written, recorded }: Ground, inTheMiddle: () => Promise<void>): Promise<PlaneEnding> {
  const at = (type: TypeRef, name: string) => ({ ...type, namespace: ns, name });
  const find = (type: TypeRef, name: string) =>
    cluster.get(at(type, name)).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const isAtRest = async (workload: string) => {
    const rollout = await find(KINDS.rolloutOrchestrator, 'web');
    return (
      readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload &&
      getCondition(rollout, 'Ready')?.status === 'True' &&
      readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation
    );
  };
  const tracker = async (number: number) => (await find(KINDS.resourceTracker, `web-v${number}-${ns}`)) !== undefined;

  await cluster.create({ ...KINDS.namespace, metadata: { name: ns } }, WHO);
  const first = aStorefront({ ...STAGED, configMaps: ['old', 'kept'], content: 'one' });
  await cluster.create({ ...first, metadata: { ...first.metadata, namespace: ns } }, WHO);
  await until('the first revision is at rest', () => isAtRest('web-v1'), LIMIT_MS);
  const { spec } = aStorefront({ ...STAGED, image: 'registry.example.com/web:2', configMaps: ['kept', 'new'], content: 'two' });
  await cluster.patch(at(KINDS.application, 'web'), { type: 'merge', body: { spec } }, WHO);
  await until(
    'the second revision has its first pods',
    async () => (readNumber(await find(KINDS.deployment, 'web-v2'), 'status', 'readyReplicas') ?? 0) > 0,
    LIMIT_MS,
  );
  await inTheMiddle();
  await until('the second revision is at rest', () => isAtRest('web-v2'), LIMIT_MS);
  await until(
    'the first revision is collected',
    async () => !(await tracker(1)) && (await find(KINDS.deployment, 'web-v1')) === undefined,
    LIMIT_MS,
  );
  await until('the upgrade is on record', async () => (await recorded()).some((one) => one.startsWith('rollout.completed')), LIMIT_MS);

  const found: KubeObject[] = [];
  for (const type of MADE) for await (const { items } of cluster.list({ ...type, namespace: ns })) found.push(...items);
  const own = found.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
  const writes = (await written()).filter((one) => one.engine !== undefined && (one.namespace === ns || one.name.endsWith(`-${ns}`)));
  const made = writes
    .filter(({ code, resource }) => code === 201 && resource !== 'events')
    .map(({ resource, name }) => `${resource} ${name}`);
  const masked = (text: string) => text.replaceAll(ns, 'ns').replace(/10\.\d+\.\d+\.\d+/g, '…');
  return {
    objects: Object.fromEntries(own.map((object) => [`${object.kind} ${object.metadata.name}`, masked(contentOf(object))])),
    trackers: [...((await tracker(1)) ? ['web-v1'] : []), ...((await tracker(2)) ? ['web-v2'] : [])],
    madeTwice: made
      .filter((what, index) => made.indexOf(what) !== index)
      .map(masked)
      .sort(),
    deleted: writes
      .flatMap(({ verb, code, resource, name }) => (verb === 'delete' && code === 200 ? [masked(`${resource} ${name}`)] : []))
      .sort(),
    recorded: (await recorded()).map(masked).sort(),
  };
}
