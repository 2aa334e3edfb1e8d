import type { Auth, Session } from '@/server/auth';
import { createAuth } from '@/server/auth';
import type { AuthDeps } from '@/server/auth/auth';
import { systemIds } from '@/server/platform';
import type { SessionRow, Store } from '@/server/store';
import { ManualClock } from '@/test/support/manual-clock';
import { silentLog } from '../../support/silent-log';
import type { FakeCluster, FakeRules } from './fake-cluster';
import { createFakeCluster } from './fake-cluster';

/** A store of sessions in a map; asking it for anything else is a mistake of the test. */
export function createFakeStore(): { readonly store: Store; readonly rows: Map<string, SessionRow> } {
  const rows = new Map<string, SessionRow>();
  const ended: string[] = [];
  const unused = new Proxy({}, { get: (_target, name) => () => Promise.reject(new Error(`the fake store has no ${String(name)}`)) });
  const store: Store = {
    sessions: {
      add: async (row) => void rows.set(row.cookieHash, row),
      read: async (hash) => rows.get(hash),
      touch: async (hash) => rows.has(hash),
      end: async (hashes) => {
        for (const hash of hashes) if (rows.delete(hash)) ended.push(hash);
      },
      endedSince: async () => ended,
      list: async ({ user, q = '', page, size }) => {
        const found = [...rows.values()].filter(
          (row) => (user === undefined || row.user === user) && `${row.user} ${row.address}`.includes(q),
        );
        return { total: found.length, rows: found.slice(page * size, (page + 1) * size) };
      },
      find: async (handle) => [...rows.values()].find((row) => row.handle === handle),
      ofUser: async (user) => [...rows.values()].filter((row) => row.user === user),
      beyondNewest: async ({ user, isCommand }, count) => {
        const own = [...rows.values()].filter((row) => row.user === user && row.isCommand === isCommand);
        return own.slice(0, Math.max(0, own.length - count)).map((row) => row.cookieHash);
      },
      prune: async () => undefined,
    },
    audit: unused as Store['audit'],
    samples: unused as Store['samples'],
    previews: unused as Store['previews'],
    keys: unused as Store['keys'],
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { store, rows };
}

export interface AuthRig {
  readonly auth: Auth;
  readonly clock: ManualClock;
  readonly cluster: FakeCluster;
  readonly rows: Map<string, SessionRow>;
  readonly deps: AuthDeps;
  /** Signs in with the printed token, or another one. */
  signIn(token?: string): Promise<{ readonly session: Session; readonly cookie: string }>;
}

/** Sign-in and rights over a fake cluster and a manual clock. */
export function createAuthRig(rules: FakeRules = {}, over: Partial<AuthDeps> = {}): AuthRig {
  const clock = new ManualClock();
  const cluster = createFakeCluster(rules);
  const { store, rows } = createFakeStore();
  const deps: AuthDeps = {
    mode: 'local',
    host: '127.0.0.1',
    secure: false,
    instance: 'test',
    maxSessions: 10,
    maxSignIns: 10,
    mayInvite: true,
    store: async () => store,
    cluster,
    clock,
    ids: systemIds,
    log: silentLog,
    ...over,
  };
  const auth = createAuth(deps);
  return {
    auth,
    clock,
    cluster,
    rows,
    deps,
    async signIn(token = auth.firstToken ?? '') {
      const { session, setCookie } = await auth.signIn(token);
      return { session, cookie: cookieOf(setCookie) };
    },
  };
}

/** The Cookie header that a browser would send after a Set-Cookie. */
export function cookieOf(setCookie: string): string {
  return setCookie.split(';')[0] ?? '';
}
