import type { Hono } from 'hono';
import { AppError } from '@/lib/contract/app-error';
import type { Verified } from '@/lib/contract/audit-chain';
import type { WaitingPage } from '@/lib/contract/change-rows';
import { countChanges } from '@/lib/contract/change-rows';
import type { Finding } from '@/lib/contract/finding';
import type { Keyed } from '@/lib/contract/live';
import type { ContentComparison, ReleaseComparison } from '@/lib/contract/release-comparison';
import type { ReleasePlan } from '@/lib/contract/release-edit';
import type { GarbageView } from '@/lib/contract/tracker-rows';
import { createApi } from '@/server/api';
import type { RecordRow } from '@/server/api/api-deps';
import { createClientAddresses, createOrigins } from '@/server/auth';
import type { StoredPlan } from '@/server/commands/command-deps';
import { createMetrics, systemIds } from '@/server/platform';
import { RecordedRollouts } from '@/server/readmodel/history/rollout-history';
import type { EntriesQuery } from '@/server/store';
import { silentLog } from '../../support/silent-log';
import type { CommandRig, CommandRules } from '../commands/rig';
import { createCommandRig } from '../commands/rig';
import type { FakeReadModel } from './fake-read-model';
import { createFakeReadModel } from './fake-read-model';
import type { FakeStatuses } from './fake-statuses';
import { createFakeStatuses } from './fake-statuses';

export const ADDRESS = 'http://127.0.0.1:3000';
/** A write, and what it says. */
export const CHANGE = '/api/v1/namespaces/shop/applications/web/change';
export const change = { component: 'front', image: 'web:2', generation: 2 };

export interface ApiRig extends CommandRig {
  readonly api: Hono;
  readonly readModel: FakeReadModel;
  readonly statuses: FakeStatuses;
  /** What git servers told. */
  /** About which objects entries of the record were read. */
  readonly abouts: EntriesQuery['about'][];
  readonly calls: { readonly signature: string | undefined; readonly bytes: number }[];
  /** What was shown of changes of releases, by digest. */
  readonly plans: Map<string, StoredPlan<ReleasePlan>>;
  readonly reasons: string[];
  /** What may not be watched. */
  readonly limits: string[];
  /** What the doctor finds. */
  readonly findings: Finding[];
  /** What is on record. */
  readonly entries: (RecordRow & { readonly namespace: string; readonly data?: string })[];
  /** Sends a request as the person who is signed in; a body makes it a POST. */
  send(
    path: string,
    over?: { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string>; readonly signal?: AbortSignal },
  ): Promise<Response>;
}

const garbage: GarbageView = {
  from: 'a',
  to: 'b',
  digest: 'd',
  counts: { deleted: 0, held: 0, 'handed-over': 0, kept: 0, new: 0, gone: 0 },
  rows: [],
  refused: null,
};

const waiting: WaitingPage = {
  ...countChanges([]),
  from: [],
  to: null,
  digest: 'd',
  refused: null,
  total: 0,
  rows: [],
  decision: { objects: [], count: 0 },
  going: [],
};

const compared = (from: number, to: number, maySeeValues: boolean): ReleaseComparison => ({
  from,
  to,
  values: [],
  valuesDiffer: false,
  hidesValues: !maySeeValues,
  objects: ['ConfigMap', 'Secret'].map((kind) => ({
    apiVersion: 'v1',
    kind,
    ns: 'shop',
    name: 'web',
    change: 'changed',
    diff: [{ sign: '+', text: 'a: 1' }],
  })),
  notes: 'said',
});

const planned: Omit<ReleasePlan, keyof ContentComparison> = {
  plan: `sha256:${'5'.repeat(64)}`,
  parts: { chart: 'c', values: 'v', stored: 's', helm: 'h', account: 'a', objects: 'o' },
  from: 1,
  revision: 'a'.repeat(40),
  nondeterministic: ['ConfigMap', 'Secret'].map((kind) => ({ apiVersion: 'v1', kind, ns: 'shop', name: 'web', paths: ['data.token'] })),
  left: [],
};

const storedRevision = {
  revision: 1,
  status: 'deployed' as const,
  storedAt: null,
  chart: null,
  chartVersion: null,
  appVersion: null,
  description: null,
};
const LINE = [{ sign: '+' as const, text: 'a: b' }];
const undeclaredRow = {
  revision: 1,
  status: 'deployed',
  storedAt: null,
  storage: 'secrets' as const,
  declaredBefore: null,
  uninstall: null,
  uid: 'u',
  chart: null,
  account: null,
  objects: [],
  hooks: [],
};
const waitingCommit = {
  commit: 'a'.repeat(40),
  subject: 'web: begin',
  author: 'Ada',
  at: '2026-01-01T09:00:00Z',
  state: 'waiting',
  approval: { given: { id: 'gate.given', approvers: [], required: 1, groups: [] }, why: null },
} as const;
const threeWayRow = {
  apiVersion: 'v1',
  ns: 'shop',
  head: 'changed' as const,
  headDiff: LINE,
  live: 'differs' as const,
  why: null,
  first: 'data.a',
  fields: 1,
  by: 'kubectl',
  liveDiff: LINE,
};

/** The API over a fake cluster, a fake read model and a record of two entries. */
export async function createApiRig(
  rules: CommandRules = {},
  topics: Readonly<Record<string, readonly Keyed[]>> = {},
  verified: Verified = { entries: 2, intact: true, brokenAt: null, why: null, signed: null, head: 'h' },
): Promise<ApiRig> {
  const base = await createCommandRig(rules);
  const readModel = createFakeReadModel({ status: [{ key: 'status' }], ...topics });
  const fake = createFakeStatuses(base.cluster, base.clock);
  const calls: ApiRig['calls'] = [];
  const abouts: ApiRig['abouts'] = [];
  const plans: ApiRig['plans'] = new Map();
  const reasons: string[] = [];
  const limits: string[] = [];
  const findings: Finding[] = [];
  const entries: ApiRig['entries'] = ['a', 'b'].map((id, at) => ({
    seq: at + 1,
    id,
    at: '2026-01-01T09:00:00.000Z',
    actor: 'ada',
    action: 'decision.approve',
    apiVersion: 'v1',
    kind: 'X',
    namespace: 'shop',
    name: 'web',
    message: id,
  }));
  const api = createApi({
    auth: base.auth,
    peers: createClientAddresses({ mode: 'local', publicUrl: undefined, trustedProxies: [] }),
    origins: createOrigins({ publicUrl: undefined, host: '127.0.0.1', port: () => 3000 }),
    commands: base.commands,
    texts: base.texts,
    readModel,
    garbage: { compareTrackers: (from, to) => ({ ...garbage, from, to }), ofRollout: () => garbage, ofApplication: () => waiting },
    statuses: fake.statuses,
    helmLogs: { logOf: () => undefined },
    releases: {
      readHistory: async () => [storedRevision],
      readObjects: async () => [],
      readHooks: async () => ({ hooks: [], mask: (text) => text }),
      staleDefinitions: async () => [],
      undeclared: async (namespaces) => ({ releases: [], why: namespaces === 'all' ? null : namespaces.join(', ') }),
      readUndeclared: async ({ namespace, name }) => ({
        ...undeclaredRow,
        ns: namespace,
        name,
        refusal: name === 'unserved' ? 'it is not known' : null,
      }),
      undeclaredHistory: async () => [],
      async undeclaredContent(_release, { revision = 2, permit }) {
        await permit(revision);
        const objects = ['ConfigMap', 'Secret'].map((kind) => ({
          apiVersion: 'v1',
          kind,
          ns: 'shop',
          name: 'web',
          text: 'a: 1\n',
          why: null,
        }));
        return { revision, values: 'a: 1\n', hidesValues: false, objects, notes: 'said' };
      },
      previewRollback: async (_release, to) => ({ from: 2, to, objects: [] }),
      plan: async (_declared, { maySeeValues }) => {
        const view = (maySee: boolean): ReleasePlan => ({ ...compared(1, 2, maySee), ...planned });
        return { shown: view(maySeeValues), kept: view(false) };
      },
      schema: async () => ({ type: 'object' }),
      content: async (_at, { revision = 2, maySeeValues }) => {
        const maySee = await maySeeValues(revision);
        const objects = ['ConfigMap', 'Secret'].map((kind) => ({
          apiVersion: 'v1',
          kind,
          ns: 'shop',
          name: 'web',
          text: 'a: 1\n',
          why: null,
        }));
        return { revision, values: 'a: 1\n', hidesValues: !maySee, objects, notes: maySee ? 'said' : null };
      },
      compareThree: async (_at, { maySeeValues }) => ({
        stored: 1,
        head: { revision: 'a'.repeat(40), why: null },
        values: [],
        valuesDiffer: false,
        hidesValues: !maySeeValues,
        objects: ['ConfigMap', 'Secret'].map((kind) => ({ ...threeWayRow, kind, name: kind.toLowerCase() })),
      }),
      commits: async () => ({ head: 'a'.repeat(40), commits: [waitingCommit], more: false, why: null }),
      approvable: async (_at, { commit, lacksRight, asking }) => ({
        commit,
        chart: lacksRight || asking === undefined ? null : 'c'.repeat(40),
        ...waitingCommit.approval,
      }),
      compareCommit: async (_at, { commit, maySeeValues }) => ({
        ...compared(1, 2, maySeeValues),
        from: 1,
        commit,
        definitions: [],
        nondeterministic: [],
      }),
      compare: async (_at, { from, to, maySeeValues }) => compared(from, to, maySeeValues),
    },
    releasePlans: {
      keep: async (plan) => void plans.set(plan.digest, plan),
      read: async (digest) => plans.get(digest),
    },
    gitHooks: {
      async deliver(id, { headers, body }) {
        if (id !== 'known') throw new AppError('not-found', 'there is no such hook, or it has no secret');
        calls.push({ signature: headers['x-hub-signature-256'], bytes: body.byteLength });
      },
    },
    freshness: () => ({ observedAt: '2026-01-01T09:00:00.000Z', source: 'watch', stale: null }),
    history: new RecordedRollouts({ read: async () => [], clock: base.clock }),
    record: async () => ({
      readPage: async ({ namespaces, before = 3, size }) => ({
        total: 2,
        more: false,
        rows: entries
          .filter(({ seq, namespace }) => seq < before && (namespaces === 'all' || namespaces.includes(namespace)))
          .slice(0, size),
      }),
      readEntry: async (id, namespaces) => {
        const found = entries.find((entry) => entry.id === id && (namespaces === 'all' || namespaces.includes(entry.namespace)));
        return found && { data: '{"reason":"because"}', ...found };
      },
      readEntries: async ({ about }) => {
        abouts.push(about);
        return [];
      },
      async *export(namespaces) {
        yield* entries.filter(({ namespace }) => namespaces === 'all' || namespaces.includes(namespace));
      },
      verify: async () => verified,
    }),
    maxRequests: 50,
    maxDepth: 100,
    noteRefused: async (entry) => void base.recorded.push(entry),
    ids: systemIds,
    unready: () => reasons,
    limits: () => limits,
    examine: async () => findings,
    clock: base.clock,
    log: silentLog,
    metrics: createMetrics(),
  });
  return {
    ...base,
    api,
    entries,
    readModel,
    statuses: fake,
    abouts,
    calls,
    plans,
    reasons,
    limits,
    findings,
    async send(path, { method, body, headers = {}, signal } = {}) {
      return api.request(`${ADDRESS}${path}`, {
        ...(signal === undefined ? {} : { signal }),
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { cookie: base.cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    },
  };
}
