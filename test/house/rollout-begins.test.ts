import { expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import { toUserAnnotations } from '@/lib/kube/user-annotations';
import type { Cluster } from '@/server/kube';
import { aStorefront } from '../support/applications';
import type { House } from '../support/house';
import { startHouse } from '../support/house';

/** Requests that follow one another from a change of an application until the first new pod is asked for, that request among them. */
const MAX_IN_A_ROW = 13;
const ADA = { user: 'ada', groups: [] };

interface Asked {
  readonly what: string;
  /** One more than that of the last request that was answered before: those asked at once share it. */
  readonly place: number;
}

/** The same cluster, whose answers take a turn of the event loop, and where each request stands among those that follow one another. */
function placing(cluster: Cluster, asked: Asked[]): Cluster {
  let answered = 0;
  async function place<Answer>(what: string, send: () => Promise<Answer>): Promise<Answer> {
    const own = answered + 1;
    asked.push({ what, place: own });
    await new Promise((resolve) => setImmediate(resolve));
    return send().finally(() => {
      answered = Math.max(answered, own);
    });
  }
  const say = (kind: string, { subresource, dryRun }: { readonly subresource?: string; readonly dryRun?: boolean } = {}) =>
    `${kind}${subresource ? `/${subresource}` : ''}${dryRun ? ' (dry run)' : ''}`;
  return {
    ...cluster,
    get: (at, options) => place(`get ${at.kind} ${at.name}`, () => cluster.get(at, options)),
    async *list(of, options) {
      await place(`list ${of.kind}`, async () => undefined);
      yield* cluster.list(of, options);
    },
    create: (object, options) =>
      place(`create ${say(object.kind, options)} ${object.metadata.name ?? ''}`, () => cluster.create(object, options)),
    update: (object, options) =>
      place(`update ${say(object.kind, options)} ${object.metadata.name ?? ''}`, () => cluster.update(object, options)),
    patch: (at, patch, options) => place(`patch ${say(at.kind, options)} ${at.name}`, () => cluster.patch(at, patch, options)),
    delete: (at, options) => place(`delete ${at.kind} ${at.name}`, () => cluster.delete(at, options)),
  };
}

async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  return (
    readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload && getCondition(rollout, 'Ready')?.status === 'True'
  );
}

it('[issue 13] a named number of requests lies between a change and the first new pod', async () => {
  const asked: Asked[] = [];
  await using house = await startHouse({ through: (cluster) => placing(cluster, asked) });
  const group = 'rbac.authorization.k8s.io';
  const subjects = [{ apiGroup: group, kind: 'User', name: ADA.user }];
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' };
  await house.cluster.create({ apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata: { name: ADA.user }, roleRef, subjects });
  const shop = (version: number) => {
    const object = aStorefront({ image: `registry.example.com/web:${version}` });
    return house.apply({ ...object, metadata: { ...object.metadata, annotations: toUserAnnotations(REQUESTED_BY, ADA) } });
  };
  await shop(1);
  await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'));
  await house.advance(60_000);
  asked.length = 0;
  await shop(2);
  const isFirst = ({ what }: Asked) => what === 'patch Deployment/scale web-v2';
  await house.until('the first new pod is asked for', () => asked.some(isFirst));
  const way = asked.slice(0, asked.findIndex(isFirst) + 1);
  const inARow = (way.at(-1)?.place ?? Number.NaN) - (way[0]?.place ?? Number.NaN) + 1;
  expect(inARow, way.map(({ what, place }) => `${place}: ${what}`).join('\n')).toBeLessThanOrEqual(MAX_IN_A_ROW);
});
