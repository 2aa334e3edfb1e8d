import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { SocketLike } from '@/components/live/live-client';
import { createLiveClient } from '@/components/live/live-client';
import { liveKey } from '@/components/live/live-query';
import { postJson, readExactly, readJson } from '@/components/live/request';
import type { SubscribeAnswer } from '@/lib/contract/live';
import { objectHref } from '@/lib/contract/object-address';
import { readEscapedName } from '@/lib/std/text/hidden-characters';
import { showAllHidden, showHidden, showInTerminal } from '@/lib/words/show-hidden';
import { createProgram } from '@/server/cli/program';

const TURNED = 'approve \u202etxt.exe';
const SHOWN = 'approve \\u202etxt.exe';

describe('a text with signs that nobody sees', () => {
  it.each([
    ['turned around', '\u202e', '\\u202e'],
    ['isolated', '\u2066a\u2069', '\\u2066a\\u2069'],
    ['with a joint of no width', 'pay\u200bpal', 'pay\\u200bpal'],
    ['with a byte order mark', '\ufeffx', '\\ufeffx'],
    ['with a soft hyphen', 'a\u00adb', 'a\\u00adb'],
    ['with tags', '\u{e0041}', '\\udb40\\udc41'],
    ['with a filler', 'a\u3164', 'a\\u3164'],
    ['with a line end of its own', 'a\u2028b', 'a\\u2028b'],
    ['with a selector that chooses no look', 'a\ufe0fdmin', 'a\\ufe0fdmin'],
    ['with one behind a digit', 'web-1\ufe0f', 'web-1\\ufe0f'],
    ['with a selector of a rare sign', 'a\u{e0100}', 'a\\udb40\\udd00'],
    ['with a sign that is kept for later', 'a\u2065', 'a\\u2065'],
    ['that moves the cursor of a terminal', '\u001b[2Jx', '\\u001b[2Jx'],
  ])('[issue 10.5] %s is shown with its escape', (_what, text, shown) => {
    expect(showHidden(text)).toBe(shown);
  });

  it.each(['rollout of shop/web', 'zwölf Kühe, 東京, שלום, مرحبا', 'a\tb\nc', '⚠️ 100 %, 1\ufe0f\u20e3'])(
    '[issue 10.5] and none such as %j is left as it is',
    (text) => {
      expect(showHidden(text)).toBe(text);
    },
  );

  it('[issue 10.5] is found wherever it stands, and what has none is not copied', () => {
    const clean = { rows: [{ name: 'web' }] };
    expect(showAllHidden({ rows: [{ name: TURNED, [TURNED]: [1, null, TURNED] }], clean })).toEqual({
      rows: [{ name: SHOWN, [SHOWN]: [1, null, SHOWN] }],
      clean,
    });
    expect(showAllHidden(clean)).toBe(clean);
  });
});

describe('a name that is shown with escapes', () => {
  it.each(['\u202etxt', 'a\u200bb', 'x\u{e0041}', 'a\ufe0fb', 'x\u{e0100}', 'web-1', '\u041f'])(
    '[issue 10.5] %j leads to the object that it names',
    (name) => {
      expect(readEscapedName(showHidden(name))).toBe(name);
      const shown = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', ns: null, name: showHidden(name) };
      expect(objectHref(shown)).toBe(`/objects/rbac.authorization.k8s.io/ClusterRole/-/${encodeURIComponent(name)}`);
    },
  );

  it('[issue 10.5] is otherwise left as it is', () => {
    expect(readEscapedName('a\\u0041\\x')).toBe('a\\u0041\\x');
  });
});

describe('a page', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('[issue 10.5] shows escapes in what it reads and in refusals, and has a text that is edited to the letter', async () => {
    const answer = (body: unknown, status = 200) => vi.stubGlobal('fetch', async () => Response.json(body, { status }));
    answer({ reason: TURNED });
    const schema = z.object({ reason: z.string() });
    expect(await readJson('/x', schema)).toEqual({ reason: SHOWN });
    expect(await postJson('/x', {}, schema)).toEqual({ reason: SHOWN });
    expect(await readExactly('/x', schema)).toEqual({ reason: TURNED });
    answer({ error: { code: 'forbidden', message: TURNED } }, 403);
    await expect(readJson('/x', schema)).rejects.toThrow(SHOWN);
  });

  it('[issue 10.5] shows escapes in rows that are pushed', () => {
    const handlers = new Map<string, (...args: never[]) => void>();
    const answers: ((answer: SubscribeAnswer) => void)[] = [];
    const socket = {
      connected: true,
      on: (event: string, handler: (...args: never[]) => void) => void handlers.set(event, handler),
      emit: (_event: string, _request: unknown, answer?: (answer: SubscribeAnswer) => void) => void (answer && answers.push(answer)),
      connect: () => undefined,
      disconnect: () => undefined,
      io: { on: () => undefined },
    };
    const queries = new QueryClient();
    const client = createLiveClient({
      queries,
      socket: socket as unknown as SocketLike,
      now: () => 0,
      askSession: async () => 'no-answer',
    });
    client.start();
    client.watch('inbox');
    const window = (seq: number) => ({
      seq: { bootId: 'a', seq },
      freshness: { observedAt: '2026-01-01T00:00:00Z', source: 'watch', stale: null } as const,
      total: 1,
      order: ['a'],
      rows: [{ key: 'a', title: TURNED }],
    });
    handlers.get('connect')?.();
    answers[0]?.({ kind: 'snapshot', snapshot: window(1) });
    expect(queries.getQueryData(liveKey('inbox'))).toMatchObject({ rows: [{ title: SHOWN }] });
    handlers.get('rows')?.(...(['inbox', window(2)] as never[]));
    expect(queries.getQueryData(liveKey('inbox'))).toMatchObject({ seq: { seq: 2 }, rows: [{ title: SHOWN }] });
  });
});

describe('a command', () => {
  const FORGED = 'fine\nshop/bank\tCurrent\rok \u001b[2J';
  const LINE = 'fine\\nshop/bank\\tCurrent\\rok \\u001b[2J';

  const run = async (args: readonly string[], answer: () => Response) => {
    const printed: string[] = [];
    const program = createProgram({
      print: (text) => printed.push(text),
      warn: (text) => printed.push(text),
      fetch: async (input, init) => {
        const session = { user: 'ada', groups: [], mode: 'token', mayInvite: false, expiresAt: '2026-01-01T00:00:00Z' };
        return new URL(String(input)).pathname === '/api/v1/session' || init?.method === 'DELETE' ? Response.json(session) : answer();
      },
      stdin: Readable.from(['']),
      fail: () => undefined,
    });
    await program.parseAsync([...args, '--url', 'http://127.0.0.1:1', '--token', 't'], { from: 'user' });
    return printed.join('\n');
  };

  it('[issue 10.5] prints what somebody wrote in one line, so that it is no line of ours, and a manifest to the letter', async () => {
    const finding = { area: 'rights', subject: 'shop', sentence: FORGED, remedy: null };
    expect(await run(['doctor'], () => Response.json({ findings: [finding] }))).toBe(`rights: ${LINE}`);
    const refusal = { error: { code: 'forbidden', message: FORGED } };
    await expect(run(['doctor'], () => Response.json(refusal, { status: 403 }))).rejects.toThrow(new Error(LINE));
    const content = { revision: 1, values: 'a: 1\nb: 2\n', hidesValues: false, objects: [], notes: null };
    const written = await run(['release', 'values', 'web', '--undeclared'], () => Response.json(content));
    expect(written).toBe('a: 1\nb: 2');
  });

  it('[issue 10.5] waits, and says what objects say of themselves in one line', async () => {
    const object = { group: 'a.b', kind: 'Box', ns: 'shop', name: 'one', status: 'InProgress', message: FORGED, rule: null, generated: [] };
    const events = [
      `event: change\ndata: ${JSON.stringify({ status: 'InProgress', message: FORGED, object: { ...object, apiVersion: 'a.b/v1', source: 'watch', ageSeconds: 0, stale: null } })}\n\n`,
      `event: end\ndata: ${JSON.stringify({ outcome: 'failed', status: 'Failed', message: FORGED, sentence: FORGED })}\n\n`,
    ];
    const answer = () => new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
    const text = await run(['wait', 'application', 'web', '-n', 'shop'], answer);
    expect(text.split('\n')).toEqual([`box.a.b/one InProgress: ${LINE}`, expect.stringContaining(LINE)]);
  });

  it('[issue 10.5] moves no cursor of a terminal and writes over no line, in what it prints and in what it fails with', async () => {
    expect(showInTerminal('a\r\nb\rc\n\u001b[2J')).toBe('a\r\nb\\rc\n\\u001b[2J');
    const failed = promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      'server/cli/slipway.ts',
      'audit',
      'verify',
      '--file',
      '/no/\u001b[2Jx\ry',
    ]);
    await expect(failed).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('/no/\\u001b[2Jx\\ry') });
  });
});
