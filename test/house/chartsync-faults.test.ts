import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { accountIdentities } from '@/server/chartsync';
import { KubeTransportError } from '@/server/kube/errors';
import { realClock } from '@/server/platform';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
const JOB = { apiVersion: 'batch/v1', kind: 'Job' } as const;
const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const NEVER_MS = 3_600_000;
/** Helm waits for it until somebody lets it go. */
const HOOK = `{{- if .Values.stuck }}
apiVersion: batch/v1
kind: Job
metadata: { name: ledger-hook, annotations: { "helm.sh/hook": "pre-upgrade" } }
spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [ { name: a, image: "registry.example.com/a:1" } ] } } }
{{- end }}
`;

const later = (repository: ChartRepository, more: object = {}) => ({
  chart: { git: repository.url, ref: 'main', path: 'charts/ledger' },
  ...more,
});
const replicas = async (house: ChartHouse, name = 'pay-ledger') => readNumber(await house.get(KINDS.deployment, name), 'spec', 'replicas');
const stateOf = async (house: ChartHouse, revision: number) =>
  (await house.get(SECRET, `sh.helm.release.v1.pay-ledger.v${revision}`))?.metadata.labels?.status;
const letHookEnd = (house: ChartHouse) =>
  house.cluster.patch({ ...JOB, namespace: 'pay', name: 'ledger-hook' }, { type: 'merge', body: { spec: { suspend: false } } });

/** A kind that nobody is told of for a while. */
class Outage {
  readonly #kind: string;
  #over = new AbortController();
  #isOut = false;

  constructor(kind: string) {
    this.#kind = kind;
  }

  begin(): void {
    this.#isOut = true;
    this.#over.abort();
  }

  end(): void {
    this.#isOut = false;
    this.#over = new AbortController();
  }

  over(cluster: ChartHouse['cluster']): ChartHouse['cluster'] {
    const isOut = (kind: string) => this.#isOut && kind === this.#kind;
    const ending = () => this.#over.signal;
    const list: typeof cluster.list = async function* (of, options) {
      if (isOut(of.kind)) throw new KubeTransportError('no answer');
      yield* cluster.list(of, options);
    };
    const watch: typeof cluster.watch = async function* (of, options) {
      if (isOut(of.kind)) throw new KubeTransportError('no answer');
      const signal = AbortSignal.any([ending(), ...(options?.signal ? [options.signal] : [])]);
      yield* cluster.watch(of, of.kind === 'ReleaseDecision' ? { ...options, signal } : options);
    };
    return new Proxy(cluster, { get: (target, name) => ({ list, watch })[String(name) as 'list'] ?? Reflect.get(target, name) });
  }
}

describe('the definition of a kind', () => {
  it('[issue 12.3] that is deleted takes its releases along, as it takes its resources, keeps the other kind from nothing, and serves again once it is back', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await house.declare('later', later(repository), KINDS.helmRelease);
    for (const name of ['pay-ledger', 'pay-later'])
      await until(`${name} is installed`, async () => (await replicas(house, name)) !== undefined);
    const name = 'helmreleases.helm.fluxcd.io';
    await house.cluster.delete({ ...DEFINITION, name });
    await until('its release goes', async () => (await house.get(KINDS.deployment, 'pay-later')) === undefined);
    const before = await house.looks('schedule', 'unmoved');
    await until('the other kind is looked at as before', async () => (await house.looks('schedule', 'unmoved')) > before + 1);
    expect(await replicas(house)).toBe(2);

    const definition = (await readDeployed('deploy/crds')).find(({ metadata }) => metadata.name === name);
    if (definition !== undefined) await house.cluster.create(definition);
    await until('it can be declared again', () =>
      house.cluster.create({ ...KINDS.helmRelease, metadata: { namespace: 'pay', name: 'later' }, spec: later(repository) }).then(
        () => true,
        () => false,
      ),
    );
    await until('it is installed again', async () => (await replicas(house, 'pay-later')) === 1);
  });
});

describe('somebody who uses Helm beside chart sync', () => {
  it('[issue 12.3] is refused by Helm while ours is at work, is let finish otherwise, and what they released is put back then', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart({ 'templates/hook.yaml': HOOK }));
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    const { path: helm } = await obtainHelm();
    const byHand = (...sets: readonly string[]) =>
      promisify(execFile)(
        helm,
        [
          'upgrade',
          'pay-ledger',
          path.join(repository.folder, 'checkout/charts/ledger'),
          '--namespace',
          'pay',
          ...sets.flatMap((set) => ['--set', set]),
        ],
        { env: { ...process.env, KUBECONFIG: house.kubeconfig, HOME: repository.folder } },
      );
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3, stuck: true } });
    const hook = async () => (await house.get(JOB, 'ledger-hook'))?.metadata.uid;
    await until('ours waits for its hook', async () => (await hook()) !== undefined);
    const ours = await hook();
    await expect(byHand('replicas=9')).rejects.toThrow(/another operation \(install\/upgrade\/rollback\) is in progress/);
    await letHookEnd(house);
    await until('ours is done', async () => (await stateOf(house, 2)) === 'deployed');
    expect(await replicas(house)).toBe(3);

    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3 } });
    await until('that is released', async () => (await stateOf(house, 3)) === 'deployed');
    const theirs = byHand('replicas=9', 'stuck=true');
    theirs.catch(() => undefined);
    await until('theirs waits for its hook', async () => ![undefined, ours].includes(await hook()));
    expect(await stateOf(house, 4)).toBe('pending-upgrade');
    await until('that is told', () => house.tell('ledger')?.state === 'pending');
    expect(house.tell('ledger')?.says).toMatchObject({ id: 'state.pending', stored: 'pending-upgrade' });
    expect(await stateOf(house, 5)).toBeUndefined();
    await letHookEnd(house);
    await theirs;
    await until('what they released is put back', async () => (await stateOf(house, 5)) === 'deployed');
    expect(await replicas(house)).toBe(3);
  });
});

describe('an API server', () => {
  it('[issue 12.3] that is gone between dry run and upgrade leaves the release as it was, which is told, and it is upgraded once when it is back', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    let answers = Number.POSITIVE_INFINITY;
    const identities = (cluster: ChartHouse['cluster'], kubeconfig: string) => ({
      clusterFor: () => cluster,
      accountOf: () => undefined,
      async kubeconfigFor() {
        if (answers-- > 0) return kubeconfig;
        const gone = path.join(repository.folder, 'gone.kubeconfig');
        writeFileSync(gone, readFileSync(kubeconfig, 'utf8').replace(/(https?:\/\/127\.0\.0\.1):\d+/, '$1:1'));
        return gone;
      },
    });
    await using house = await openChartHouse(repository, { intervalMs: 1000 }, { identities });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
    await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
    await until('nothing moves', () => house.tell('ledger')?.reconciles[0]?.outcome === 'unmoved');
    answers = 1;
    await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3 } });
    await until('the failure is told', () => house.tell('ledger')?.state === 'failed');
    expect(house.tell('ledger')?.says).toMatchObject({ id: 'state.failed', why: expect.stringMatching(/unreachable|refused/) as string });
    expect([await replicas(house), await stateOf(house, 2)]).toEqual([2, undefined]);
    answers = Number.POSITIVE_INFINITY;
    await until('it is upgraded', async () => (await stateOf(house, 2)) === 'deployed');
    expect(await replicas(house)).toBe(3);
    await until('it is found equal', () => house.tell('ledger')?.state === 'in-sync');
    expect(await stateOf(house, 3)).toBeUndefined();
  });

  it.each([
    ['FluxHelmRelease', KINDS.fluxHelmRelease],
    ['HelmRelease', KINDS.helmRelease],
  ])(
    '[issue 12.3] that tells of no decisions for a while has a changed %s released once it does, though nobody looks for an hour',
    async (_kind, type) => {
      const repository = new ChartRepository();
      repository.commitChart('ledger', aChart());
      const outage = new Outage(KINDS.releaseDecision.kind);
      await using house = await openChartHouse(repository, { intervalMs: NEVER_MS }, { watching: (cluster) => outage.over(cluster) });
      const spec = (values: object) => (type === KINDS.helmRelease ? later(repository, { values }) : { chartGitPath: 'ledger', values });
      await house.declare('ledger', spec({ replicas: 2 }), type);
      await until('it is installed', async () => (await replicas(house)) === 2);
      await until('that is told', () => house.tell('ledger', type)?.state === 'in-sync');
      outage.begin();
      await until('nobody knows of decisions', () => house.decisions.health().state.kind === 'retrying');
      await house.declare('ledger', spec({ replicas: 3 }), type);
      await until('the change was heard', () =>
        house.stores.some((store) => store.list().some(({ metadata }) => metadata.generation === 2)),
      );
      outage.end();
      await until('it is upgraded', () => house.tell('ledger', type)?.reconciles[0]?.outcome === 'upgraded');
      expect(await replicas(house)).toBe(3);
      expect(house.tell('ledger', type)?.reconciles.map(({ outcome }) => outcome)).not.toContain('failed');
    },
  );
});

/** Helm as an account that may do anything within its namespace, and nothing outside. */
const asAccount = (repository: ChartRepository) => (cluster: ChartHouse['cluster'], kubeconfig: string) =>
  accountIdentities({
    cluster,
    source: { kind: 'kubeconfig', path: kubeconfig },
    account: 'charts',
    folder: path.join(repository.folder, 'accounts'),
    clock: realClock,
  });

async function grantNamespace({ cluster }: ChartHouse, namespace = 'pay'): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  if (namespace === 'pay') await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'charts' } });
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  await cluster.create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { namespace, name: 'charts' }, rules });
  await cluster.create({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { namespace, name: 'charts' },
    subjects: [{ kind: 'ServiceAccount', name: 'charts', namespace: 'pay' }],
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'charts' },
  });
}

describe('an account that may act in its namespace only', () => {
  const thing = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: things, singular: thing, kind: Thing, listKind: ThingList }
  versions: [ { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } } ]
`;
  const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: ledger-reader }\nrules: []\n';

  it.each([
    [
      'a definition',
      'crds/thing.yaml',
      thing,
      /customresourcedefinitions.* is forbidden.*: kubectl create clusterrole charts-of-pay:customresourcedefinitions --verb=get,list,watch,create,update,patch,delete --resource=customresourcedefinitions\.apiextensions\.k8s\.io && kubectl create clusterrolebinding charts-of-pay:customresourcedefinitions --clusterrole=charts-of-pay:customresourcedefinitions --serviceaccount=pay:charts$/,
    ],
    [
      'an object of the cluster',
      'templates/role.yaml',
      role,
      /clusterroles.* is forbidden.*: kubectl create clusterrole charts-of-pay:clusterroles .* --serviceaccount=pay:charts$/,
    ],
  ])(
    '[issue 12.3] installs no chart with %s, says what it lacks, leaves nothing behind, and installs what it may',
    async (_what, file, text, refusal) => {
      const repository = new ChartRepository();
      repository.commitChart('ledger', aChart({ [file]: text }));
      await using house = await openChartHouse(repository, { intervalMs: NEVER_MS }, { identities: asAccount(repository) });
      await grantNamespace(house);
      await house.declare('ledger', later(repository), KINDS.helmRelease);
      const phase = async () => readString((await house.get(KINDS.helmRelease, 'ledger'))?.status, 'phase');
      await until('it failed', async () => (await phase()) === 'DeployFailed');
      await until('that is told', () => house.tell('ledger', KINDS.helmRelease)?.state === 'failed');
      expect(house.tell('ledger', KINDS.helmRelease)?.says).toMatchObject({ why: expect.stringMatching(refusal) as string });
      expect([await replicas(house), await stateOf(house, 1)]).toEqual([undefined, undefined]);

      repository.commit({ [`charts/ledger/${file}`]: null });
      await until('it is installed without', async () => (await phase()) === 'Succeeded');
      expect([await replicas(house), await stateOf(house, 1)]).toEqual([1, 'deployed']);
    },
  );

  it('[issue 12.3] has a namespace made only where its resource says so and it may; else the release waits for one, and says so', async () => {
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, { intervalMs: 1000 });
    const spec = later(repository, { targetNamespace: 'books', releaseName: 'ledger' });
    await house.declare('ledger', spec, KINDS.helmRelease);
    await until('it failed', () => house.tell('ledger', KINDS.helmRelease)?.state === 'failed');
    expect(house.tell('ledger', KINDS.helmRelease)?.says).toMatchObject({
      why: expect.stringContaining('namespaces "books" not found') as string,
    });
    const namespace = () => house.cluster.get({ ...KINDS.namespace, name: 'books' }).catch(() => undefined);
    expect(await namespace()).toBeUndefined();

    await house.declare('ledger', { ...spec, createNamespace: true }, KINDS.helmRelease);
    await until('it is installed', async () => readString((await house.get(KINDS.helmRelease, 'ledger'))?.status, 'phase') === 'Succeeded');
    expect(readString(await namespace(), 'status', 'phase')).toBe('Active');
    const made = await house.cluster.get({ ...KINDS.deployment, namespace: 'books', name: 'ledger' });
    expect(readNumber(made, 'spec', 'replicas')).toBe(1);
  });
});
