import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readString } from '@/lib/kube/fields';
import { HELM_FINALIZER, KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import { createReleaseReader } from '@/server/chartsync';
import { isNotFound } from '@/server/kube';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const NS = 'pay';
const LATER = KINDS.helmRelease;
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const HOUR_MS = 3_600_000;
const LIMIT_MS = 40_000;
/** Cannot be created before somebody creates the namespace. */
const HOOK = `{{- if .Values.hook }}
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }}-farewell, namespace: elsewhere, annotations: { "helm.sh/hook": "pre-delete" } }
{{- end }}
`;

function aRepository(): ChartRepository {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart({ 'templates/hook.yaml': HOOK }));
  return repository;
}

async function install(
  house: ChartHouse,
  name: string,
  { type = LATER, ...more }: { readonly type?: TypeRef; readonly [member: string]: unknown } = {},
): Promise<void> {
  const chart = { git: house.repository.url, ref: 'main', path: 'charts/ledger' };
  await house.declare(name, { chart, ...more }, type);
  await until(`${name} is installed`, () => house.tell(name, type)?.lastAct?.storedRevision === 1);
}

const at = (name: string, type: TypeRef = LATER) => ({ ...type, namespace: NS, name });
const stored = (house: ChartHouse, release: string) => house.get(SECRET, `sh.helm.release.v1.${release}.v1`);
const isThere = async (house: ChartHouse, name: string, type: TypeRef = LATER) => (await house.get(type, name)) !== undefined;

describe('a HelmRelease that is deleted', () => {
  it.each([LATER, KINDS.olderHelmRelease])(
    '[issue 12.1] of $apiVersion, while no server runs, stays until one has uninstalled its release; held or suspended is uninstalled as well',
    async (type) => {
      let hasLease = true;
      await using house = await openChartHouse(aRepository(), { intervalMs: HOUR_MS }, { mayAct: () => hasLease });
      const names = ['plain', 'suspended'];
      for (const name of names) await install(house, name, { type });
      for (const name of names) expect((await house.get(type, name))?.metadata.finalizers).toEqual([HELM_FINALIZER]);
      // As one that was suspended before there was a finalizer: it gets one all the same.
      await house.cluster.patch(at('suspended', type), {
        type: 'merge',
        body: { metadata: { finalizers: null }, spec: { suspend: true } },
      });
      const finalizers = async () => (await house.get(type, 'suspended'))?.metadata.finalizers;
      await until('the suspended one has its finalizer', async () => (await finalizers())?.includes(HELM_FINALIZER) === true);
      hasLease = false;
      await until('nobody acts', () => house.tell('plain', type)?.work === 'elsewhere');
      for (const name of names) await house.cluster.delete(at(name, type));
      for (const name of names) {
        await until('it is being deleted', () => house.tell(name, type)?.state === 'changing');
        expect(await stored(house, `pay-${name}`)).toBeDefined();
        expect(house.tell(name, type)?.acts.find(({ verb }) => verb === 'sync')?.why).toEqual({ id: 'act.deleted' });
      }

      hasLease = true;
      for (const name of names) {
        await until(`${name} is gone`, async () => !(await isThere(house, name, type)), LIMIT_MS);
        expect(await stored(house, `pay-${name}`)).toBeUndefined();
        expect(await house.get(KINDS.deployment, `pay-${name}`)).toBeUndefined();
      }
      expect(house.recorded.filter(({ action }) => action === 'release.uninstalled')).toHaveLength(2);
    },
  );

  it('[issue 12.1] goes where the definition of what its release holds went before it', async () => {
    const repository = aRepository();
    const widget = 'apiVersion: walk.example.com/v1\nkind: Widget\nmetadata: { name: {{ .Release.Name }} }\n';
    repository.commitChart('ledger', { 'templates/deployment.yaml': widget });
    await using house = await openChartHouse(repository, { intervalMs: HOUR_MS });
    const names = { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    await house.cluster.create({
      ...definition,
      metadata: { name: 'widgets.walk.example.com' },
      spec: { group: 'walk.example.com', scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    });
    await install(house, 'plain');
    await house.cluster.delete({ ...definition, name: 'widgets.walk.example.com' });
    await house.cluster.delete(at('plain'));
    await until('it is gone', async () => !(await isThere(house, 'plain')), LIMIT_MS);
    expect(await stored(house, 'pay-plain')).toBeUndefined();
  });

  it('[issue 12.1] says why its release cannot be uninstalled, tries again, and goes where somebody takes the finalizer away', async () => {
    await using house = await openChartHouse(aRepository(), { intervalMs: HOUR_MS });
    const names = ['mended', 'let-go'];
    for (const name of names) await install(house, name, { values: { hook: true } });
    for (const name of names) await house.cluster.delete(at(name));
    for (const name of names) {
      await until('it says so', () => house.tell(name, KINDS.helmRelease)?.state === 'failed', LIMIT_MS);
      const says = house.tell(name, KINDS.helmRelease)?.says;
      const sentence = says === undefined ? '' : formatRelease(says);
      expect(sentence).toMatch(/could not uninstall the release: .*namespaces? "?elsewhere"? not found/s);
      expect(sentence).toContain(`remove finalizer ${HELM_FINALIZER}`);
      const object = await house.get(KINDS.helmRelease, name);
      const released = object && getCondition(object, 'Released');
      expect(released).toMatchObject({ status: 'False', reason: 'UninstallFailed' });
      expect(released?.message).toContain(`remove finalizer ${HELM_FINALIZER}`);
    }

    await house.cluster.patch(at('let-go'), { type: 'merge', body: { metadata: { finalizers: null } } });
    await until('it is gone', async () => !(await isThere(house, 'let-go')));
    await house.cluster.create({ ...KINDS.namespace, metadata: { name: 'elsewhere' } });
    await until('the other is uninstalled', async () => !(await isThere(house, 'mended')), LIMIT_MS);
    expect(await stored(house, 'pay-mended')).toBeUndefined();
    expect(await house.get(KINDS.deployment, 'pay-let-go')).toBeDefined();
    await using reader = createReleaseReader(house.reading);
    const { releases } = await reader.undeclared([NS]);
    expect(releases.map(({ name, declaredBefore }) => [name, declaredBefore?.isUninstalling])).toEqual([['pay-let-go', false]]);
  });

  it('[issue 12.1] leaves its release to another resource that declares it, and goes with its namespace', async () => {
    await using house = await openChartHouse(aRepository(), { intervalMs: HOUR_MS });
    await install(house, 'first', { releaseName: 'ledger' });
    const chart = { git: house.repository.url, ref: 'main', path: 'charts/ledger' };
    await house.declare('second', { chart, releaseName: 'ledger' }, KINDS.helmRelease);
    await until('the second is refused', () => house.tell('second', KINDS.helmRelease)?.state === 'refused');
    expect(house.tell('first', KINDS.helmRelease)?.heir).toMatchObject({ kind: 'HelmRelease', name: 'second' });
    expect(house.tell('second', KINDS.helmRelease)?.heir).toMatchObject({ name: 'first' });
    await house.cluster.delete(at('first'));
    await until('the first is gone', async () => !(await isThere(house, 'first')));
    expect(await stored(house, 'ledger')).toBeDefined();
    const left = () => house.recorded.find(({ action }) => action === 'release.left')?.message;
    await until('that is on record', () => left() !== undefined);
    expect(left()).toContain(`was left as it is: release ledger in ${NS} is declared by ${describeObject(at('second'))}`);

    await install(house, 'third', { values: { hook: true } });
    await house.cluster.delete({ ...KINDS.namespace, name: NS });
    const isGone = () =>
      house.cluster.get({ ...KINDS.namespace, name: NS }).then(
        () => false,
        (error: unknown) => isNotFound(error),
      );
    await until('the namespace is gone', isGone, LIMIT_MS);
    expect(readString(await house.get(KINDS.deployment, 'pay-third'), 'kind')).toBeUndefined();
  });
});
