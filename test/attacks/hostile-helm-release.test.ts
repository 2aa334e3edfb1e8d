import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { formatRelease } from '@/lib/words/format-release';
import type { ChartHouse } from '../house/chartsync-house';
import { openChartHouse } from '../house/chartsync-house';
import type { ChartFiles } from '../support/chart-repository';
import { aChart, ChartRepository } from '../support/chart-repository';
import type { LoopbackWeb } from '../support/loopback-web';
import { startWeb } from '../support/loopback-web';
import { until } from '../support/until';

const CANARY = 'canary-3301';
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const told = (expression: string) => ({
  'templates/told.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "{{ .Release.Name }}-told" }\ndata: { told: {{ ${expression} | quote }} }\n`,
});
const dependingOn = (entry: string) => ({ 'Chart.yaml': `apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n  - { ${entry} }\n` });
const OUTSIDE_LINKS = ['absolute', 'relative', 'folder', 'chain'];

/** Charts of somebody who may write HelmReleases in one namespace, and nothing else. */
const charts = (port: number): Readonly<Record<string, ChartFiles>> => ({
  plain: {},
  lookup: told('(lookup "v1" "Secret" "vault" "keys") | toJson'),
  everywhere: told('(lookup "v1" "Secret" "" "") | toJson'),
  environment: told('env "KUBECONFIG"'),
  files: told('printf "%s%s%s%s" (.Files.Get "absolute") (.Files.Get "relative") (.Files.Get "folder/passwd") (.Files.Get "chain")'),
  template: told('tpl .Values.template .'),
  folders: dependingOn('name: x, version: 1.0.0, repository: "file://../../../.."'),
  alias: dependingOn('name: plain, version: 1.0.0, alias: "../../../x", repository: "file://../plain"'),
  fetches: dependingOn(`name: x, version: 1.0.0, repository: "http://127.0.0.1:${port}/"`),
  schema: { 'values.schema.json': JSON.stringify({ $id: `http://127.0.0.1:${port}/a.json`, properties: { a: { $ref: 'b.json' } } }) },
  called: { 'Chart.yaml': 'apiVersion: v2\nname: ../../../x\nversion: 1.0.0\n' },
  foreign: { 'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: planted, namespace: vault }\n' },
});

describe('whoever may write HelmReleases in one namespace', () => {
  let house: ChartHouse;
  let web: LoopbackWeb;
  const asked: string[] = [];

  beforeAll(async () => {
    web = await startWeb((request, answer) => {
      asked.push(request.url ?? '');
      answer.end(`a: ${CANARY}`);
    });
    const repository = new ChartRepository();
    const checkout = path.join(repository.folder, 'checkout');
    const outside = path.join(repository.folder, 'passwd');
    writeFileSync(outside, `a: ${CANARY}`);
    mkdirSync(path.join(checkout, 'charts/files'), { recursive: true });
    const targets = [outside, '../../../passwd', repository.folder, 'absolute'];
    for (const [at, name] of OUTSIDE_LINKS.entries()) symlinkSync(targets[at] ?? '', path.join(checkout, 'charts/files', name));
    symlinkSync('../..', path.join(checkout, 'charts/up'));
    for (const [name, files] of Object.entries(charts(web.port))) repository.commitChart(name, aChart(files, name));
    house = await openChartHouse(repository, { asServer: true, intervalMs: 3_600_000 });
    await house.cluster.create({ ...KINDS.namespace, metadata: { name: 'vault' } });
    const stringData = { 'values.yaml': `a: ${CANARY}`, username: 'ann', password: CANARY };
    await house.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'vault', name: 'keys' }, stringData });
    for (const namespace of ['pay', 'vault']) for (const object of grantObjects(namespace)) await house.cluster.create(object);
    await house.declare('honest', of('plain'), KINDS.helmRelease);
    await until('another one is released', () => house.tell('honest', KINDS.helmRelease)?.state === 'in-sync');
  });
  afterAll(async () => {
    await house?.[Symbol.asyncDispose]();
    await web?.[Symbol.asyncDispose]();
  });

  const of = (name: string, more: object = {}) => ({ chart: { git: house.repository.url, ref: 'main', path: `charts/${name}` }, ...more });
  const at = (chart: object) => ({ chart: { git: house.repository.url, ref: 'main', path: 'charts/plain', ...chart } });
  const from = (url: string) => of('plain', { valuesFrom: [{ externalSourceRef: { url } }] });
  const port = () => web.port;

  it.each<[string, () => object, RegExp]>([
    [
      'a Secret of another namespace by lookup',
      () => of('lookup'),
      /cannot get resource "secrets" in API group "" in the namespace "vault"/,
    ],
    ['the Secrets of all by lookup', () => of('everywhere'), /cannot list resource "secrets" .* at the cluster scope/],
    ['the environment of the server', () => of('environment'), /function "env" not defined/],
    [
      'a lookup in a template among the values',
      () => of('template', { values: { template: '{{ lookup "v1" "Secret" "vault" "keys" }}' } }),
      /cannot get resource "secrets"/,
    ],
    [
      'values of a Secret elsewhere',
      () => of('plain', { valuesFrom: [{ secretKeyRef: { namespace: 'vault', name: 'keys' } }] }),
      /cannot get resource "secrets"/,
    ],
    [
      'credentials of a Secret elsewhere',
      () => at({ git: 'https://127.0.0.1/a.git', secretRef: { name: 'keys', namespace: 'vault' } }),
      /cannot get resource "secrets"/,
    ],
    ['a release in another namespace', () => of('plain', { targetNamespace: 'vault' }), /ServiceAccount slipway-charts of namespace pay/],
    ['an object in another namespace', () => of('foreign'), /cannot get resource "configmaps" .* in the namespace "vault"/],
    ['the release of another resource', () => of('plain', { releaseName: 'pay-honest' }), /is declared by HelmRelease honest in pay/],
    ['another account', () => of('plain', { serviceAccountName: '../kube-system:admin' }), /not a valid name/],
    [
      'a file of the server by values',
      () => of('plain', { valuesFrom: [{ chartFileRef: { path: '../../../../passwd' } }] }),
      /must be a path within the chart/,
    ],
    [
      'a file of the server by a link among values',
      () => of('files', { valuesFrom: [{ chartFileRef: { path: 'absolute' } }] }),
      /do not exist/,
    ],
    ['a folder above the repository', () => at({ path: '../..' }), /must be within the repository/],
    ['a folder above the repository by a link', () => at({ path: 'charts/up' }), /has no folder charts\/up/],
    ['an option by the path', () => at({ path: '--post-renderer=/bin/sh' }), /has no folder --post-renderer/],
    ['an option by the branch', () => at({ ref: '--upload-pack=id' }), /no branch, tag or commit --upload-pack=id/],
    ['another tree by the branch', () => at({ ref: 'main:charts', path: 'plain' }), /unknown revision main:charts/],
    ['what holds of others keep, by the branch', () => at({ ref: 'refs/slipway/a' }), /no branch, tag or commit refs\/slipway\/a/],
    ['an option by the release', () => of('plain', { releaseName: '--kubeconfig=/a' }), /not a valid name of a release/],
    ['an option by the namespace', () => of('plain', { targetNamespace: '--kube-as-user=root' }), /not a valid namespace name/],
    ['a program by the address', () => at({ git: 'ext::sh -c id' }), /must be https:\/\/ or ssh:\/\//],
    ['a dependency above the repository', () => of('folders'), /outside the repository/],
    ['a dependency that is called like a path', () => of('alias'), /disallowed characters in the alias/],
    ['a chart that is called like a path', () => of('called'), /chart.metadata.name .* is invalid/],
    ['the metadata service', () => from('http://169.254.169.254/latest/meta-data'), /loopback or link-local/],
    ['this machine', () => from(`http://127.0.0.1:${port()}/a`), /loopback or link-local/],
    ['this machine, written as IPv6', () => from(`http://[::ffff:7f00:1]:${port()}/b`), /loopback or link-local/],
    ['this machine, written as a number', () => from(`http://2130706433:${port()}/c`), /loopback or link-local/],
    [
      'this machine as a chart repository',
      () => ({ chart: { repository: `http://127.0.0.1:${port()}/`, name: 'a', version: '1.0.0' } }),
      /loopback or link-local/,
    ],
    ['this machine by a dependency', () => of('fetches'), /loopback or link-local/],
    ['this machine by a schema', () => of('schema'), /which it does not contain/],
  ])('[issue 12.5] does not get %s', async (what, spec, why) => {
    const name = `a-${what.replaceAll(/\W+/g, '-').toLowerCase()}`.slice(0, 40).replace(/-$/, '');
    await house.declare(name, spec(), KINDS.helmRelease);
    const answer = async () => {
      const resource = house.tell(name, KINDS.helmRelease);
      if (resource?.state === 'refused') return formatRelease(resource.says);
      return readString((await house.get(KINDS.helmRelease, name))?.status, 'failure', 'message') ?? '';
    };
    await until('it is refused', async () => (await answer()) !== '');
    expect(await answer()).toMatch(why);
    expect(asked).toEqual([]);
    expect(house.lines.join('\n') + (await answer())).not.toContain(CANARY);
  });

  it('[issue 12.5] gets nothing of what links in a chart lead to', async () => {
    await house.declare('files', of('files'), KINDS.helmRelease);
    await until('it is released', async () => (await house.get(CONFIG, 'pay-files-told')) !== undefined);
    expect((await house.get(CONFIG, 'pay-files-told'))?.data).toEqual({ told: '' });
  });
});
