import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { HEALTH_STYLE } from '@/components/ui/status/tone';
import type { EngineRow, PollView } from '@/lib/contract/system-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { isNotFound } from '@/server/kube';
import type { RemoteCluster } from '@/server/kube/remote/create';
import { Lifetimes } from '@/server/platform';
import type { ApiProxy, Requests } from './api-proxy';
import { startApiProxy } from './api-proxy';
import type { Visit } from './browser';
import { startBrowser } from './browser';
import { openCluster } from './census';
import { startServerProcess } from './server-process';
import { silentLog } from './silent-log';
import { until } from './until';

const LIMIT_MS = 60_000;
const POLL = '1s';
const MAPS = ['kept', 'settings'];

/** A page of one application, open while rights are taken away from the server and given back. */
export interface RightsScene extends AsyncDisposable {
  readonly operator: Visit;
  readonly proxy: ApiProxy;
  /** The cluster past the proxy, with all rights. */
  readonly cluster: RemoteCluster;
  apply(image: string): Promise<void>;
  readyz(): Promise<string>;
  polls(): Promise<readonly PollView[]>;
  /** What the Engine page, opened beside the application's, says of the polls of a kind. */
  pollRow(kind: string): Promise<string>;
}

export interface RightsSceneOptions {
  readonly namespace: string;
  /** Of the server, and of whoever looks past it. */
  readonly kubeconfig: string;
  readonly admin: string;
}

/** Starts the built server on an API server behind a proxy, brings an application of two ConfigMaps and three pods to rest, and opens its page. */
export async function openRightsScene(options: RightsSceneOptions): Promise<RightsScene> {
  const lifetimes = new Lifetimes(silentLog);
  try {
    return await openIn(lifetimes, options);
  } catch (error) {
    await lifetimes[Symbol.asyncDispose]();
    throw error;
  }
}

async function openIn(lifetimes: Lifetimes, { namespace, kubeconfig, admin }: RightsSceneOptions): Promise<RightsScene> {
  const cluster = lifetimes.use('cluster', openCluster(admin));
  await cluster.create({ ...KINDS.namespace, metadata: { name: namespace } });
  lifetimes.defer('namespace', () => cluster.delete({ ...KINDS.namespace, name: namespace }));
  const proxy = lifetimes.use('proxy', await startApiProxy(kubeconfig));
  const server = lifetimes.use('server', await startServerProcess(['--kubeconfig', proxy.kubeconfig, '--poll-interval', POLL]));
  const visitors = lifetimes.use('browser', await startBrowser());
  const operator = await visitors.visit(server.address);
  await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
  const { request } = operator.context;
  const apply = async (image: string) => {
    const data = { manifest: JSON.stringify(anApplication(namespace, image)) };
    const answer = await request.post(`${server.origin}/api/v1/applications`, {
      data,
      headers: { origin: server.origin },
      timeout: LIMIT_MS,
    });
    expect(answer.status(), await answer.text()).toBe(202);
  };
  const polls = async () => {
    const answer = await request.get(`${server.origin}/api/v1/rows?topic=engine`);
    return ((await answer.json()) as { rows: readonly EngineRow[] }).rows[0]?.polls ?? [];
  };
  const engine = await operator.context.newPage();
  const pollRow = async (kind: string) => {
    if (!engine.url().endsWith('/engine')) await engine.goto(`${server.origin}/engine`);
    const rows = engine
      .getByRole('table', { name: 'Polls' })
      .getByRole('row')
      .filter({ hasText: new RegExp(`^${kind}`) });
    return (await rows.allTextContents()).join('\n');
  };
  await apply('registry.example.com/web:1');
  lifetimes.defer('application', () => removeApplication(cluster, namespace));
  await operator.page.goto(`${server.origin}/applications/${namespace}/web`);
  await operator.page.getByText('everything is ready').first().waitFor({ timeout: LIMIT_MS });
  return {
    operator,
    proxy,
    cluster,
    apply,
    readyz: async () => (await fetch(`${server.origin}/readyz`)).text(),
    polls,
    pollRow,
    [Symbol.asyncDispose]: () => lifetimes[Symbol.asyncDispose](),
  };
}

/** Only a running engine lets go of it; what stayed would be taken up by the engines of another test. */
async function removeApplication(cluster: RemoteCluster, namespace: string): Promise<void> {
  const web = { ...KINDS.application, namespace, name: 'web' };
  await cluster.delete(web);
  const isGone = () => cluster.get(web).then(() => false, isNotFound);
  await until('the application is gone', isGone, LIMIT_MS);
}

function anApplication(namespace: string, image: string): KubeObject {
  const web = {
    name: 'web',
    type: 'webservice',
    properties: { image, ports: [{ port: 8080, expose: true }], cpu: '0.01', memory: '16Mi' },
    traits: [{ type: 'scaler', properties: { replicas: 3 } }],
  };
  const objects = MAPS.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } }));
  const components = [web, { name: 'settings', type: 'k8s-objects', properties: { objects } }];
  return { ...KINDS.application, metadata: { name: 'web', namespace }, spec: { components } };
}

const HEALTH_WORDS = new RegExp(
  `^(?:${Object.values(HEALTH_STYLE)
    .map(({ word }) => word)
    .join('|')})`,
);
const KINDS_SEEN = /^(?:ApplicationRevision|Application|ConfigMap|Deployment|EndpointSlice|Pod|ReplicaSet|Service)/;

/** One line of the tree of objects as it is read: what it is, and how that is known. */
export interface SeenObject {
  readonly what: string;
  readonly isPolled: boolean;
}

/** The lines of the tree that is shown. */
export async function treeOf(page: Page): Promise<readonly SeenObject[]> {
  const lines = await page.getByRole('tree', { name: 'Objects' }).getByRole('treeitem').allTextContents();
  return lines.map((line) => ({ what: line.replace(HEALTH_WORDS, ''), isPolled: /polled/.test(line) }));
}

/** The kinds of which some line is, and none is not, polled. */
export async function polledKinds(page: Page): Promise<readonly string[]> {
  const lines = await treeOf(page);
  const kindOf = ({ what }: SeenObject) => KINDS_SEEN.exec(what)?.[0] ?? what;
  const watched = new Set(lines.filter(({ isPolled }) => !isPolled).map(kindOf));
  return [...new Set(lines.filter(({ isPolled }) => isPolled).map(kindOf))].filter((kind) => !watched.has(kind)).sort();
}

/** Takes a right away from the server; the result gives it back. */
export type TakeAway = (right: Requests) => Promise<() => Promise<void>>;
