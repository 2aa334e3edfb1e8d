import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRow } from '@/lib/contract/audit-chain';
import { coveredText, GENESIS } from '@/lib/contract/audit-chain';
import { createProgram } from '@/server/cli/program';
import { createApiRig } from '../api/rig';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A record of so many entries, as an export has it. */
function aRecord(entries: number): AuditRow[] {
  const rows: AuditRow[] = [];
  for (let seq = 1; seq <= entries; seq++) {
    const row = {
      seq,
      id: `e${seq}`,
      at: '2026-01-01T09:00:00.000Z',
      actor: 'ada',
      action: 'decision.approve',
      apiVersion: 'v1',
      kind: 'X',
      namespace: null,
      name: 'x',
      message: 'm',
      data: null,
      previous: rows.at(-1)?.hash ?? GENESIS,
    };
    rows.push({ ...row, hash: sha256(coveredText(row)) });
  }
  return rows;
}

const toLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

async function run(args: readonly string[], over: { readonly stdin?: string; readonly fetch?: typeof fetch } = {}) {
  const printed: string[] = [];
  let failed = false;
  const program = createProgram({
    print: (text) => printed.push(text),
    fetch: over.fetch ?? (() => Promise.reject(new Error('no server'))),
    stdin: Readable.from([over.stdin ?? '']),
    warn: () => undefined,
    fail: () => {
      failed = true;
    },
  });
  await program.parseAsync([...args], { from: 'user' });
  return { text: printed.join('\n'), failed };
}

describe('slipway audit verify', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-cli-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('[design 5] checks an exported record without a server and tells the newest hash', async () => {
    const file = path.join(folder, 'record.jsonl');
    const rows = aRecord(3);
    await writeFile(file, toLines(rows));
    expect(await run(['audit', 'verify', '--file', file])).toEqual({
      text: `3 entries, each follows from the one before\nnewest hash ${rows[2]?.hash}`,
      failed: false,
    });
    expect(await run(['audit', 'verify', '--file', '-'], { stdin: '' })).toMatchObject({ text: expect.stringContaining('0 entries'), failed: false });
  });

  it.each([
    ['a changed text', (rows: AuditRow[]) => rows.map((row) => (row.seq === 2 ? { ...row, message: 'other' } : row)), 2],
    ['a missing entry', (rows: AuditRow[]) => rows.filter(({ seq }) => seq !== 2), 2],
    ['a missing beginning', (rows: AuditRow[]) => rows.slice(1), 1],
    ['a forged hash', (rows: AuditRow[]) => rows.map((row) => (row.seq === 3 ? { ...row, actor: 'eve', hash: sha256('eve') } : row)), 3],
  ])('[design 5] finds %s', async (_what, tamper, at) => {
    const { text, failed } = await run(['audit', 'verify', '--file', '-'], { stdin: toLines(tamper(aRecord(3))) });
    expect(text).toContain(`broken at entry ${at}`);
    expect(failed).toBe(true);
  });

  it('[design 5] says which line is no entry', async () => {
    await expect(run(['audit', 'verify', '--file', '-'], { stdin: `${toLines(aRecord(1))}nonsense\n` })).rejects.toThrow(
      'line 2 wants an entry of the record, found nonsense',
    );
  });
});

describe('slipway as a client', () => {
  const status = {
    key: 'status',
    cluster: { kind: 'embedded', name: 'embedded', version: null },
    reachable: true,
    trouble: null,
    counts: { waits: 1, failing: 0, moving: 2, applications: 3 },
    namespaces: [],
    standings: { rollout: { mode: 'drive', why: null } },
  };

  async function aServer(row: object = status) {
    const rig = await createApiRig({}, { status: [row as never] });
    const token = await rig.auth.createLink(rig.session, 'viewer');
    const send: typeof fetch = async (input, init) => rig.api.request(String(input), init);
    return { rig, token, send };
  }

  it('[design 8] does not pass what one may not see for none', async () => {
    const { token, send } = await aServer({ ...status, counts: null });
    const { text } = await run(['status', '--token', token], { fetch: send });
    expect(text).toContain('applications  unknown: you may list them in no namespace');
    expect(text).not.toContain('waiting');
  });

  it('[design 4] tells the status and signs out again', async () => {
    const { rig, token, send } = await aServer();
    const { text, failed } = await run(['status', '--token', token], { fetch: send });
    expect(text).toContain('cluster       embedded (simulated)');
    expect(text).toContain('waiting       1');
    expect(failed).toBe(false);
    expect([...rig.rows.values()].map(({ user }) => user)).toEqual(['operator']);
  });

  it('[design 4] fails when the data is stale', async () => {
    const { token, send } = await aServer({ ...status, trouble: { since: '2026-01-01T09:00:00Z', sentence: 'The API server does not answer' } });
    expect(await run(['status', '--token', token], { fetch: send })).toMatchObject({
      text: expect.stringContaining('The API server does not answer'),
      failed: true,
    });
  });

  it('[issue 9.3] the doctor tells each finding with the command that mends it, and fails if there is any', async () => {
    const { rig, token, send } = await aServer();
    expect(await run(['doctor', '--token', token], { fetch: send })).toEqual({
      text: 'all is in order: modes, definitions, policies and rights',
      failed: false,
    });
    rig.findings.push(
      {
        area: 'definitions',
        subject: 'RolloutOrchestrator',
        sentence: 'it drops spec.control.gates',
        mend: 'kubectl apply -f deploy/crds/rolloutorchestrators.yaml',
      },
      { area: 'modes', subject: 'rollout engine', sentence: 'another controller drives rollouts', mend: null },
    );
    const again = await rig.auth.createLink(rig.session, 'operator');
    expect(await run(['doctor', '--token', again], { fetch: send })).toEqual({
      text: 'definitions: it drops spec.control.gates\n  kubectl apply -f deploy/crds/rolloutorchestrators.yaml\nmodes: another controller drives rollouts',
      failed: true,
    });
  });

  it('[design 5] asks the server to verify, and exports', async () => {
    const { token, send, rig } = await aServer();
    expect((await run(['audit', 'verify', '--token', token], { fetch: send })).text).toBe('2 entries, each follows from the one before');
    const again = await rig.auth.createLink(rig.session, 'viewer');
    expect((await run(['audit', 'export', '--token', again], { fetch: send })).text.split('\n')).toHaveLength(2);
  });

  it('[design 8] passes the server’s sentence on, and asks for a token', async () => {
    const { send } = await aServer();
    await expect(run(['status', '--token', 'wrong'], { fetch: send })).rejects.toThrow('the token is none of this server');
    await expect(run(['status'], { fetch: send })).rejects.toThrow('a token is wanted');
    await expect(run(['status', '--token', 'x'])).rejects.toThrow('http://127.0.0.1:3000 does not answer: no server');
  });
});
