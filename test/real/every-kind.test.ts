import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { grantObjects } from '@/lib/contract/grant';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { installMissing, readManifests } from '@/server/installation';
import { isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { realClock } from '@/server/platform';
import { openCluster } from '../support/census';
import { ChartRepository } from '../support/chart-repository';
import { everyGrantedKind, everyKindRead, FIXED } from '../support/every-kind';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { silentLog } from '../support/silent-log';
import { until } from '../support/until';
import type { ControlPlane } from './control-plane';
import { startControlPlane } from './control-plane';

const NS = 'shop';
const CHARTS_NS = 'pay';
const LIMIT_MS = 90_000;

/** The file of a chart with these objects, whose notes are a value; those that cannot be replaced go with another value. */
const templateOf = (objects: readonly KubeObject[]) =>
  objects
    .map((object) =>
      FIXED.includes(object.kind) ? `{{- if not .Values.replaces }}\n---\n${stringify(object)}{{- end }}\n` : `---\n${stringify(object)}`,
    )
    .join('');

describe('a server with its own role, on a real control plane of its own', () => {
  let plane: ControlPlane;
  let admin: RemoteCluster;
  let server: ServerProcess;
  let charts: ChartRepository;

  beforeAll(async () => {
    plane = await startControlPlane();
    admin = openCluster(plane.kubeconfig);
    const deps = { cluster: admin, clock: realClock, log: silentLog };
    await installMissing([...(await readManifests('deploy/rbac/people.yaml')), ...(await readManifests('deploy/rbac/server.yaml'))], deps);
    await installMissing([...(await readManifests('deploy/crds')), ...(await readManifests('deploy'))], deps);
    for (const name of [NS, CHARTS_NS]) {
      await admin.create({ ...KINDS.namespace, metadata: { name } });
      for (const object of grantObjects(name)) await admin.create(object);
    }
    const kubeconfig = path.join(path.dirname(plane.kubeconfig), 'slipway.kubeconfig');
    const intervals = ['--git-poll-interval', '1s', '--charts-sync-interval', '1s'];
    const helm = ['--helm', path.join(process.env.KUBEBUILDER_ASSETS ?? '', 'helm')];
    server = await startServerProcess(['--kubeconfig', kubeconfig, '--auth', 'token', ...intervals, ...helm]);
    charts = new ChartRepository(server.dataDir);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await admin?.[Symbol.asyncDispose]();
    await plane?.[Symbol.asyncDispose]();
  });

  /** Kinds of which the object in the namespace has not this note. */
  async function without(note: string, namespace: string): Promise<readonly string[]> {
    const found = everyGrantedKind(note).map(async (object) => {
      const live = await admin.get({ ...toAddress(object), namespace }).catch(() => undefined);
      return live?.metadata.annotations?.note === note ? [] : [object.kind];
    });
    return (await Promise.all(found)).flat();
  }
  const allHave = (note: string, namespace: string, besides: readonly string[] = []) =>
    until(`all have note ${note}`, async () => (await without(note, namespace)).every((kind) => besides.includes(kind)), LIMIT_MS);
  const allGone = async (namespace: string, besides: readonly string[] = []) => {
    const going = everyGrantedKind('').filter(({ kind }) => !besides.includes(kind));
    const gone = going.map((object) => admin.get({ ...toAddress(object), namespace }).then(() => false, isNotFound));
    return (await Promise.all(gone)).every(Boolean);
  };

  it('[issue 10.1] applies, changes and takes away one object of each kind that a grant gives, and uses one of each kind that it reads', async () => {
    const used = everyKindRead(NS);
    for (const object of used) await admin.create(object);
    const policy = {
      name: 'used',
      type: 'read-only',
      properties: { rules: [{ selector: { resourceTypes: used.map(({ kind }) => kind) } }] },
    };
    const spec = (note: string) => ({
      components: [{ name: 'all', type: 'k8s-objects', properties: { objects: [...everyGrantedKind(note), ...used] } }],
      policies: [policy],
    });
    const at = { ...KINDS.application, namespace: NS, name: 'all' };
    await admin.create({ ...KINDS.application, metadata: { name: 'all', namespace: NS }, spec: spec('1') });
    await allHave('1', NS);
    await admin.patch(at, { type: 'merge', body: { spec: spec('2') } });
    await allHave('2', NS);
    await admin.delete(at);
    // A claim holds data, and stays.
    await until('all else is gone', () => allGone(NS, ['PersistentVolumeClaim']), LIMIT_MS);
    expect(await without('2', NS)).not.toContain('PersistentVolumeClaim');
    for (const object of used) expect((await admin.get(toAddress(object))).kind).toBe(object.kind);
  });

  it('[issue 10.1] runs Helm as the account of a namespace that was granted: installs, replaces and takes away the same kinds', async () => {
    const at = { ...KINDS.helmRelease, namespace: CHARTS_NS, name: 'all' };
    charts.commitChart('all', {
      'Chart.yaml': 'apiVersion: v2\nname: all\nversion: 1.0.0\n',
      'templates/all.yaml': templateOf(everyGrantedKind('{{ .Values.note }}')),
    });
    const chart = { git: charts.url, ref: 'main', path: 'charts/all' };
    const { name, namespace } = at;
    const status = async () => readString(await admin.get(at), 'status', 'phase');
    await admin.create({ ...KINDS.helmRelease, metadata: { name, namespace }, spec: { releaseName: name, chart, values: { note: '1' } } });
    await allHave('1', CHARTS_NS);
    await admin.patch(at, { type: 'merge', body: { spec: { forceUpgrade: true, values: { note: '2', replaces: true } } } });
    await allHave('2', CHARTS_NS, FIXED);
    await until('its status tells so', async () => (await status()) === 'Succeeded', LIMIT_MS);
    await admin.delete(at);
    await until('all of it is gone', () => allGone(CHARTS_NS), LIMIT_MS);
  });
});
