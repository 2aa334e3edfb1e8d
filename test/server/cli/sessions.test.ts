import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgram } from '@/server/cli/program';

const row = {
  ...{ key: '5b1e', user: 'ada', client: 'Firefox 144 on Linux', isCommand: false, address: '10.0.0.7', since: '2026-11-20T09:00:00.000Z' },
  ...{ lastUsedAt: null, endsAt: '2026-11-20T21:00:00.000Z', isThis: true },
};

async function run(args: readonly string[], rows: readonly unknown[] = [row]) {
  const printed: string[] = [];
  const asked: string[] = [];
  const program = createProgram({
    print: (text) => printed.push(text),
    fetch: async (input, init) => {
      const url = new URL(String(input));
      if (url.pathname === '/api/v1/session')
        return Response.json({ user: 'ada', groups: [], mode: 'token', mayInvite: false, expiresAt: row.endsAt });
      asked.push(`${init?.method ?? 'GET'} ${url.pathname}${url.search}`);
      if (init?.method === 'DELETE') return Response.json({ ended: rows.length });
      return Response.json({ total: rows.length, rows, refused: { see: null, end: null } });
    },
    stdin: Readable.from(['']),
    warn: () => undefined,
    fail: () => undefined,
  });
  await program.parseAsync(['sessions', ...args, '--url', 'http://127.0.0.1:1', '--token', 't'], { from: 'user' });
  return { text: printed.join('\n'), asked };
}

describe('slipway sessions list', () => {
  it('[issue 14.3] tells one’s own, the one that asks marked', async () => {
    const { text, asked } = await run(['list']);
    expect(asked).toEqual(['GET /api/v1/sessions?of=mine&page=0&size=200']);
    expect(text).toMatch(/^ID +USER +CLIENT +ADDRESS +SIGNED IN +LAST USED\n/);
    expect(text).toMatch(/5b1e +ada +Firefox 144 on Linux \(this one\) +10\.0\.0\.7 +2026-11-20T09:00:00\.000Z +-$/);
    expect((await run(['list'], [])).text).toBe('no sessions');
  });

  it('[issue 14.3] asks for those of everyone, and for a text, where that is said', async () => {
    expect((await run(['list', '--everyone', '--search', 'ada'])).asked).toEqual([
      'GET /api/v1/sessions?of=everyone&q=ada&page=0&size=200',
    ]);
  });
});

describe('slipway sessions end', () => {
  it.each([
    [['a/b'], 'DELETE /api/v1/sessions/a%2Fb'],
    [['--others'], 'DELETE /api/v1/sessions'],
    [['--user', 'oidc:ada'], 'DELETE /api/v1/sessions?user=oidc%3Aada'],
  ])('[issue 14.3] %s', async (args, request) => {
    const { asked, text } = await run(['end', ...args]);
    expect(asked).toEqual([request]);
    expect(text).toBe('ended 1 session');
  });

  it.each([[[]], [['id', '--others']], [['--others', '--user', 'ada']]])('[issue 14.3] ends nothing by a guess: %j', async (args) => {
    await expect(run(['end', ...args])).rejects.toThrow('name the sessions to end: an id, --others, or --user USER');
  });

  it('[issue 14.3] says where there was none', async () => {
    expect((await run(['end', '--others'], [])).text).toBe('no session to end');
  });
});
