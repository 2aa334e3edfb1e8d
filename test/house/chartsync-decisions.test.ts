import { describe, expect, it } from 'vitest';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { unlistedFields } from '../support/unlisted-fields';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const ADA = { user: 'ada', groups: ['system:masters'] };

/** Decides about the release `ledger` as a person, and tells what became of it. */
async function decide(
  house: ChartHouse,
  verb: ReleaseVerb,
  more: object = {},
): Promise<{ phase: string | undefined; message: string | undefined }> {
  const uid = (await house.get(KINDS.fluxHelmRelease, 'ledger'))?.metadata.uid;
  const releaseRef = { kind: 'FluxHelmRelease', name: 'ledger', uid };
  const spec = { releaseRef, verb, actor: ADA, ...(verb === 'hold' || verb === 'rollback' ? { reason: 'look first' } : {}), ...more };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: 'ledger-', namespace: 'pay' },
    spec,
  });
  const read = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
  const isDone = (status: unknown) => {
    const phase = readString(status, 'phase') ?? 'Pending';
    return phase !== 'Pending' && (verb !== 'rollback' || phase !== 'Accepted' || readString(status, 'finishedAt') !== undefined);
  };
  await until(`${verb} is answered`, async () => isDone(await read()));
  const status = await read();
  const definition = (await readDeployed('deploy/crds')).find((one) => one.metadata.name?.startsWith('releasedecisions.'));
  const decision = await house.get(KINDS.releaseDecision, metadata.name ?? '');
  expect(definition && decision && unlistedFields(definition, decision)).toEqual([]);
  return { phase: readString(status, 'phase'), message: readString(status, 'message') };
}

const replicas = async (house: ChartHouse) => readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas');

describe('what people decide about releases', () => {
  it('[issue 12.1] holds a release where it went back to, against commits, the schedule and its spec, until somebody lifts that', async () => {
    const repository = new ChartRepository();
    const first = repository.commitChart('ledger', aChart(), 'the first chart');
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', async () => (await replicas(house)) === 2);
    repository.commitChart('ledger', { 'values.yaml': 'replicas: 8\n' }, 'the second chart');
    await until('it is upgraded', () => house.tell('ledger')?.lastAct?.storedRevision === 2);

    expect(await decide(house, 'rollback', { revision: 1, seen: { stored: 1 } })).toEqual({
      phase: 'Rejected',
      message: 'the newest revision is now 2, it was 1 when this was decided; review it again',
    });
    expect(await decide(house, 'rollback', { revision: 1, seen: { stored: 2 } })).toEqual({
      phase: 'Accepted',
      message: 'Helm rolled back to revision 1; the release is held until the hold is lifted',
    });
    expect(await replicas(house)).toBe(2);
    await until('the page says who holds it', () => house.tell('ledger')?.state === 'held');
    await until('the page says what was done', () => house.tell('ledger')?.lastAct?.by === 'decision');
    expect(house.tell('ledger')?.hold).toMatchObject({ by: 'ada', verb: 'rollback', revision: 1, reason: 'look first' });
    expect(house.tell('ledger')?.lastAct).toMatchObject({ by: 'decision', outcome: 'rolled-back', storedRevision: 3, revision: first });
    const isTold = { revision: first, commit: { commit: first, subject: 'the first chart' } };
    expect(house.tell('ledger')).toMatchObject(isTold);

    // A commit, a change of the spec and the schedule: none of them moves it.
    repository.commitChart('ledger', { 'values.yaml': 'replicas: 9\n' });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 4 } });
    await until('the commit was passed over', async () => (await house.looks('commit', 'held')) > 0);
    await until('the resource was passed over', async () => (await house.looks('resource', 'held')) > 0);
    const before = await house.looks('schedule', 'held');
    await until('the schedule passed it over twice', async () => (await house.looks('schedule', 'held')) >= before + 2);
    expect(await replicas(house)).toBe(2);
    expect(house.tell('ledger')).toMatchObject({ state: 'held', ...isTold });
    expect(await decide(house, 'sync')).toMatchObject({ phase: 'Rejected', message: 'ada holds the release; lift the hold first' });

    const hold = house.tell('ledger')?.hold?.decision;
    expect(await decide(house, 'lift', { seen: { hold: 'another' } })).toMatchObject({ phase: 'Rejected' });
    expect(await decide(house, 'lift', { seen: { hold } })).toMatchObject({ phase: 'Accepted' });
    await until('what waited is released', async () => (await replicas(house)) === 4);
    const answers = () => {
      const decisions = house.recorded.filter(({ action }) => action.startsWith('decision.'));
      return decisions.map(({ action, actor, message }) => `${actor} ${action} ${message.split(':')[0]}`);
    };
    await until('every decision is on record', () => answers().length === 5);
    expect(answers().sort()).toEqual([
      'ada decision.lift Accepted',
      'ada decision.lift Rejected',
      'ada decision.rollback Accepted',
      'ada decision.rollback Rejected',
      'ada decision.sync Rejected',
    ]);
  });

  it('[issue 12.1] looks at once when somebody asks, holds and lets go, and never keeps a deletion from uninstalling', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { intervalMs: 3_600_000, pollMs: 3_600_000 });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
    // Nobody polls and no schedule runs for an hour: only the decision fetches.
    const commit = repository.commitChart('ledger', { 'values.yaml': 'replicas: 7\n' });
    expect(await decide(house, 'sync')).toMatchObject({ phase: 'Accepted' });
    await until('the commit is released', () => house.tell('ledger')?.lastAct?.revision === commit);

    expect(await decide(house, 'hold')).toEqual({ phase: 'Accepted', message: 'the release is held' });
    expect(await decide(house, 'hold')).toMatchObject({ phase: 'Rejected', message: 'ada holds the release; lift the hold first' });
    expect(await decide(house, 'sync', { expiresAt: '2020-01-01T00:00:00Z' })).toMatchObject({ phase: 'Expired' });
    await house.cluster.delete({ ...KINDS.fluxHelmRelease, namespace: 'pay', name: 'ledger' });
    await until('it is uninstalled', async () => (await house.get(KINDS.deployment, 'pay-ledger')) === undefined);
  });

  it('[issue 12.1] goes back only where the person may write what that writes', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository);
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', async () => (await replicas(house)) === 2);
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3 } });
    await until('it is upgraded', () => house.tell('ledger')?.lastAct?.storedRevision === 2);
    const nobody = { actor: { user: 'eve', groups: [] } };
    expect(await decide(house, 'rollback', { revision: 1, seen: { stored: 2 }, ...nobody })).toEqual({
      phase: 'Rejected',
      message: expect.stringMatching(
        /^eve may not do this: the rollback requires the right "update" on deployments.apps in namespace pay$/,
      ) as string,
    });
    expect(await replicas(house)).toBe(3);
    expect(house.tell('ledger')?.hold).toBeNull();
  });

  it('[issue 12.1] goes back only where the person may make and delete what its hooks make', async () => {
    const repository = new ChartRepository();
    const hook = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ledger-hook, annotations: { "helm.sh/hook": pre-rollback } }\n`;
    repository.commitChart('ledger', aChart({ 'templates/hook.yaml': hook }));
    await using house = await openChartHouse(repository);
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', async () => (await replicas(house)) === 2);
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3 } });
    await until('it is upgraded', () => house.tell('ledger')?.lastAct?.storedRevision === 2);
    const metadata = { namespace: 'pay', name: 'deployers' };
    const RBAC = 'rbac.authorization.k8s.io/v1';
    const grant = async (name: string, resource: string, apiGroup: string, verbs: readonly string[]) => {
      await house.cluster.create({
        apiVersion: RBAC,
        kind: 'Role',
        metadata: { ...metadata, name },
        rules: [{ apiGroups: [apiGroup], resources: [resource], verbs }],
      });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
      await house.cluster.create({
        apiVersion: RBAC,
        kind: 'RoleBinding',
        metadata: { ...metadata, name },
        roleRef,
        subjects: [{ kind: 'User', apiGroup: roleRef.apiGroup, name: 'eve' }],
      });
    };
    await grant('deployers', 'deployments', 'apps', ['update']);
    await grant('makers', 'configmaps', '', ['create']);
    const eve = { revision: 1, seen: { stored: 2 }, actor: { user: 'eve', groups: [] } };
    expect(await decide(house, 'rollback', eve)).toMatchObject({
      phase: 'Rejected',
      message: expect.stringMatching(/requires the right "delete" on configmaps in namespace pay$/) as string,
    });
    await grant('cleaners', 'configmaps', '', ['delete']);
    await until('the right is seen', async () => (await decide(house, 'rollback', eve)).phase === 'Accepted');
    expect(await replicas(house)).toBe(2);
  });
});
