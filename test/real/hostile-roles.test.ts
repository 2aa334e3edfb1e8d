import { execFile } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { STAGE_DECISION_API_VERSION } from '@/lib/contract/stage-decision';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { defineHostileRoles, guardDecisions } from '../attacks/define-hostile-roles';
import { peopleOf, RBAC, startPermissionHouse } from '../house/permission-start';

defineHostileRoles('real');

const KUBECTL = path.join(process.env.KUBEBUILDER_ASSETS ?? '', 'kubectl');

/** What kubectl says with a token and nothing else, so that nobody but its account impersonates. */
function runKubectl(token: string, args: readonly string[], input: object): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(KUBECTL, ['--token', token, ...args, '-f', '-'], (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
    child.stdin?.end(JSON.stringify(input));
  });
}

const bound = (kind: string, metadata: object, role: string, subject: object) =>
  ({
    apiVersion: RBAC,
    kind,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [subject],
  }) as KubeObject;

it('[issue 10, 2] an impersonator decides as whom they may impersonate, and as nobody else', async () => {
  await using house = await startPermissionHouse('real');
  await using _guard = await guardDecisions(house, 'real');
  const { ns, cluster } = house;
  const { ann, root } = peopleOf(house);
  const role = `impersonator-${ns}`;
  const rules = [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: [ann.user] }];
  await cluster.create({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: role }, rules } as KubeObject);
  await cluster.create(bound('ClusterRoleBinding', { name: role }, role, { kind: 'ServiceAccount', name: 'imp', namespace: ns }));
  await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'imp', namespace: ns } });
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { namespace: ns, name: 'imp' }, spec: {} };
  const answer = await cluster.create(asked, { subresource: 'token', parent: { apiVersion: 'v1', kind: 'ServiceAccount' } });
  const token = readString(answer, 'status', 'token') ?? '';
  const decisionOf = (user: string) => ({
    apiVersion: STAGE_DECISION_API_VERSION,
    kind: 'StageDecision',
    metadata: { generateName: 'hostile-', namespace: ns },
    spec: { rolloutRef: { name: 'web', uid: 'any' }, verb: 'pause', actor: { user } },
  });
  const decide = (user: string, ...as: readonly string[]) =>
    runKubectl(token, ['create', '--validate=false', '--dry-run=server', ...as], decisionOf(user));
  await house.until('it may act as Ann, and decisions are guarded', async () => {
    const [own, other] = [await decide(ann.user, '--as', ann.user), await decide(root.user, '--as', ann.user)];
    return own.includes('created (server dry run)') && other.includes(`spec.actor.user must be ${ann.user}`);
  });
  expect(await decide(root.user, '--as', root.user)).toContain('cannot impersonate resource "users"');
  for (const group of ['slipway:servers', 'system:masters'])
    expect(await decide(root.user, '--as', ann.user, '--as-group', group)).toContain('cannot impersonate resource "groups"');
  const collector = 'system:serviceaccount:kube-system:generic-garbage-collector';
  expect(await decide(root.user, '--as', collector)).toContain('cannot impersonate resource "serviceaccounts"');
  expect(await decide(ann.user)).toContain('cannot create resource "stagedecisions"');
});
