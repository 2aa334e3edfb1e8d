import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { obtainHelm } from '../../scripts/helm-binary.mjs';
import { aChart, ChartRepository } from '../support/chart-repository';
import { readDeployed } from '../support/definitions';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
const JOB = { apiVersion: 'batch/v1', kind: 'Job' } as const;
const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const HOOK = `{{- if .Values.stuck }}
apiVersion: batch/v1
kind: Job
metadata: { name: ledger-hook, annotations: { "helm.sh/hook": "pre-upgrade" } }
spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [ { name: a, image: "registry.example.com/a:1" } ] } } }
{{- end }}
`;

/** A Helm that notes each of its acts, when it begins and when it ends. */
async function notedHelm(folder: string) {
  const { path: helm } = await obtainHelm();
  const [command, notes] = [path.join(folder, 'helm'), path.join(folder, 'notes')];
  const program = `case "$*" in *--dry-run*|version*) exec ${helm} "$@";; esac
echo "begin $1" >> ${notes}; ${helm} "$@"; code=$?; echo "end $1" >> ${notes}; exit $code`;
  writeFileSync(command, `#!/bin/sh\n${program}\n`);
  chmodSync(command, 0o755);
  return { command, acts: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []) };
}

const definitionOf = async (plural: string) => {
  const found = (await readDeployed('deploy/crds')).find(({ metadata }) => metadata.name === plural);
  if (found === undefined) throw new Error(`there is no definition ${plural}`);
  return found;
};

const specOf = ({ url }: ChartRepository, values: object) => ({
  chart: { git: url, ref: 'main', path: 'charts/ledger' },
  chartGitPath: 'ledger',
  releaseName: 'pay-ledger',
  values,
});
const replicas = async (house: ChartHouse) => readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas');
const stateOf = async (house: ChartHouse, revision: number) =>
  (await house.get(SECRET, `sh.helm.release.v1.pay-ledger.v${revision}`))?.metadata.labels?.status;

const workOf = (house: ChartHouse, type: TypeRef) => {
  const work = house.tell('ledger', type)?.work;
  return typeof work === 'object' ? work : undefined;
};

/** A release whose upgrade waits for its hook. */
async function openStuck(type: TypeRef, circumstances: Parameters<typeof openChartHouse>[2] = {}) {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart({ 'templates/hook.yaml': HOOK }));
  const noted = await notedHelm(repository.folder);
  const house = await openChartHouse(repository, { intervalMs: 1000, helm: noted.command }, circumstances);
  await house.declare('ledger', specOf(repository, { replicas: 2 }), type);
  await until('it is installed', () => house.tell('ledger', type)?.lastAct?.storedRevision === 1);
  await house.declare('ledger', specOf(repository, { replicas: 3, stuck: true }), type);
  await until('Helm waits for its hook', async () => (await house.get(JOB, 'ledger-hook')) !== undefined);
  const letHookEnd = () =>
    house.cluster.patch({ ...JOB, namespace: 'pay', name: 'ledger-hook' }, { type: 'merge', body: { spec: { suspend: false } } });
  return { house, repository, acts: noted.acts, letHookEnd };
}

const KINDS_OF_RELEASES = [
  ['FluxHelmRelease', KINDS.fluxHelmRelease, 'fluxhelmreleases.helm.integrations.flux.weave.works'],
  ['HelmRelease', KINDS.helmRelease, 'helmreleases.helm.fluxcd.io'],
] as const;

describe('a Helm that runs while the definition of its kind', () => {
  it.each(KINDS_OF_RELEASES)(
    '[issue 12.3] %s comes to drop what is written finishes, is told, and nothing is released twice once it is mended',
    async (_kind, type, name) => {
      let why: string | null = null;
      const { house, acts, letHookEnd } = await openStuck(type, { stoppedReason: (asked) => (asked === type.kind ? why : null) });
      await using _ = house;
      why = 'its definition drops status';
      const { metadata } = await house.cluster.get({ ...DEFINITION, name });
      const definition = await definitionOf(name);
      const versions = (definition.spec as { versions: { schema: { openAPIV3Schema: { properties: object } } }[] }).versions.map(
        (version) => ({
          ...version,
          schema: {
            openAPIV3Schema: {
              ...version.schema.openAPIV3Schema,
              properties: { ...version.schema.openAPIV3Schema.properties, status: { type: 'object' } },
            },
          },
        }),
      );
      await house.cluster.update({ ...definition, metadata, spec: { ...(definition.spec as object), versions } });
      expect(workOf(house, type)).toMatchObject({ command: 'upgrade', until: null });
      await letHookEnd();
      await until('the upgrade is stored', async () => (await stateOf(house, 2)) === 'deployed');
      await until('the page tells its end', () => typeof workOf(house, type)?.until === 'number');
      await until(
        'the pass has ended',
        () => house.tell('ledger', type)?.reconciles.some(({ outcome }) => outcome === 'upgraded') === true,
      );
      const now = await house.cluster.get({ ...DEFINITION, name });
      await house.cluster.update({ ...definition, metadata: now.metadata });
      why = null;
      await until('it is in sync', () => house.tell('ledger', type)?.state === 'in-sync');
      const before = await house.looks('schedule', 'unmoved');
      await until('it is looked at twice more', async () => (await house.looks('schedule', 'unmoved')) > before + 1);
      expect(acts()).toEqual(['begin install', 'end install', 'begin upgrade', 'end upgrade']);
      expect(await stateOf(house, 3)).toBe(undefined);
    },
  );

  it.each(KINDS_OF_RELEASES)(
    '[issue 12.3] %s is deleted finishes before its release goes, and before it comes back with its definition',
    async (_kind, type, name) => {
      const { house, repository, acts, letHookEnd } = await openStuck(type);
      await using _ = house;
      await house.cluster.delete({ ...DEFINITION, name });
      const isGone = async () => (await house.get({ ...DEFINITION }, name)) === undefined;
      const definition = await definitionOf(name);
      const declare = () =>
        house.cluster.create({ ...type, metadata: { namespace: 'pay', name: 'ledger' }, spec: specOf(repository, { replicas: 4 }) }).then(
          () => true,
          () => false,
        );
      if (type.kind === 'FluxHelmRelease') {
        await until('no resource is left', async () => house.tell('ledger', type) === undefined);
        await until('the definition is gone', isGone);
        await house.cluster.create(definition);
        await until('it is declared again', declare);
      }
      await letHookEnd();
      if (type.kind !== 'FluxHelmRelease') {
        await until('the definition is gone', isGone);
        await house.cluster.create(definition);
        await until('it is declared again', declare);
      }
      await until('it is installed again', async () => (await replicas(house)) === 4);
      await until('it is in sync', () => house.tell('ledger', type)?.state === 'in-sync');
      const looks = await house.looks('schedule', 'unmoved');
      await until('it is looked at three times more', async () => (await house.looks('schedule', 'unmoved')) > looks + 2);
      expect(acts()).toEqual([
        'begin install',
        'end install',
        'begin upgrade',
        'end upgrade',
        'begin uninstall',
        'end uninstall',
        'begin install',
        'end install',
      ]);
      expect([await stateOf(house, 1), await stateOf(house, 2)]).toEqual(['deployed', undefined]);
    },
  );
});
