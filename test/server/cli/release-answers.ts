import { Readable } from 'node:stream';
import { createProgram } from '@/server/cli/program';
import { releaseDetail, releaseRows } from '../../support/fixture/releases';
import { backFrom } from '../../support/fixture/times';

export const back = backFrom(Date.UTC(2026, 10, 20, 9, 30));
export const [ledger] = releaseRows(back);
const SESSION = { user: 'ada', groups: [], mode: 'token', mayInvite: false, expiresAt: back(-60) };
const DECISION = { user: 'ada', revision: 3, commit: null, digest: null, reason: 'r', createdAt: back(0) };

/** Runs the command against answers by path; what it sends is kept. */
export async function run(args: readonly string[], answers: Readonly<Record<string, unknown>>) {
  const printed: string[] = [];
  const sent: unknown[] = [];
  const asked: string[] = [];
  let failed = false;
  const program = createProgram({
    print: (text) => printed.push(text),
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      asked.push(String(input));
      if (pathname === '/api/v1/session') return Response.json(SESSION);
      if (init?.method === 'POST') sent.push(JSON.parse(String(init.body)));
      const known = answers[`${init?.method ?? 'GET'} ${pathname}`];
      const answer: unknown = typeof known === 'function' ? known() : known;
      return answer === undefined
        ? Response.json({ error: { code: 'not-found', message: `no ${pathname}` } }, { status: 404 })
        : Response.json(answer);
    },
    stdin: Readable.from(['']),
    warn: () => undefined,
    fail: () => {
      failed = true;
    },
  });
  await program.parseAsync([...args, '--url', 'http://127.0.0.1:1', '--token', 't'], { from: 'user' });
  return { text: printed.join('\n'), failed, sent, asked };
}

export const windowOf = (rows: readonly unknown[]) => ({
  seq: { bootId: 'b', seq: 1 },
  freshness: { observedAt: back(0), source: 'watch', stale: null },
  total: rows.length,
  order: [],
  rows,
});
export const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
export const answered = (phase: string, verb: string, message: string) => ({
  ...releaseDetail(back),
  decisions: [{ ...DECISION, key: 'd1', verb, phase, message }],
});
export const answers = {
  'GET /api/v1/releases': windowOf(releaseRows(back)),
  [`GET ${RELEASE}`]: answered('Accepted', 'rollback', 'Helm is going back to revision 3'),
  [`GET ${RELEASE}/rollback`]: {
    from: 4,
    to: 3,
    objects: [{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'a', change: 'deleted' }],
  },
  [`POST ${RELEASE}/decisions`]: { accepted: { kind: 'ReleaseDecision', ns: 'pay', name: 'ledger-x', uid: 'd1' } },
};

/** A stored revision of which nothing more is known. */
export const storedRevision = (more: object) => ({
  status: 'deployed',
  storedAt: null,
  chart: null,
  chartVersion: null,
  appVersion: null,
  description: null,
  cause: null,
  ...more,
});

/** A release that no resource declares. */
export const undeclaredRelease = {
  ns: 'pay',
  name: 'by-hand',
  revision: 2,
  status: 'deployed',
  storedAt: null,
  storage: 'secrets',
  declaredBefore: null,
  uninstall: null,
};
