import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { startHouse } from '../support/house';
import type { Strike } from '../support/struck-line';
import { StruckLine } from '../support/struck-line';

const LIMIT_MS = 30 * 60_000;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const MADE: readonly TypeRef[] = [KINDS.applicationRevision, KINDS.rolloutOrchestrator, KINDS.stagePodAutoscaler, KINDS.deployment, KINDS.service, CONFIG_MAP];

/** What a change of an application comes to, in whatever way its engines were disturbed. */
export interface Ending {
  /** Each object that is there, by name, with what it says; identities, times and marks of the record aside. */
  readonly objects: Readonly<Record<string, string>>;
  readonly trackers: readonly string[];
  /** What engines made more than once, and what they deleted. */
  readonly madeTwice: readonly string[];
  readonly deleted: readonly string[];
}

/** What one upgrade comes to, and how many calls it took; with a strike, struck at one of them. */
export async function upgrade(strike?: {
  readonly at: number;
  readonly how: Strike;
}): Promise<Ending & { readonly calls: number; readonly wasStruck: boolean }> {
  let line: StruckLine | undefined;
  await using house = await startHouse({
    through: (cluster) => {
      line = new StruckLine(cluster);
      return line.cluster;
    },
  });
  if (line === undefined) throw new Error('nothing reaches the cluster of the house');
  const { calls, isAlive } = { calls: line.calls, isAlive: aliveBy(line, house) };
  await house.apply(aStorefront({ replicas: 2, configMaps: ['old', 'kept'], content: 'one' }));
  await house.until('the first revision is at rest', async () => (await isAlive()) && isAtRest(house, 'web-v1'), LIMIT_MS);
  const before = calls.length;
  if (strike !== undefined) line.strikeAt(strike.at, strike.how);
  const image = 'registry.example.com/web:2';
  await house.apply(aStorefront({ replicas: 2, image, configMaps: ['kept', 'new'], content: 'two' }));
  await house.until('the second revision is at rest', async () => (await isAlive()) && (await isDone(house)), LIMIT_MS);
  await house.advance(60_000);
  await house.until('nobody is dead', isAlive, LIMIT_MS);
  const during = calls.slice(before).filter(({ isWrite, succeeded }) => isWrite && succeeded);
  return {
    ...(await endingOf(
      house,
      during.map(({ what }) => what),
    )),
    calls: calls.length - before,
    wasStruck: line.wasStruck,
  };
}

/** Answers true; one that died is followed by another process first. */
function aliveBy(line: StruckLine, house: House): () => Promise<boolean> {
  return async () => {
    if (!line.isDead) return true;
    line.revive();
    await house.restart();
    return true;
  };
}

async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  return (
    readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload &&
    getCondition(rollout, 'Ready')?.status === 'True' &&
    readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation
  );
}

async function isDone(house: House): Promise<boolean> {
  return (await isAtRest(house, 'web-v2')) && (await house.get(KINDS.resourceTracker, `web-v1-${house.ns}`)) === undefined;
}

async function endingOf(house: House, writes: readonly string[]): Promise<Ending> {
  const found = (await Promise.all(MADE.map((type) => house.list(type)))).flat();
  const trackers: string[] = [];
  for (const number of [1, 2]) if ((await house.get(KINDS.resourceTracker, `web-v${number}-${house.ns}`)) !== undefined) trackers.push(`web-v${number}`);
  const made = writes.filter((what) => what.startsWith('create ') && !ASKED.test(what));
  return {
    objects: Object.fromEntries(found.map((object) => [`${object.kind} ${object.metadata.name}`, contentOf(object)])),
    trackers,
    madeTwice: made.filter((what, at) => made.indexOf(what) !== at),
    deleted: writes.filter((what) => what.startsWith('delete ')).sort(),
  };
}

/** Questions about rights, which leave nothing behind, and Events, which have no name before they are made. */
const ASKED = /^create (?:\w+Review|Event) /;
const IDENTITIES = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function contentOf({ metadata, spec, data }: KubeObject): string {
  return JSON.stringify({ labels: metadata.labels, owners: metadata.ownerReferences?.map(({ kind, name }) => `${kind}/${name}`), spec, data }).replace(
    IDENTITIES,
    '…',
  );
}
