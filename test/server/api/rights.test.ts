import { describe, expect, it, vi } from 'vitest';
import type { InboxRow } from '@/lib/contract/system-rows';
import type { Topic, TopicKind } from '@/lib/contract/topic';
import { TOPIC_KINDS } from '@/lib/contract/topic';
import { ROUTES } from '@/server/api/routes';
import type { Commands } from '@/server/commands';
import { rolloutDigest } from '@/server/rollout';
import { anApplication, aRollout, SHOP } from '../commands/rig';
import { ADDRESS, createApiRig } from './rig';

const decision = { verb: 'approve', uid: 'ro-uid', stage: 1, revision: 'front-v2', seen: { rollout: rolloutDigest(aRollout()) } } as const;
const change = { component: 'front', image: 'web:2', generation: 2 };
const appDecision = { verb: 'approve', uid: 'app-uid', seen: { garbage: 'd' } } as const;
const accept = { uid: 'app-uid', generation: 2, plan: `sha256:${'0'.repeat(64)}` };
const releasePreconditions = { kind: 'helmrelease', uid: 'u', generation: 1 } as const;
const fluxSeen = { kind: 'helmrelease-v2', verb: 'reconcile', uid: 'u', generation: 1 } as const;
const releasePlanSeen = accept.plan;
const manifest = JSON.stringify({
  apiVersion: 'core.oam.dev/v1beta1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'shop' },
  spec: anApplication().spec,
});

const AN_ACT = {
  verb: 'delete' as const,
  targets: [{ apiVersion: 'v1', kind: 'Secret', ns: 'shop', name: 'key', uid: 'secret-uid' }],
  plan: 'sha256:0',
};
const AN_END = { uid: 'app-uid', objects: 'delete' as const, plan: 'sha256:0' };
const AN_EDIT = {
  ...{ apiVersion: 'v1', kind: 'Secret', ns: 'shop', name: 'key' },
  manifest: 'apiVersion: v1\nkind: Secret\nmetadata: { name: key, namespace: shop }\n',
  seen: { uid: 'secret-uid', state: 'version:1' },
  plan: 'sha256:0',
};
const A_SECRET = { of: { group: '', named: 'Secret' }, ns: 'shop', name: 'key' };

/** For every route: a request that would succeed, and what somebody without any right is answered. */
const backRequest = { apiVersion: 'v1', kind: 'Secret', ns: 'shop', name: 'key', seen: ['data.key'] };
const REQUESTS: Readonly<
  Record<string, { readonly path?: string; readonly body?: unknown; readonly nobody: number; readonly powerless: number }>
> = {
  'GET /api/v1/session': { nobody: 401, powerless: 200 },
  'POST /api/v1/session': { body: { token: 'wrong' }, nobody: 401, powerless: 401 },
  'DELETE /api/v1/session': { nobody: 204, powerless: 204 },
  // Of a server with a provider only; see auth/oidc.test.ts.
  'POST /api/v1/session/provider': { body: {}, nobody: 400, powerless: 400 },
  'POST /api/v1/session/provider/return': { body: { code: 'c', state: 's' }, nobody: 400, powerless: 400 },
  'POST /api/v1/session/links': { body: { role: 'viewer' }, nobody: 401, powerless: 200 },
  'GET /api/v1/sessions': { path: '/api/v1/sessions?of=everyone', nobody: 401, powerless: 403 },
  'DELETE /api/v1/sessions': { path: '/api/v1/sessions?user=ada', nobody: 401, powerless: 403 },
  'DELETE /api/v1/sessions/:id': { nobody: 401, powerless: 403 },
  'GET /api/v1/rows': { path: '/api/v1/rows?topic=inbox', nobody: 401, powerless: 403 },
  'GET /api/v1/inbox/assignees': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/rollouts/:name/rights': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/rollouts/:name/decisions': { body: decision, nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/rollouts/:name/garbage': { nobody: 401, powerless: 403 },
  'GET /api/v1/trackers/:from/compare/:to': { path: '/api/v1/trackers/a/compare/b', nobody: 401, powerless: 403 },
  'GET /api/v1/applications': { nobody: 401, powerless: 403 },
  'POST /api/v1/applications': { body: { manifest }, nobody: 401, powerless: 403 },
  'GET /api/v1/applications/rights': { nobody: 401, powerless: 200 },
  'GET /api/v1/namespaces/:ns/applications/:name/rights': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/applications/:name/change': { body: change, nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/applications/:name/outdated-plan': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/applications/:name/accept-plan': { body: accept, nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/applications/:name/decisions': { body: appDecision, nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/applications/:name/delete': { body: AN_END, nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/applications/:name/actions': { body: { verb: 'suspend', uid: 'app-uid' }, nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/applications/:name/manifest': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/applications/:name/text': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/applications/:name/preview': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/applications/:name/compare': {
    path: '/api/v1/namespaces/shop/applications/web/compare?from=v1&to=v2',
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/applications/:name/drift': {
    path: '/api/v1/namespaces/shop/applications/web/drift?apiVersion=v1&kind=Secret&ns=shop&name=key',
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/applications/:name/refused-objects': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/applications/:name/revert': { body: backRequest, nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/applications/:name/replace': {
    body: { ...backRequest, uid: 'u', blast: [], waitsFor: [] },
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/releases': { nobody: 401, powerless: 403 },
  'GET /api/v1/rollouts': { nobody: 401, powerless: 403 },
  'GET /api/v1/undeclared-releases': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/undeclared-releases/:name': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/undeclared-releases/:name/history': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/undeclared-releases/:name/content': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/undeclared-releases/:name/uninstall': { body: { revision: 1, uid: 'u' }, nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/history': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/rollback': {
    path: '/api/v1/namespaces/shop/releases/web/rollback?to=1',
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/releases/:name/content': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/compare': {
    path: '/api/v1/namespaces/shop/releases/web/compare?from=1&to=2',
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/releases/:name/three-way': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/commits': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/commits/:commit': {
    path: `/api/v1/namespaces/shop/releases/web/commits/${'a'.repeat(40)}`,
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/releases/:name/commits/:commit/approval': {
    path: `/api/v1/namespaces/shop/releases/web/commits/${'a'.repeat(40)}/approval`,
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/releases/:name/rights': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/values': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/releases/:name/edit': { body: { ...releasePreconditions, values: '' }, nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/outdated-plan': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/releases/:name/accept-plan': {
    body: { ...releasePreconditions, plan: releasePlanSeen },
    nobody: 401,
    powerless: 403,
  },
  'POST /api/v1/namespaces/:ns/releases/:name/uninstall': { body: { kind: 'helmrelease', uid: 'u' }, nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/releases/:name/decisions': {
    body: { kind: 'helmrelease', verb: 'sync', uid: 'u' },
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/releases/:name/log': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/hooks': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/releases/:name/hooks/log': {
    path: '/api/v1/namespaces/shop/releases/web/hooks/log?hook=Job/migrate',
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/namespaces/:ns/releases/:name/status': { nobody: 401, powerless: 403 },
  'GET /api/v1/flux-sources': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/flux/:name': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/flux/:name/status': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/flux/:name/rights': { nobody: 401, powerless: 403 },
  'POST /api/v1/namespaces/:ns/flux/:name/actions': { body: fluxSeen, nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/applications/:name/status': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/pods/:name/log': { nobody: 401, powerless: 403 },
  'GET /api/v1/namespaces/:ns/applications/:name/logs': { nobody: 401, powerless: 403 },
  'POST /api/v1/status': {
    body: { objects: [{ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' }] },
    nobody: 401,
    powerless: 200,
  },
  'GET /api/v1/schemas/application': { nobody: 401, powerless: 200 },
  'GET /api/v1/schemas/kind': { path: '/api/v1/schemas/kind?apiVersion=example.com/v1&kind=Gadget', nobody: 401, powerless: 200 },
  'POST /api/v1/applications/check': { body: { manifest }, nobody: 401, powerless: 200 },
  'GET /api/v1/objects': { path: '/api/v1/objects?apiVersion=v1&kind=Secret&ns=shop&name=key', nobody: 401, powerless: 403 },
  'POST /api/v1/objects/actions': { body: AN_ACT, nobody: 401, powerless: 403 },
  'GET /api/v1/objects/manifest': {
    path: '/api/v1/objects/manifest?apiVersion=v1&kind=Secret&ns=shop&name=key',
    nobody: 401,
    powerless: 403,
  },
  'POST /api/v1/objects/edit': { body: AN_EDIT, nobody: 401, powerless: 403 },
  'GET /api/v1/objects/find': { path: '/api/v1/objects/find?q=web', nobody: 401, powerless: 200 },
  'GET /api/v1/kinds': { nobody: 401, powerless: 200 },
  'GET /api/v1/kinds/:group/:named/table': { path: '/api/v1/kinds/core/Secret/table?ns=shop', nobody: 401, powerless: 403 },
  'GET /api/v1/kinds/:group/:named/object': { path: '/api/v1/kinds/core/Secret/object?ns=shop&name=key', nobody: 401, powerless: 403 },
  'GET /api/v1/kinds/:group/:named/pods': { path: '/api/v1/kinds/core/Secret/pods?ns=shop&name=key', nobody: 401, powerless: 403 },
  'GET /api/v1/kinds/:group/:named/events': {
    path: '/api/v1/kinds/core/Secret/events?ns=shop&name=key&watch',
    nobody: 401,
    powerless: 403,
  },
  'GET /api/v1/activity': { nobody: 401, powerless: 403 },
  'GET /api/v1/activity/entry': { path: '/api/v1/activity/entry?id=a', nobody: 401, powerless: 403 },
  'GET /api/v1/activity/export': { nobody: 401, powerless: 403 },
  'GET /api/v1/activity/verify': { nobody: 401, powerless: 403 },
  'GET /api/v1/rollouts/history': { nobody: 401, powerless: 403 },
  'POST /api/v1/hooks/git/:id': { body: {}, nobody: 404, powerless: 404 },
  'GET /api/v1/doctor': { nobody: 401, powerless: 403 },
  'GET /healthz': { nobody: 200, powerless: 200 },
  'GET /readyz': { nobody: 200, powerless: 200 },
  'GET /metrics': { nobody: 401, powerless: 200 },
  'GET /api/v1/openapi.json': { nobody: 200, powerless: 200 },
};

const TOPICS: Readonly<Record<TopicKind, Topic>> = {
  inbox: { kind: 'inbox' },
  applications: { kind: 'applications', query: {} },
  application: { kind: 'application', ...SHOP },
  tree: { kind: 'tree', ...SHOP, query: {} },
  'tree-facets': { kind: 'tree-facets', ...SHOP },
  'tree-location': { kind: 'tree-location', ...SHOP, id: 'Deployment.apps/shop/web', query: {} },
  graph: { kind: 'graph', ...SHOP, open: [] },
  ledger: { kind: 'ledger', ...SHOP },
  'ledger-page': { kind: 'ledger-page', ...SHOP, query: {} },
  rollouts: { kind: 'rollouts', query: {} },
  rollout: { kind: 'rollout', ...SHOP },
  releases: { kind: 'releases', query: {} },
  release: { kind: 'release', of: 'helmrelease', ...SHOP },
  flux: { kind: 'flux', of: 'helmrelease-v2', ...SHOP },
  'flux-sources': { kind: 'flux-sources', query: {} },
  trackers: { kind: 'trackers', query: {} },
  strays: { kind: 'strays', query: {} },
  tracker: { kind: 'tracker', name: 'web-v1-shop' },
  activity: { kind: 'activity', query: {} },
  engine: { kind: 'engine' },
  status: { kind: 'status' },
  facets: { kind: 'facets', of: 'applications' },
};

const WAITING: InboxRow = {
  ...{
    key: 'rollout/shop/web',
    group: 'waits',
    kind: 'rollout',
    ...SHOP,
    title: 'Stage 1 of 2 waits',
    sentence: 'It waits.',
    health: 'InProgress',
    since: null,
  },
  ...{ decider: { verb: 'approve', groups: [], not: [] }, href: '/rollouts/shop/web' },
};
const AN_ENTRY = { id: 'entry', kind: 'Application', namespace: 'shop', name: 'web', noted: { plan: accept.plan } };

const COMMANDS: Readonly<Record<keyof Commands, (commands: Commands, session: Parameters<Commands['decide']>[0]) => Promise<unknown>>> = {
  decide: (commands, session) => commands.decide(session, SHOP, decision),
  decideApplication: (commands, session) => commands.decideApplication(session, SHOP, appDecision),
  decideRelease: (commands, session) => commands.decideRelease(session, SHOP, { kind: 'helmrelease', verb: 'sync', uid: 'u' }),
  uninstallRelease: (commands, session) => commands.uninstallRelease(session, SHOP, { kind: 'helmrelease', uid: 'u' }),
  uninstallUndeclared: (commands, session) => commands.uninstallUndeclared(session, SHOP, { revision: 1, uid: 'u' }),
  notUninstallUndeclaredReason: async (commands, session) =>
    refuseIfNone({ uninstall: await commands.notUninstallUndeclaredReason(session, 'shop') }),
  readEditableRelease: (commands, session) => commands.readEditableRelease(session, { ...SHOP, kind: 'helmrelease' }),
  draftRelease: (commands, session) => commands.draftRelease(session, SHOP, { ...releasePreconditions, values: '' }),
  editRelease: (commands, session) => commands.editRelease(session, SHOP, { ...releasePreconditions, values: '', plan: releasePlanSeen }),
  readWaitingRelease: (commands, session) => commands.readWaitingRelease(session, { ...SHOP, kind: 'helmrelease' }),
  acceptReleasePlan: (commands, session) => commands.acceptReleasePlan(session, SHOP, { ...releasePreconditions, plan: releasePlanSeen }),
  readReleaseRights: async (commands, session) => refuseIfNone(await commands.readReleaseRights(session, { ...SHOP, kind: 'helmrelease' })),
  actOnFlux: (commands, session) => commands.actOnFlux(session, SHOP, fluxSeen),
  readFluxRights: async (commands, session) => refuseIfNone(await commands.readFluxRights(session, { ...SHOP, kind: 'helmrelease-v2' })),
  changeComponent: (commands, session) => commands.changeComponent(session, SHOP, change),
  applyApplication: (commands, session) => commands.applyApplication(session, { manifest }),
  deleteApplication: (commands, session) => commands.deleteApplication(session, { ...AN_END, place: SHOP }),
  actOnApplication: (commands, session) => commands.actOnApplication(session, { verb: 'suspend', uid: 'app-uid', place: SHOP }),
  readMovedPlan: (commands, session) => commands.readMovedPlan(session, SHOP),
  acceptPlan: (commands, session) => commands.acceptPlan(session, SHOP, accept),
  // Of a kind that is there everybody who is signed in is told the schema, as Kubernetes does (record 0163).
  readKindSchema: async (commands, session) => {
    const { schema } = await commands.readKindSchema(session, { apiVersion: 'example.com/v1', kind: 'Gadget' });
    refuseIfEmpty(schema === null ? [] : [schema]);
  },
  readApplicationText: (commands, session) => commands.readApplicationText(session, SHOP),
  compareRevisions: (commands, session) => commands.compareRevisions(session, SHOP, { from: 'v1', to: 'v2' }),
  readRefused: (commands, session) => commands.readRefused(session, SHOP),
  readDrift: (commands, session) => commands.readDrift(session, SHOP, { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' }),
  replaceObject: (commands, session) => commands.replaceObject(session, SHOP, { ...backRequest, uid: 'u', blast: [], waitsFor: [] }),
  revertObject: (commands, session) => commands.revertObject(session, SHOP, backRequest),
  readManifest: (commands, session) => commands.readManifest(session, SHOP),
  readObject: (commands, session) => commands.readObject(session, { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' }),
  followLogs: (commands, session) =>
    commands.followLogs(
      session,
      { ns: 'shop', of: { pod: 'web' }, follow: false, previous: false, tail: 1, since: undefined },
      new AbortController().signal,
    ),
  openForward: (commands, session) => commands.openForward(session, { ns: 'shop', pod: 'web', ports: [80] }, new AbortController().signal),
  openTerminal: (commands, session) =>
    commands.openTerminal(session, { ns: 'shop', pod: 'web', columns: 80, rows: 24 }, new AbortController().signal),
  readSessions: (commands, session) => commands.readSessions(session, { of: 'everyone', page: 0, size: 50 }),
  endSession: (commands, session) => commands.endSession(session, 'of-ada'),
  endSessions: (commands, session) => commands.endSessions(session, 'ada'),
  readKinds: async (commands, session) => refuseIfEmpty((await commands.readKinds(session, 'shop')).kinds),
  readTable: (commands, session) => commands.readTable(session, A_SECRET.of, { ns: 'shop' }),
  readObjectDetail: (commands, session) => commands.readObjectDetail(session, A_SECRET),
  requireVisible: (commands, session) => commands.requireVisible(session, A_SECRET),
  actOnObjects: (commands, session) => commands.actOnObjects(session, AN_ACT),
  readEditableObject: (commands, session) =>
    commands.readEditableObject(session, { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'key' }),
  editObject: (commands, session) => commands.editObject(session, AN_EDIT),
  readPods: (commands, session) => commands.readPods(session, A_SECRET),
  readObjectEvents: (commands, session) => commands.readObjectEvents(session, A_SECRET),
  followObjectEvents: (commands, session) => commands.followObjectEvents(session, A_SECRET, new AbortController().signal).told.next(),
  findObjects: async (commands, session) => refuseIfEmpty((await commands.findObjects(session, 'web')).objects),
  readLogs: (commands, session) => commands.readLogs(session, { kind: 'Job', ns: 'shop', name: 'migrate' }),
  readRights: async (commands, session) => refuseIfNone(await commands.readRights(session, SHOP)),
  readApplicationRights: async (commands, session) => refuseIfNone(await commands.readApplicationRights(session, SHOP)),
  readCreateRights: async (commands, session) => refuseIfNone({ create: (await commands.readCreateRights(session)).create }),
  readAssignees: async (commands, session) =>
    refuseIfEmpty(Object.values((await commands.readAssignees(session, [WAITING])).assignees).filter(({ mine }) => mine)),
  readShown: async (commands, session) => refuseIfEmpty([(await commands.readShown(session, AN_ENTRY)) ?? []].flat()),
};

function refuseIfEmpty(told: readonly unknown[]): void {
  if (told.length === 0) throw Object.assign(new Error('nothing was told'), { code: 'forbidden' });
}

function refuseIfNone(rights: Readonly<Record<string, string | null>>): void {
  if (Object.values(rights).every((why) => why !== null)) throw Object.assign(new Error('no right at all'), { code: 'forbidden' });
}

/** The path that answers for one release more. */
function toFormer(path: string): string {
  return path.replace('/api/v1/', '/api/');
}

const WAYS = [
  ...Object.entries(REQUESTS),
  ...Object.entries(REQUESTS)
    .filter(([name]) => name !== toFormer(name))
    .map(
      ([name, request]) =>
        [toFormer(name), { ...request, ...(request.path === undefined ? {} : { path: toFormer(request.path) }) }] as const,
    ),
];

/** Routes that answer by a command alone. */
const COMMANDED = new Map(
  ROUTES.filter(({ command }) => command !== undefined).map((route) => [`${route.method.toUpperCase()} ${route.path}`, route]),
);

describe('nothing is done or shown without a right', () => {
  const routes = ROUTES.map((route) => `${route.method.toUpperCase()} ${route.path}`);

  it('[design 8] every route there is stands in this test', async () => {
    const { api } = await createApiRig();
    const served = [...new Set(api.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`))];
    const renamed = ROUTES.flatMap(({ method, path, formerly }) =>
      formerly === undefined ? [] : [`${method.toUpperCase()} ${path.replace(/[^/]*$/, formerly)}`],
    );
    const former = [...renamed, ...[...routes, ...renamed].map(toFormer)].filter((route) => !routes.includes(route));
    expect(served.sort()).toEqual([...routes, ...former].sort());
    expect(Object.keys(REQUESTS).sort()).toEqual([...routes].sort());
  });

  it.each(WAYS)('[design 8] %s turns away who is not signed in, and who has no right', async (name, { path, body, nobody, powerless }) => {
    const [method = 'GET', pattern = '/'] = name.split(' ');
    const address = path ?? pattern.replace(':ns', 'shop').replace(':name', 'web');
    const rig = await createApiRig(
      { may: () => false, namespaces: ['shop'], objects: [anApplication(), aRollout()] },
      { inbox: [], 'rollout/shop/web': [{ key: 'shop/web' }] },
    );
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const strange = await rig.api.request(`${ADDRESS}${address}`, { method, headers: { 'content-type': 'application/json' }, ...json });
    expect(strange.status).toBe(nobody);
    const answer = await rig.send(address, { method, ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBe(powerless);
    expect(rig.cluster.writes).toEqual([]);
    if (powerless === 403)
      expect(await answer.json()).toMatchObject({
        error: { code: 'forbidden', message: expect.stringContaining('operator may not do this') },
      });
  });

  it.each(WAYS.filter(([name]) => COMMANDED.has(name)))(
    '[design 8] %s leaves it to its command, which asks for the very act first',
    async (name, { path, body }) => {
      const [method = 'GET', pattern = '/'] = name.split(' ');
      const address = path ?? pattern.replace(':ns', 'shop').replace(':name', 'web');
      const rig = await createApiRig({ may: () => false, objects: [anApplication(), aRollout()] });
      const asked = vi.spyOn(rig.auth, 'authorise');
      const read = vi.spyOn(rig.cluster, 'as');
      await rig.send(address, { method, ...(body === undefined ? {} : { body }) });
      const query = Object.fromEntries(new URL(address, ADDRESS).searchParams);
      const act = COMMANDED.get(name)?.act({ params: SHOP, query, body }, { fromLoopback: false });
      expect(asked.mock.calls.map(([session, what]) => [session?.id, what])).toEqual([[rig.session.id, act]]);
      expect(read).not.toHaveBeenCalled();
    },
  );

  it.each(TOPIC_KINDS.filter((kind) => kind !== 'status'))('[design 8] topic %s is refused without its right', async (kind) => {
    const { auth, session } = await createApiRig({ may: () => false, namespaces: ['shop'] });
    await expect(auth.authorise(session, { kind: 'view-topic', topic: TOPICS[kind] })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(auth.authorise(undefined, { kind: 'view-topic', topic: TOPICS[kind] })).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it.each(Object.keys(COMMANDS) as (keyof Commands)[])('[design 8] command %s is refused without its right', async (name) => {
    const rig = await createApiRig({ may: () => false });
    await expect(COMMANDS[name](rig.commands, rig.session)).rejects.toMatchObject({ code: 'forbidden' });
    expect(rig.cluster.writes).toEqual([]);
    expect(Object.keys(rig.commands).sort()).toEqual(Object.keys(COMMANDS).sort());
  });
});
