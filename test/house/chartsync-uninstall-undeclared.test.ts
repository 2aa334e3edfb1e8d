import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { createReleaseReader, storedName } from '@/server/chartsync';
import { isNotFound } from '@/server/kube';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const NS = 'pay';
const KEPT = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n  annotations: { helm.sh/resource-policy: keep }\ndata: { a: b }\n';
const SETTINGS = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { a: b }\n';

/** A house in which Helm was called by hand, and what calls it again. */
async function openByHand(options: Parameters<typeof openChartHouse>[1] = {}) {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart({ 'templates/kept.yaml': KEPT, 'templates/settings.yaml': SETTINGS }));
  const house = await openChartHouse(repository, options);
  const { path: helm } = await obtainHelm();
  const chart = path.join(repository.folder, 'checkout/charts/ledger');
  const run = (...args: readonly string[]) =>
    promisify(execFile)(helm, [...args, '--namespace', NS], {
      env: { ...process.env, KUBECONFIG: house.kubeconfig, HOME: repository.folder },
    });
  await run('install', 'by-hand', chart);
  return { house, run, chart };
}

/** Decides to uninstall it by what is stored as a revision, and waits for the end of that. */
async function decide(
  { cluster }: ChartHouse,
  { revision, user = 'root', uid }: { readonly revision: number; readonly user?: string; readonly uid?: string },
) {
  const name = storedName({ name: 'by-hand' }, revision);
  const seen = uid ?? (await cluster.get({ ...SECRET, namespace: NS, name })).metadata.uid ?? '';
  const made = await cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: 'by-hand-', namespace: NS },
    spec: { releaseRef: { kind: 'Secret', name, uid: seen }, verb: 'uninstall', actor: { user } },
  } as KubeObject);
  const read = async () => (await cluster.get(toAddress(made))).status;
  await until('it is answered', async () => {
    const status = await read();
    const phase = readString(status, 'phase');
    return phase === 'Accepted' ? readString(status, 'finishedAt') !== undefined : phase !== undefined;
  });
  const status = await read();
  return { phase: readString(status, 'phase'), message: readString(status, 'message') };
}

const isThere = ({ cluster }: ChartHouse, name: string) =>
  cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: NS, name }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );

const admin = async (house: ChartHouse) => {
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'root' }];
  await house.cluster.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'root' },
    roleRef: role,
    subjects,
  } as KubeObject);
};

describe('uninstalling a release that no resource declares', () => {
  it('[issue 12.1] deletes what was shown, keeps what the chart keeps, and tells and records what became of it', async () => {
    const { house } = await openByHand();
    await using _house = house;
    await admin(house);
    await using reader = createReleaseReader(house.reading);
    const shown = await reader.readUndeclared({ namespace: NS, name: 'by-hand' });
    expect(shown).toMatchObject({
      revision: 1,
      status: 'deployed',
      chart: { name: 'ledger' },
      account: null,
      declaredBefore: null,
      uninstall: null,
      hooks: [],
    });
    expect(shown.objects).toContainEqual({ apiVersion: 'v1', kind: 'ConfigMap', ns: NS, name: 'kept', isKept: true });
    expect(shown.objects).toContainEqual({ apiVersion: 'v1', kind: 'ConfigMap', ns: NS, name: 'settings', isKept: false });
    expect(await decide(house, { revision: 1 })).toEqual({ phase: 'Accepted', message: 'Helm uninstalled release by-hand in pay' });
    expect(await isThere(house, 'settings')).toBe(false);
    expect(await isThere(house, 'kept')).toBe(true);
    await expect(reader.readUndeclared({ namespace: NS, name: 'by-hand' })).rejects.toThrow('Helm stores no release by-hand in pay');
    expect(await reader.undeclared([NS])).toEqual({ releases: [], why: null });
    expect(house.recorded.map(({ action, actor }) => `${action} ${actor}`)).toEqual(
      expect.arrayContaining(['decision.uninstall root', 'release.uninstalled slipway']),
    );
    expect(house.recorded.find(({ action }) => action === 'release.uninstalled')?.data).toMatchObject({ by: 'root', as: null });
  });

  it('[issue 12.1] does nothing where Helm stored another revision than was seen, or a resource declares it by now', async () => {
    const { house, run, chart } = await openByHand();
    await using _house = house;
    await admin(house);
    await run('upgrade', 'by-hand', chart, '--set', 'replicas=2');
    await using reader = createReleaseReader(house.reading);
    const moved = 'the newest revision is now 2, it was 1 when this was decided; review it again';
    expect(await decide(house, { revision: 1 })).toEqual({ phase: 'Rejected', message: moved });
    expect((await reader.undeclared([NS])).releases).toMatchObject([
      { uninstall: { user: 'root', phase: 'Rejected', message: moved, isOver: true } },
    ]);
    expect(await decide(house, { revision: 2, uid: 'of-another-time' })).toMatchObject({ phase: 'Rejected' });
    await house.declare(
      'by-hand',
      { chart: { git: house.repository.url, ref: 'main', path: 'charts/ledger' }, releaseName: 'by-hand' },
      KINDS.helmRelease,
    );
    await until('its resource is known', () => house.tell('by-hand', KINDS.helmRelease) !== undefined);
    const declared = 'HelmRelease by-hand in pay declares the release; delete that resource instead';
    expect((await decide(house, { revision: 2 })).message).toContain(declared);
    await expect(reader.readUndeclared({ namespace: NS, name: 'by-hand' })).rejects.toThrow('is declared by HelmRelease');
    expect(await isThere(house, 'kept')).toBe(true);
  });

  it('[issue 12.1] asks for every right of the person that Helm would use: that to its storage first, then to what it deletes', async () => {
    const { house } = await openByHand();
    await using _house = house;
    const { cluster } = house;
    // A person each: what one may do is known for a moment.
    const may = async (user: string, rules: readonly object[]) => {
      const RBAC = 'rbac.authorization.k8s.io';
      await cluster.create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { namespace: NS, name: user }, rules } as KubeObject);
      const [roleRef, subjects] = [{ apiGroup: RBAC, kind: 'Role', name: user }, [{ apiGroup: RBAC, kind: 'User', name: user }]];
      await cluster.create({
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: { namespace: NS, name: user },
        roleRef,
        subjects,
      } as KubeObject);
    };
    const refused = (user: string, right: string) => ({
      phase: 'Rejected',
      message: `${user} may not do this: the uninstall requires the right ${right}`,
    });
    expect(await decide(house, { revision: 1, user: 'ann' })).toEqual(refused('ann', '"update" on secrets in namespace pay'));
    await may('ben', [{ apiGroups: [''], resources: ['secrets'], verbs: ['update', 'delete'] }]);
    expect(await decide(house, { revision: 1, user: 'ben' })).toEqual(refused('ben', '"delete" on configmaps in namespace pay'));
    await may('cleo', [
      { apiGroups: ['', 'apps'], resources: ['*'], verbs: ['delete'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['update'] },
    ]);
    expect(await decide(house, { revision: 1, user: 'cleo' })).toMatchObject({ phase: 'Accepted' });
  });

  it('[issue 12.1] a release whose resource was deleted while nothing ran is told as orphaned, with that resource, and its values are masked', async () => {
    let mayAct = true;
    const repository = new ChartRepository();
    repository.commitChart('ledger', aChart());
    await using house = await openChartHouse(repository, {}, { mayAct: () => mayAct });
    await house.declare('ledger', { chartGitPath: 'ledger', values: { password: 'canary-of-a-secret' } });
    await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
    await using reader = createReleaseReader(house.reading);
    expect((await reader.undeclared([NS])).releases).toEqual([]);
    mayAct = false;
    await until('nobody acts', () => house.tell('ledger')?.work === 'elsewhere');
    await house.cluster.delete({ ...KINDS.fluxHelmRelease, namespace: NS, name: 'ledger' });
    const declaredBefore = { kind: 'FluxHelmRelease', ns: NS, name: 'ledger', exists: false, isUninstalling: false };
    await until('it is told', async () => (await reader.undeclared([NS])).releases.length === 1);
    const [orphan] = (await reader.undeclared([NS])).releases;
    expect(orphan).toMatchObject({ declaredBefore });
    const content = await reader.undeclaredContent(
      { namespace: NS, name: orphan?.name ?? '' },
      { revision: 1, permit: async () => undefined },
    );
    expect(content).toMatchObject({ values: 'password: ••••••••\n', hidesValues: true });
  });
});
