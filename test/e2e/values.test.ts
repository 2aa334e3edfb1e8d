import { Readable } from 'node:stream';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import type { TopicKind } from '@/lib/contract/topic';
import { TOPIC_KINDS } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import { ROUTES } from '@/server/api/routes';
import { createProgram } from '@/server/cli/program';
import type { ApiPerson } from '../support/api-person';
import { until } from '../support/until';
import type { PlantedServer } from './planted-server';
import { SHOP, startPlantedServer } from './planted-server';

const TOPICS: Readonly<Record<TopicKind, readonly string[]>> = {
  inbox: ['inbox'],
  applications: ['applications', 'applications?drifted=1', 'applications?q=canary'],
  application: ['vault', 'past', 'unreadable'].map((name) => `application/${SHOP}/${name}`),
  tree: ['vault', 'past', 'unreadable'].map((name) => `tree/${SHOP}/${name}`),
  'tree-facets': ['vault', 'past'].map((name) => `tree-facets/${SHOP}/${name}`),
  'tree-location': ['vault', 'past'].map(
    (name) => `tree-location/${SHOP}/${name}?id=${encodeURIComponent(`Application.core.oam.dev/${SHOP}/${name}`)}`,
  ),
  graph: ['vault', 'past', 'unreadable'].map((name) => `graph/${SHOP}/${name}`),
  ledger: ['vault', 'past', 'unreadable'].map((name) => `ledger/${SHOP}/${name}`),
  'ledger-page': ['vault', 'past', 'unreadable'].map((name) => `ledger-page/${SHOP}/${name}?q=secret`),
  rollouts: ['rollouts'],
  rollout: ['vault', 'past'].map((name) => `rollout/${SHOP}/${name}`),
  releases: ['releases'],
  release: ['ledger', 'shut', 'broken'].map((name) => `release/${SHOP}/helmrelease/${name}`),
  flux: [`flux/${SHOP}/helmrelease-v2/sealed`, `flux/${SHOP}/helmrepository/sealed`],
  'flux-sources': ['flux-sources'],
  trackers: ['trackers'],
  tracker: [`tracker/vault-v1-${SHOP}`, `tracker/past-v1-${SHOP}`],
  strays: ['strays'],
  activity: ['activity'],
  engine: ['engine'],
  status: ['status'],
  facets: ['facets/applications', 'facets/rollouts', 'facets/releases', 'facets/flux-sources', 'facets/trackers'],
};
const PAGES = [
  ...['/', '/applications', '/applications/new', '/rollouts', '/rollouts/history', '/releases', '/trackers', '/activity', '/engine'],
  ...['vault', 'past', 'unreadable'].flatMap((name) => ['', '/edit', '/ledger'].map((below) => `/applications/${SHOP}/${name}${below}`)),
  ...[
    `/rollouts/${SHOP}/vault`,
    `/trackers/vault-v1-${SHOP}`,
    `/releases/${SHOP}/helmrelease/ledger`,
    `/releases/${SHOP}/helmrelease/shut`,
    `/releases/${SHOP}/helmrelease/ledger/edit`,
    `/releases/${SHOP}/helmrelease-v2/sealed`,
    `/releases/${SHOP}/helmrepository/sealed`,
    '/releases/sources',
    '/objects',
    ...[
      'core/secrets',
      `core/secrets/${SHOP}/applied`,
      `core/secrets/${SHOP}/applied/edit`,
      `source.toolkit.fluxcd.io/helmrepositories/${SHOP}/sealed`,
    ].map((path) => `/objects/${path}`),
  ],
];
const APPLICATION = `/api/v1/namespaces/${SHOP}/applications`;
const RELEASE = `/api/v1/namespaces/${SHOP}/releases/ledger`;
const FLUX = `/api/v1/namespaces/${SHOP}/flux/sealed`;
const drifted = `apiVersion=v1&kind=Secret&ns=${SHOP}&name=vault-written`;
const objects = [
  `apiVersion=v1&kind=Secret&ns=${SHOP}&name=vault-written`,
  `apiVersion=v1&kind=Secret&ns=${SHOP}&name=applied`,
  `apiVersion=v1&kind=Secret&ns=${SHOP}&name=ledger-values`,
  `apiVersion=helm.toolkit.fluxcd.io/v2&kind=HelmRelease&ns=${SHOP}&name=sealed`,
  ...['Application', 'ApplicationRevision', 'ResourceTracker'].flatMap((kind) =>
    ['vault', 'past'].map((name) => {
      const version = kind === 'Application' ? name : kind === 'ApplicationRevision' ? `${name}-v1` : `${name}-v1-${SHOP}`;
      return `apiVersion=core.oam.dev/v1beta1&kind=${kind}&ns=${kind === 'ResourceTracker' ? '' : SHOP}&name=${version}`;
    }),
  ),
].map((query) => `/api/v1/objects?${query.replace('&ns=&', '&')}`);
/** Kinds of the pages about any object, and one object of each. */
const KINDS_SHOWN = [
  ['core/secrets', 'vault-written'],
  ['core/secrets', 'applied'],
  ['core.oam.dev/applications', 'past'],
  ['core.oam.dev/Application', 'vault'],
  ['core.oam.dev/applicationrevisions', 'vault-v1'],
  ['helm.toolkit.fluxcd.io/helmreleases', 'sealed'],
  ['source.toolkit.fluxcd.io/helmrepositories', 'sealed'],
] as const;
const NOBODY_TAKES = { uid: 'other', generation: 1, plan: `sha256:${'0'.repeat(64)}` };

interface Asked {
  readonly path: string;
  readonly body?: unknown;
}

interface Seen {
  readonly rollout: RolloutDetail | undefined;
  readonly vault: ApplicationDetail | undefined;
  readonly ledger: ReleaseDetail | undefined;
  /** Of the chart that is released. */
  readonly commit: string;
}

/** What is asked of each route; one that is in no line fails the test. */
function requests({ manifest }: PlantedServer, { rollout, vault, ledger, commit }: Seen): Readonly<Record<string, readonly Asked[]>> {
  const get = (...paths: readonly string[]) => paths.map((path) => ({ path }));
  const post = (path: string, ...bodies: readonly unknown[]) => bodies.map((body) => ({ path, body }));
  const names = ['vault', 'past', 'unreadable'];
  const each = (rest: string) => get(...names.map((name) => `${APPLICATION}/${name}/${rest}`));
  const put = { apiVersion: 'v1', kind: 'Secret', ns: SHOP, name: 'vault-written', seen: ['data.other'] };
  const decision = { verb: 'pause', uid: rollout?.uid, revision: 'vault-v2' };
  const release = { kind: 'helmrelease', uid: 'other' };
  const edit = { kind: 'helmrelease', uid: ledger?.uid, generation: ledger?.generation, values: 'replicas: 4\n', plan: NOBODY_TAKES.plan };
  return {
    'GET /api/v1/session': get('/api/v1/session'),
    'POST /api/v1/session': post('/api/v1/session', { token: 'nobody-has-this' }),
    'POST /api/v1/session/provider': post('/api/v1/session/provider', {}),
    'POST /api/v1/session/provider/return': post('/api/v1/session/provider/return', { code: 'nobody-has-this', state: 'nor-this' }),
    'DELETE /api/v1/session': [], // its answer is empty, and those who look are still needed
    'POST /api/v1/session/links': post('/api/v1/session/links', { role: 'viewer' }),
    'GET /api/v1/sessions': get('/api/v1/sessions', '/api/v1/sessions?of=everyone'),
    'DELETE /api/v1/sessions': [], // as above
    'DELETE /api/v1/sessions/:id': [],
    'GET /api/v1/rows': Object.values(TOPICS)
      .flat()
      .map((topic) => ({ path: `/api/v1/rows?topic=${encodeURIComponent(topic)}` })),
    'GET /api/v1/inbox/assignees': get('/api/v1/inbox/assignees'),
    'GET /api/v1/namespaces/:ns/rollouts/:name/rights': get(`/api/v1/namespaces/${SHOP}/rollouts/vault/rights`),
    'POST /api/v1/namespaces/:ns/rollouts/:name/decisions': post(`/api/v1/namespaces/${SHOP}/rollouts/vault/decisions`, decision, {
      ...decision,
      uid: 'other',
    }),
    'GET /api/v1/namespaces/:ns/rollouts/:name/garbage': get(`/api/v1/namespaces/${SHOP}/rollouts/vault/garbage`),
    'GET /api/v1/trackers/:from/compare/:to': get(`/api/v1/trackers/vault-v1-${SHOP}/compare/vault-v2-${SHOP}`),
    'POST /api/v1/applications': post(
      '/api/v1/applications',
      { manifest: manifest(3), dryRun: true },
      { manifest: manifest(3).replace(/stringData:\n(\s+)password: (.*)/, 'stringData:\n$1password: [$2]'), dryRun: true },
      { manifest: manifest(3).replace('sensitive: true', 'sensitive: [true]') },
      { manifest: `${manifest(3)}\n  broken: {` },
      { manifest: manifest(3), plan: NOBODY_TAKES.plan },
    ),
    'GET /api/v1/applications/rights': get('/api/v1/applications/rights'),
    'GET /api/v1/namespaces/:ns/applications/:name/rights': each('rights'),
    'POST /api/v1/namespaces/:ns/applications/:name/change': post(`${APPLICATION}/past/change`, {
      component: 'past',
      image: 'x:2',
      generation: 1,
      dryRun: true,
    }),
    'GET /api/v1/namespaces/:ns/applications/:name/outdated-plan': each('outdated-plan'),
    'POST /api/v1/namespaces/:ns/applications/:name/accept-plan': post(`${APPLICATION}/vault/accept-plan`, NOBODY_TAKES),
    'POST /api/v1/namespaces/:ns/applications/:name/decisions': post(`${APPLICATION}/vault/decisions`, {
      verb: 'approve',
      uid: 'other',
      seen: { garbage: 'd' },
    }),
    'POST /api/v1/namespaces/:ns/applications/:name/delete': post(
      `${APPLICATION}/vault/delete`,
      ...['delete', 'keep'].map((fate) => ({ uid: vault?.uid, objects: fate, dryRun: true })),
    ),
    'POST /api/v1/namespaces/:ns/applications/:name/actions': post(`${APPLICATION}/vault/actions`, { verb: 'suspend', uid: 'other' }),
    'GET /api/v1/namespaces/:ns/applications/:name/manifest': each('manifest'),
    'GET /api/v1/namespaces/:ns/applications/:name/text': each('text'),
    'GET /api/v1/namespaces/:ns/applications/:name/preview': each('preview'),
    'GET /api/v1/namespaces/:ns/applications/:name/refused-objects': each('refused-objects'),
    'GET /api/v1/namespaces/:ns/applications/:name/compare': get(`${APPLICATION}/vault/compare?from=v1&to=v2`),
    'GET /api/v1/namespaces/:ns/applications/:name/drift': get(`${APPLICATION}/vault/drift?${drifted}`),
    'POST /api/v1/namespaces/:ns/applications/:name/revert': post(`${APPLICATION}/vault/revert`, { ...put, seen: ['data.password'] }, put),
    'POST /api/v1/namespaces/:ns/applications/:name/replace': post(`${APPLICATION}/vault/replace`, { ...put, uid: 'other', blast: [] }),
    'GET /api/v1/applications': get('/api/v1/applications'),
    'GET /api/v1/releases': get('/api/v1/releases'),
    'GET /api/v1/rollouts': get('/api/v1/rollouts'),
    'GET /api/v1/undeclared-releases': get('/api/v1/undeclared-releases', `/api/v1/undeclared-releases?ns=${SHOP}`),
    'GET /api/v1/namespaces/:ns/undeclared-releases/:name': get(`/api/v1/namespaces/${SHOP}/undeclared-releases/loose`),
    'GET /api/v1/namespaces/:ns/undeclared-releases/:name/history': get(`/api/v1/namespaces/${SHOP}/undeclared-releases/loose/history`),
    'GET /api/v1/namespaces/:ns/undeclared-releases/:name/content': get(`/api/v1/namespaces/${SHOP}/undeclared-releases/loose/content`),
    'POST /api/v1/namespaces/:ns/undeclared-releases/:name/uninstall': post(
      `/api/v1/namespaces/${SHOP}/undeclared-releases/loose/uninstall`,
      {
        revision: 1,
        uid: 'other',
      },
    ),
    'GET /api/v1/namespaces/:ns/releases/:name': get(RELEASE, RELEASE.replace('ledger', 'shut'), RELEASE.replace('ledger', 'broken')),
    'GET /api/v1/namespaces/:ns/releases/:name/history': get(`${RELEASE}/history`),
    'GET /api/v1/namespaces/:ns/releases/:name/rollback': get(`${RELEASE}/rollback?to=1`),
    'GET /api/v1/namespaces/:ns/releases/:name/content': get(`${RELEASE}/content`, `${RELEASE}/content?revision=1`),
    'GET /api/v1/namespaces/:ns/releases/:name/compare': get(`${RELEASE}/compare?from=1&to=2`),
    'GET /api/v1/namespaces/:ns/releases/:name/three-way': get(`${RELEASE}/three-way`),
    'GET /api/v1/namespaces/:ns/releases/:name/commits': get(`${RELEASE}/commits`),
    'GET /api/v1/namespaces/:ns/releases/:name/commits/:commit': get(
      `${RELEASE}/commits/${commit}`,
      `${RELEASE}/commits/${'f'.repeat(40)}`,
    ),
    'GET /api/v1/namespaces/:ns/releases/:name/commits/:commit/approval': get(`${RELEASE}/commits/${commit}/approval`),
    'GET /api/v1/namespaces/:ns/releases/:name/rights': get(`${RELEASE}/rights`),
    'GET /api/v1/namespaces/:ns/releases/:name/log': get(`${RELEASE}/log`),
    'GET /api/v1/namespaces/:ns/releases/:name/hooks': get(`${RELEASE}/hooks`),
    'GET /api/v1/namespaces/:ns/releases/:name/hooks/log': get(`${RELEASE}/hooks/log?hook=Job/none`),
    'GET /api/v1/namespaces/:ns/releases/:name/values': get(`${RELEASE}/values`),
    'POST /api/v1/namespaces/:ns/releases/:name/edit': post(
      `${RELEASE}/edit`,
      { ...edit, dryRun: true },
      { ...edit, values: 'a: [' },
      edit,
    ),
    'GET /api/v1/namespaces/:ns/releases/:name/outdated-plan': get(`${RELEASE}/outdated-plan`),
    'POST /api/v1/namespaces/:ns/releases/:name/accept-plan': post(`${RELEASE}/accept-plan`, { kind: 'helmrelease', ...NOBODY_TAKES }),
    'POST /api/v1/namespaces/:ns/releases/:name/uninstall': post(`${RELEASE}/uninstall`, release),
    'POST /api/v1/namespaces/:ns/releases/:name/decisions': post(`${RELEASE}/decisions`, { ...release, verb: 'sync' }),
    'GET /api/v1/namespaces/:ns/releases/:name/status': get(`${RELEASE}/status`),
    'GET /api/v1/flux-sources': get('/api/v1/flux-sources'),
    'GET /api/v1/namespaces/:ns/flux/:name': get(FLUX, `${FLUX}?kind=helmrepository`),
    'GET /api/v1/namespaces/:ns/flux/:name/status': get(`${FLUX}/status`),
    'GET /api/v1/namespaces/:ns/flux/:name/rights': get(`${FLUX}/rights`),
    'POST /api/v1/namespaces/:ns/flux/:name/actions': post(`${FLUX}/actions`, {
      kind: 'helmrelease-v2',
      verb: 'force',
      uid: 'other',
      generation: 1,
    }),
    'GET /api/v1/namespaces/:ns/applications/:name/status': each('status'),
    'GET /api/v1/namespaces/:ns/pods/:name/log': get(`/api/v1/namespaces/${SHOP}/pods/none/log`),
    'GET /api/v1/namespaces/:ns/applications/:name/logs': each('logs'),
    'POST /api/v1/status': post('/api/v1/status', { objects: [{ apiVersion: 'v1', kind: 'Secret', namespace: SHOP, name: 'applied' }] }),
    'GET /api/v1/schemas/application': get('/api/v1/schemas/application'),
    'GET /api/v1/schemas/kind': get('/api/v1/schemas/kind?apiVersion=core.oam.dev/v1beta1&kind=Application'),
    'POST /api/v1/applications/check': post('/api/v1/applications/check', { manifest: manifest(3) }, { manifest: `${manifest(3)}: [` }),
    'GET /api/v1/objects': get(...objects),
    'POST /api/v1/objects/actions': post(
      '/api/v1/objects/actions',
      ...(['delete', 'restart'] as const).map((verb) => ({
        verb,
        targets: [{ apiVersion: 'v1', kind: 'Secret', ns: SHOP, name: 'applied', uid: 'other' }],
        dryRun: true,
      })),
    ),
    'GET /api/v1/objects/manifest': get(...objects.map((path) => path.replace('/objects?', '/objects/manifest?'))),
    'POST /api/v1/objects/edit': post('/api/v1/objects/edit', {
      ...{ apiVersion: 'v1', kind: 'Secret', ns: SHOP, name: 'applied' },
      ...{
        manifest: 'apiVersion: v1\nkind: Secret\nmetadata: { name: applied }\n',
        seen: { uid: 'other', state: 'version:1' },
        dryRun: true,
      },
    }),
    'GET /api/v1/objects/find': get('/api/v1/objects/find?q=vault'),
    'GET /api/v1/kinds': get('/api/v1/kinds', `/api/v1/kinds?ns=${SHOP}`),
    'GET /api/v1/kinds/:group/:named/table': get(...KINDS_SHOWN.map(([kind]) => `/api/v1/kinds/${kind}/table?ns=${SHOP}`)),
    'GET /api/v1/kinds/:group/:named/object': get(
      ...KINDS_SHOWN.map(([kind, name]) => `/api/v1/kinds/${kind}/object?ns=${SHOP}&name=${name}`),
    ),
    'GET /api/v1/kinds/:group/:named/pods': get(...KINDS_SHOWN.map(([kind, name]) => `/api/v1/kinds/${kind}/pods?ns=${SHOP}&name=${name}`)),
    'GET /api/v1/kinds/:group/:named/events': get(
      ...KINDS_SHOWN.map(([kind, name]) => `/api/v1/kinds/${kind}/events?ns=${SHOP}&name=${name}`),
    ),
    'GET /api/v1/activity': get('/api/v1/activity', '/api/v1/activity?q=canary'),
    'GET /api/v1/rollouts/history': get('/api/v1/rollouts/history', '/api/v1/rollouts/history?q=vault'),
    'GET /api/v1/activity/entry': get('/api/v1/activity/entry?id=none'),
    'GET /api/v1/activity/export': get('/api/v1/activity/export'),
    'GET /api/v1/activity/verify': get('/api/v1/activity/verify'),
    'POST /api/v1/hooks/git/:id': post('/api/v1/hooks/git/none', {}),
    'GET /api/v1/doctor': get('/api/v1/doctor'),
    'GET /healthz': get('/healthz'),
    'GET /readyz': get('/readyz'),
    'GET /metrics': get('/metrics'),
    'GET /api/v1/openapi.json': get('/api/v1/openapi.json'),
  };
}

/** Of these something must be told, or nothing would have been looked through. */
const TOLD = [
  'GET /api/v1/objects',
  'GET /api/v1/objects/manifest',
  'GET /api/v1/kinds/:group/:named/table',
  'GET /api/v1/kinds/:group/:named/object',
  'GET /api/v1/kinds/:group/:named/pods',
  'GET /api/v1/kinds/:group/:named/events',
  'GET /api/v1/namespaces/:ns/applications/:name/drift',
  'GET /api/v1/namespaces/:ns/releases/:name/content',
  'GET /api/v1/namespaces/:ns/releases/:name/compare',
  'GET /api/v1/namespaces/:ns/releases/:name/commits',
];

const COMMANDS = [
  ...[['status'], ['doctor'], ['releases'], ['audit', 'export'], ['audit', 'verify'], ['rollout', 'list']],
  ...['show', 'advance', 'rollback'].map((verb) => ['rollout', verb, 'vault', '-n', SHOP]),
  ...['show', 'history', 'values', 'manifest', 'notes', 'diff', 'commits', 'compare'].map((verb) => [
    'release',
    verb,
    'ledger',
    '-n',
    SHOP,
  ]),
  ...['shut', 'broken'].map((name) => ['release', 'show', name, '-n', SHOP]),
  ['release', 'rollback', 'ledger', '-n', SHOP, '--to', '1'],
  ...['vault', 'past', 'unreadable'].map((name) => ['wait', 'application', `${SHOP}/${name}`, '--timeout', '2s']),
];

describe('values that only their owners may read', () => {
  let planted: PlantedServer;
  const heard = new Map<string, string>();
  const hear = (where: string, text: string) => void heard.set(where, `${heard.get(where) ?? ''}\n${text}`);

  /** Hears every topic from now on, until disposed. */
  async function listen(who: string, { cookie }: ApiPerson): Promise<Disposable> {
    const socket = io(planted.server.origin, { transports: ['websocket'], extraHeaders: { cookie, origin: planted.server.origin } });
    socket.onAny((...frame: unknown[]) => hear(`pushes to the ${who}`, JSON.stringify(frame)));
    for (const topic of TOPIC_KINDS.flatMap((kind) => TOPICS[kind])) {
      hear(`topic ${topic} of the ${who}`, JSON.stringify(await socket.emitWithAck('subscribe', { topic })));
    }
    return { [Symbol.dispose]: () => void socket.disconnect() };
  }

  async function askEverything(who: string, person: ApiPerson): Promise<void> {
    const rollout = await person.row<RolloutDetail>(`rollout/${SHOP}/vault`);
    const release = await person.row<ReleaseDetail>(`release/${SHOP}/helmrelease/ledger`);
    const vault = await person.row<ApplicationDetail>(`application/${SHOP}/vault`);
    const asked = requests(planted, { rollout, vault, ledger: release, commit: release?.revision ?? '' });
    expect(ROUTES.map(({ method, path }) => `${method.toUpperCase()} ${path}`).filter((route) => asked[route] === undefined)).toEqual([]);
    for (const [route, all] of Object.entries(asked)) {
      const answers = [];
      for (const { path, body } of all) answers.push(body === undefined ? await person.get(path) : await person.post(path, body));
      for (const { text } of answers) hear(`${route} for the ${who}`, text);
      if (who === 'operator' && TOLD.includes(route))
        expect([route, answers.map(({ status }) => status)]).toEqual([route, all.map(() => 200)]);
    }
    for (const page of PAGES) hear(`page ${page} for the ${who}`, (await person.get(page)).text);
  }

  beforeAll(async () => {
    planted = await startPlantedServer();
  });
  afterAll(async () => {
    await planted?.[Symbol.asyncDispose]();
  });

  it('[issue 10.1, design 8] are in no topic, answer, page, line of the log, Event, condition, metric or export, and nothing the command prints', async () => {
    const { operator, viewer, server, manifest, values, link } = planted;
    const people = { operator, viewer };
    {
      using _operator = await listen('operator', operator);
      using _viewer = await listen('viewer', viewer);
      const next = await operator.post('/api/v1/applications', { manifest: manifest(2) });
      expect([next.status, next.text]).toEqual([202, expect.any(String)]);
      await until('the second revision is at its gate', async () => {
        const rollout = await operator.row<RolloutDetail>(`rollout/${SHOP}/vault`);
        return rollout?.actions.some(({ verb, allowed }) => verb === 'approve' && allowed) ?? false;
      });
      for (const [who, person] of Object.entries(people)) await askEverything(who, person);
    }
    for (const command of COMMANDS) {
      for (const role of ['operator', 'viewer'] as const) {
        const token = new URL(await link(role)).searchParams.get('token') ?? '';
        hear(`slipway ${command.join(' ')} by the ${role}`, await slipway(command, { url: server.origin, token }));
      }
    }
    expect(heard.get(`slipway release diff ledger -n ${SHOP} by the operator`)).toContain('replicas');
    expect(heard.get(`slipway rollout show vault -n ${SHOP} by the operator`)).toMatch(/^advance +yes$/m);
    hear('the log', server.stderr());
    expect(heard.get('the log')).toContain('"level":20');

    const leaks = [...heard].flatMap(([where, text]) => values.foundIn(text).map((what) => `${where} tells ${what}`));
    expect(leaks).toEqual([]);
  });

  it('[issue 10.1] are in no object of the cluster but those that they were written into', async () => {
    const { cluster, values } = planted;
    const found = new Set<string>();
    const listed = (await cluster.discovery.all()).filter(({ kind, verbs }) => verbs.includes('list') && kind !== 'Secret');
    expect(listed.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Event', 'ApplicationRevision', 'ResourceTracker', 'HelmRelease', 'StageDecision']),
    );
    for (const { group, version, kind } of listed) {
      const pages = cluster.list({ apiVersion: group === '' ? version : `${group}/${version}`, kind });
      for await (const { items } of pages) {
        for (const one of items) if (values.foundIn(JSON.stringify(one)).length > 0) found.add(`${kind} ${one.metadata.name}`);
      }
    }
    // What kubectl wrote into an application is in that application, and into what Flux drives in that.
    expect([...found].sort()).toEqual(['Application past', 'Application unreadable', 'HelmRelease sealed', 'HelmRepository sealed']);
    expect(values.foundIn(JSON.stringify(await cluster.get({ ...KINDS.application, namespace: SHOP, name: 'past' })))).toHaveLength(5);
  });
});

/** All that the command prints, however it ends. */
async function slipway(args: readonly string[], { url, token }: { readonly url: string; readonly token: string }): Promise<string> {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const program = createProgram({ print, warn: print, fetch, stdin: Readable.from([]), fail: () => undefined });
  await program.parseAsync([...args, '--url', url, '--token', token], { from: 'user' }).catch((error: unknown) => print(String(error)));
  return printed.join('\n');
}
