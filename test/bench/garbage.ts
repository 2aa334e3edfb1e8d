import type { KubeObject } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import type { LiveState, TrackerEntry } from '@/server/dispatch';
import { planGarbage } from '@/server/dispatch';
import type { Figure } from './figure';
import { cpuTimed, median, repeated } from './measure';

const RUNS = 15;
const LARGE_RUNS = 5;
const SHIFT = 3; // each revision drops one object in three and adds as many

/** What planning a collection costs, and how that grows with the size of the trackers. */
export async function benchGarbage(): Promise<readonly Figure[]> {
  await planOf(10_000, 5); // what is compiled on the way is not what is measured
  const small = await planOf(1000, RUNS * 5);
  const middle = await planOf(10_000, RUNS);
  const large = await planOf(100_000, LARGE_RUNS);
  await lookingUp(10_000, 5);
  const perEntry = (ms: number, entries: number) => (ms * 1000) / entries;
  const growth = (smaller: number, larger: number) => larger / 100_000 / (smaller / 1000);
  return [
    {
      what: 'processor time of planning two trackers of 10 000 entries',
      value: middle,
      unit: 'ms',
      beside: { what: 'JSON.parse of their records', value: await parsingOf(10_000) },
      limit: { of: 'value', atMost: 50 },
    },
    {
      what: 'cost per entry, 100 000 entries',
      value: perEntry(large, 100_000),
      unit: 'us',
      beside: { what: '1000 entries', value: perEntry(small, 1000) },
    },
    // A hundred times the entries no longer fit the caches of the processor, and outlive the young generation; the plain Map shows by how much.
    {
      what: 'growth of the cost per entry, 1000 to 100 000 entries',
      value: growth(small, large),
      unit: 'x',
      beside: {
        what: 'of a Map filled and looked up in',
        value: growth(await lookingUp(1000, RUNS * 5), await lookingUp(100_000, LARGE_RUNS)),
      },
      limit: { of: 'ratio', atMost: 1.25 },
    },
  ];
}

async function planOf(size: number, runs: number): Promise<number> {
  const old = { name: 'shop-v1', uid: 'uid-v1', entries: entriesFrom(0, size) };
  const next = { name: 'shop-v2', uid: 'uid-v2', entries: entriesFrom(Math.floor(size / SHIFT), size) };
  const live = new Map(old.entries.map((entry): [string, LiveState] => [toObjectKey(entry), { kind: 'present', object: objectOf(entry) }]));
  const absent: LiveState = { kind: 'absent' };
  const context = { live: (entry: TrackerEntry) => live.get(toObjectKey(entry)) ?? absent };
  const times = await repeated(runs, () =>
    cpuTimed(() => {
      const { items } = planGarbage(old, next, context);
      const deleted = items.filter(({ verdict }) => verdict === 'deleted').length;
      if (deleted !== Math.floor(size / SHIFT)) throw new Error(`the plan deletes ${deleted} objects of ${size}`);
    }),
  );
  return median(times);
}

/** What a plan is measured beside: reading the records it starts from. */
async function parsingOf(size: number): Promise<number> {
  const texts = [entriesFrom(0, size), entriesFrom(Math.floor(size / SHIFT), size)].map((entries) => JSON.stringify(entries));
  return median(await repeated(RUNS, () => cpuTimed(() => texts.map((text): unknown => JSON.parse(text)))));
}

/** What any comparison of two trackers does at least: keep the objects of one by key, and look those of the other up. */
async function lookingUp(size: number, runs: number): Promise<number> {
  const [old, next] = [entriesFrom(0, size), entriesFrom(Math.floor(size / SHIFT), size)];
  const times = await repeated(runs, () =>
    cpuTimed(() => {
      const wanted = new Map(next.map((entry) => [toObjectKey(entry), entry]));
      const going = old.filter((entry) => !wanted.has(toObjectKey(entry)));
      if (going.length !== Math.floor(size / SHIFT)) throw new Error(`${going.length} objects of ${size} are in one only`);
    }),
  );
  return median(times);
}

function entriesFrom(first: number, count: number): readonly TrackerEntry[] {
  return Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: `settings-${first + at}`,
    namespace: 'shop',
    uid: `uid-${first + at}`,
    cluster: 'local',
    component: 'settings',
    deleted: false,
    skipGC: false,
  }));
}

function objectOf({ apiVersion, kind, name, namespace, uid }: TrackerEntry): KubeObject {
  const owner = {
    apiVersion: 'core.oam.dev/v1beta1',
    kind: 'ResourceTracker',
    name: 'shop-v1',
    uid: 'uid-v1',
    controller: true,
    blockOwnerDeletion: true,
  };
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}), ownerReferences: [owner] } };
}
