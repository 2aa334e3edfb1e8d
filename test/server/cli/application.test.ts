import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgram } from '@/server/cli/program';
import { applicationDetail } from '../../support/fixture/applications';
import { backFrom } from '../../support/fixture/times';

const back = backFrom(Date.UTC(2026, 10, 20, 9, 30));
const SESSION = { user: 'ada', groups: [], mode: 'token', mayInvite: false, expiresAt: back(-60) };
const WEB = '/api/v1/namespaces/shop/applications/web';
const detail = { ...applicationDetail(back), ns: 'shop', name: 'web', uid: 'app-uid' };
const preview = {
  counts: { deleted: 1 },
  kinds: [{ kind: 'ConfigMap', count: 1 }],
  objects: 'delete',
  changes: [
    {
      ...{ id: 'ConfigMap/shop/a', apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'a', uid: 'u' },
      ...{ verdict: 'deleted', why: 'its application is being deleted', blast: [], diff: null },
    },
  ],
  consequences: ['It cannot be undone.'],
  refused: null,
  waits: null,
  approves: false,
  plan: 'sha256:1',
};

const LIVE = {
  ...{ seq: { bootId: 'b', seq: 1 }, freshness: { observedAt: back(0), source: 'watch', stale: null } },
  ...{ total: 1, order: [], rows: [detail] },
};

async function run(args: readonly string[], more: Readonly<Record<string, unknown>> = {}) {
  const printed: string[] = [];
  const sent: unknown[] = [];
  let failed = false;
  const answers: Readonly<Record<string, unknown>> = {
    'GET /api/v1/rows': LIVE,
    [`POST ${WEB}/actions`]: { accepted: { kind: 'Application', ns: 'shop', name: 'web', uid: 'app-uid' } },
    [`POST ${WEB}/delete`]: { accepted: { kind: 'Application', ns: 'shop', name: 'web', uid: 'app-uid' }, waits: null },
    ...more,
  };
  const program = createProgram({
    print: (text) => printed.push(text),
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      if (pathname === '/api/v1/session') return Response.json(SESSION);
      const body = init?.method === 'POST' ? JSON.parse(String(init.body)) : undefined;
      if (body !== undefined) sent.push(body);
      return Response.json(body?.dryRun ? { ...preview, ...(more.preview as object) } : answers[`${init?.method ?? 'GET'} ${pathname}`]);
    },
    stdin: Readable.from(['']),
    warn: () => undefined,
    fail: () => {
      failed = true;
    },
  });
  await program.parseAsync(['application', ...args, 'web', '-n', 'shop', '--url', 'http://127.0.0.1:1', '--token', 't'], { from: 'user' });
  return { text: printed.join('\n'), failed, sent };
}

describe('slipway application', () => {
  it('[issue 14.1] show tells how it is, and what keeps its engine from it', async () => {
    const message = 'Suspended by ann: nothing is rendered, dispatched or deleted; everything is ready';
    const live = { ...LIVE, rows: [{ ...detail, activity: 'suspended', message }] };
    const { text } = await run(['show'], { 'GET /api/v1/rows': live });
    expect(text.split('\n')[0]).toBe(`shop/web\t${detail.health}, suspended\t${message}`);
  });

  it.each(['refresh', 'suspend', 'resume'] as const)(
    '[issue 14.1] %s acts on the application that is there now, with the reason',
    async (verb) => {
      const { text, sent } = await run([verb, '--reason', 'a migration']);
      expect(sent).toEqual([{ verb, uid: 'app-uid', reason: 'a migration' }]);
      expect(text).toMatch(/^web is /);
    },
  );

  it('[issue 14.1] delete shows what it would do, and does exactly that when told to', async () => {
    const shown = await run(['delete']);
    expect(shown.sent).toEqual([{ uid: 'app-uid', objects: 'delete', dryRun: true }]);
    expect(shown.text).toBe(
      'deleted\tConfigMap\tshop/a\tits application is being deleted\nIt cannot be undone.\nNothing was done; add --yes to do it.',
    );
    const done = await run(['delete', '--keep-objects', '--yes']);
    expect(done.sent.at(-1)).toEqual({ uid: 'app-uid', objects: 'keep', plan: 'sha256:1' });
    expect(done.text).toContain('web is being deleted.');
  });

  it('[issue 14.1] delete sends nothing that is refused, and says what waits for an approval', async () => {
    const refused = await run(['delete', '--yes'], { preview: { refused: 'ada may not delete ConfigMaps' } });
    expect([refused.failed, refused.sent.length, refused.text]).toEqual([
      true,
      1,
      expect.stringContaining('ada may not delete ConfigMaps'),
    ]);
    const waits = await run(['delete', '--yes'], {
      preview: { waits: 'it would delete 6 of 6 objects' },
      [`POST ${WEB}/delete`]: {
        accepted: { kind: 'Application', ns: 'shop', name: 'web', uid: 'app-uid' },
        waits: 'it would delete 6 of 6 objects',
      },
    });
    expect(waits.text).toContain('nothing is deleted until it is approved: it would delete 6 of 6 objects');
    expect(waits.text).toContain('web will be deleted once its deletion is approved.');
  });
});
