import { expect, it } from 'vitest';
import { STAGE_DECISION_API_VERSION } from '@/lib/contract/stage-decision';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { peopleOf, RBAC, startPermissionHouse } from '../house/permission-start';
import { aStorefront } from '../support/applications';
import { defineEngineKinds } from './define-engine-kinds';

defineEngineKinds('embedded');

// Notes list one person per line: such a name would be read as those of two others, and whoever bears it would decide about what they asked for themselves.
it('[issue 10, 2] a user name of two lines changes no application and no rollout, and decides nothing', async () => {
  await using house = await startPermissionHouse('embedded');
  const { ann, root } = peopleOf(house);
  const two = { user: `${root.user}\nmallory`, groups: [] };
  const [roleRef, subjects] = [{ apiGroup: RBAC.split('/')[0], kind: 'Role', name: 'author' }, [{ kind: 'User', name: two.user }]];
  const binding = { apiVersion: RBAC, kind: 'RoleBinding', metadata: { name: 'mallory', namespace: house.ns }, roleRef, subjects };
  await house.cluster.create(binding as KubeObject);
  const metadata = (name: string) => ({ name, namespace: house.ns });
  const application = { ...aStorefront({ gates: 'every-stage' }), metadata: metadata('web') };
  const rollout = { ...KINDS.rolloutOrchestrator, metadata: metadata('lone'), spec: { control: { gates: 'every-stage' } } };
  const decisionOf = (user: string) => ({
    apiVersion: STAGE_DECISION_API_VERSION,
    kind: 'StageDecision',
    metadata: metadata('first'),
    spec: { rolloutRef: { name: 'lone', uid: 'any' }, verb: 'pause', actor: { user } },
  });
  const as = house.cluster.as(two);
  await expect(as.create(application)).rejects.toThrow('the user name of whoever changes the spec must not contain a line break');
  await expect(as.create(rollout)).rejects.toThrow('the user name of whoever changes the rollout must not contain a line break');
  for (const cluster of [as, house.cluster])
    await expect(cluster.create(decisionOf(two.user))).rejects.toThrow('spec.actor.user must not contain a line break');
  for (const one of [application, rollout, decisionOf(ann.user)]) await house.cluster.as(ann).create(one, { dryRun: true });
});
