import { describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { readManifests } from '@/server/installation';
import { aStorefront } from '../support/applications';
import { startHouse } from '../support/house';

/** How long rights are kept that were asked for, and longer. */
const KEPT_MS = 60_000;
const UNWATCHED = ['apps', 'autoscaling'];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly verbs: readonly string[];
}

/** A role, or anything else, without the right to watch workloads, pods and autoscalers. */
function unwatched(object: KubeObject): KubeObject {
  const { rules } = object as { readonly rules?: readonly Rule[] };
  if (rules === undefined) return object;
  const isLeft = ({ apiGroups }: Rule) => !apiGroups.some((group) => group === '' || UNWATCHED.includes(group));
  return {
    ...object,
    rules: rules.map((rule) => (isLeft(rule) ? rule : { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'watch') })),
  };
}

describe('a server that may list and not watch what it rolls out', () => {
  it('[issue 9.1] goes by polls: it waits for no grant, and brings an application and its rollout from one revision to the next', async () => {
    const roles = (await readManifests('deploy/rbac')).filter(({ kind }) => kind === 'ClusterRole');
    await using house = await startHouse({ asServer: true, before: roles.map(unwatched) });
    for (const object of grantObjects(house.ns)) await house.cluster.create(unwatched(object));
    const runs = async () => readString(await house.get(KINDS.application, 'web'), 'status', 'status') === 'running';
    await house.apply(aStorefront({ image: 'registry.example.com/web:1' }));
    await house.until('the first revision runs', async () => (await house.ready('web-v1')) === 4 && (await runs()), 2 * KEPT_MS);
    expect(house.polled().map(({ kind, verb }) => `${verb} ${kind}`)).toEqual(
      expect.arrayContaining(['watch Deployment', 'watch Pod', 'watch HorizontalPodAutoscaler']),
    );
    await house.advance(KEPT_MS);
    await house.apply(aStorefront({ image: 'registry.example.com/web:2' }));
    await house.until(
      'the second revision took over',
      async () => (await house.ready('web-v2')) === 4 && (await house.ready('web-v1')) === 0,
      10 * KEPT_MS,
    );
    expect(house.findings()).toEqual([]);
  });
});
