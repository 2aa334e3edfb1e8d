import { describe, expect, it } from 'vitest';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import { openChartHouse } from './chartsync-house';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
const NEVER_MS = 3_600_000;
/** Helm waits for it, and nobody lets it go. */
const HOOK = `{{- if .Values.stuck }}
apiVersion: batch/v1
kind: Job
metadata: { name: ledger-hook, annotations: { "helm.sh/hook": "pre-upgrade" } }
spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [ { name: a, image: "registry.example.com/a:1" } ] } } }
{{- end }}
`;

describe('a server that loses its lease', () => {
  it('[issue 12.3] in an upgrade has Helm end at once, touches nothing while it is away, and takes up what changed when the lease is back', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart({ 'templates/hook.yaml': HOOK }));
    let hasLease = true;
    await using house = await openChartHouse(repository, { intervalMs: NEVER_MS }, { mayAct: () => hasLease });
    const spec = (values: object) => ({ chart: { git: repository.url, ref: 'main', path: 'charts/ledger' }, values });
    const stateOf = async (revision: number) =>
      (await house.get(SECRET, `sh.helm.release.v1.pay-ledger.v${revision}`))?.metadata.labels?.status;
    await house.declare('ledger', spec({ replicas: 2 }), KINDS.helmRelease);
    await until('it is installed', async () => readString((await house.get(KINDS.helmRelease, 'ledger'))?.status, 'phase') === 'Succeeded');
    await house.declare('ledger', spec({ replicas: 3, stuck: true }), KINDS.helmRelease);
    await until(
      'Helm waits for its hook',
      async () => (await house.get({ apiVersion: 'batch/v1', kind: 'Job' }, 'ledger-hook')) !== undefined,
    );

    hasLease = false;
    await until('Helm says that it was ended', async () => (await stateOf(2)) === 'failed');
    expect(readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas')).toBe(2);
    expect(house.tell('ledger', KINDS.helmRelease)?.nextCheckAt).toBeNull();
    await house.declare('ledger', spec({ replicas: 4 }), KINDS.helmRelease);

    hasLease = true;
    await until('it takes up what changed', async () => (await stateOf(3)) === 'deployed');
    expect(readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas')).toBe(4);
    expect(await stateOf(4)).toBeUndefined();
    expect(house.recorded.filter(({ action }) => action === 'release.failed')).toEqual([]);
  });

  it('[R-1A-3, issue 12.3] in an upgrade of the base kind leaves it failed, and the next one says what helps: a commit of its chart', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart({ 'templates/hook.yaml': HOOK }));
    let hasLease = true;
    await using house = await openChartHouse(repository, { intervalMs: 1000 }, { mayAct: () => hasLease });
    const stateOf = async (revision: number) =>
      (await house.get(SECRET, `sh.helm.release.v1.pay-ledger.v${revision}`))?.metadata.labels?.status;
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', async () => (await stateOf(1)) === 'deployed');
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3, stuck: true } });
    await until('Helm is at work', async () => (await house.get({ apiVersion: 'batch/v1', kind: 'Job' }, 'ledger-hook')) !== undefined);
    hasLease = false;
    await until('Helm says that it was ended', async () => (await stateOf(2)) === 'failed');
    hasLease = true;
    const BLOCKED =
      /^Helm's newest revision 2 is failed, and Helm does not install over it; the next commit of its chart upgrades the release, or a rollback takes it back: .*name that is still in use/;
    await until('it says what helps', () => BLOCKED.test(house.tell('ledger')?.reconciles[0]?.error ?? ''));
    expect(house.tell('ledger')?.says).toMatchObject({ id: 'state.failed', why: expect.stringMatching(BLOCKED) as string });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3 } });
    repository.commitChart('ledger', { 'values.yaml': 'replicas: 1\nnext: true\n' });
    await until('the next commit upgrades it', async () => (await stateOf(3)) === 'deployed');
    expect(readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas')).toBe(3);
  });
});
