import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { grantObjects } from '@/lib/contract/grant';
import { createProgram } from '@/server/cli/program';
import { createApiRig } from '../api/rig';

const HEAD = { entries: 1, hash: 'h', at: '2026-01-01T00:00:00.000Z', publicKey: 'k', signature: 's' };

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
  it('[design 5] says which line is no entry', async () => {
    await expect(run(['audit', 'verify', '--file', '-'], { stdin: 'nonsense\n' })).rejects.toThrow(
      'line 1 needs an entry of the record, found nonsense',
    );
  });

  it('[issue 9] says which file cannot be read, and why', async () => {
    await expect(run(['audit', 'verify', '--file', '/nowhere/record'])).rejects.toThrow(
      '/nowhere/record cannot be read: there is no such file',
    );
    await expect(run(['audit', 'verify', '--file', '-', '--head', '/tmp'])).rejects.toThrow('/tmp cannot be read: it is a folder');
  });

  it.each([
    ['none', {}],
    [
      'only one of an export of shop, team-a, which vouches for that export alone',
      { head: { ...HEAD, part: { namespaces: ['shop', 'team-a'], places: [1], entries: 1, digest: 'd' } } },
    ],
  ])('[issue 10.3] says that a kept head must be of the whole record, and that it found %s', async (found, kept) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'heads-'));
    const file = path.join(folder, 'head.json');
    try {
      await writeFile(file, JSON.stringify(kept));
      await expect(run(['audit', 'verify', '--file', '-', '--head', file])).rejects.toThrow(
        `${file} needs a signed head of the whole record, found ${found}`,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('slipway grant', () => {
  it('[issue 10.1] prints what the owner of a namespace applies, and asks nobody', async () => {
    const { text } = await run(['grant', 'shop', '--kinds', 'widgets.example.com,endpoints', '--accounts', 'deployer, other']);
    expect(parseAllDocuments(text).map((document) => document.toJS())).toEqual(
      grantObjects('shop', { kinds: ['widgets.example.com', 'endpoints'], accounts: ['deployer', 'other'] }),
    );
    // Whoever reads a role before it is applied looks nothing up elsewhere in it.
    expect(text).not.toMatch(/[&*]a\d/);
  });

  it.each([
    [['grant', 'Shop'], 'a grant needs the name of a namespace, found "Shop"'],
    [
      ['grant', 'shop', '--accounts', 'deployer,system:masters'],
      '--accounts needs comma-separated names of ServiceAccounts of shop, found "system:masters"',
    ],
    [['grant', 'shop', '--charts-account', 'Helm'], '--charts-account needs the name of a ServiceAccount of shop, found "Helm"'],
    [['grant', 'shop', '--kinds', '*'], '--kinds needs comma-separated RESOURCE.GROUP, such as certificates.cert-manager.io, found "*"'],
  ])('[issue 10.1] refuses what is no namespace or kind: %j', async (args, sentence) => {
    await expect(run(args)).rejects.toThrow(sentence);
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
    engines: { rollout: { mode: 'drive', why: null } },
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

  it('[issue 10.6] has done its work also where its session cannot be ended, as while the store is down', async () => {
    const { token, send } = await aServer();
    const unended: typeof fetch = async (input, init) =>
      init?.method === 'DELETE' ? new Response(null, { status: 503 }) : send(input, init);
    expect(await run(['status', '--token', token], { fetch: unended })).toMatchObject({
      text: expect.stringContaining('waiting       1'),
      failed: false,
    });
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
    const { token, send } = await aServer({
      ...status,
      trouble: { since: '2026-01-01T09:00:00Z', sentence: 'The API server does not answer' },
    });
    expect(await run(['status', '--token', token], { fetch: send })).toMatchObject({
      text: expect.stringContaining('The API server does not answer'),
      failed: true,
    });
  });

  it('[issue 9.3] the doctor tells each finding with the command that fixes it, and fails if there is any', async () => {
    const { rig, token, send } = await aServer();
    expect(await run(['doctor', '--token', token], { fetch: send })).toEqual({
      text: 'no problems found with modes, definitions, policies, rights, watches and programs',
      failed: false,
    });
    rig.findings.push(
      {
        area: 'definitions',
        subject: 'RolloutOrchestrator',
        sentence: 'it drops spec.control.gates',
        remedy: 'kubectl apply -f deploy/crds/rolloutorchestrators.yaml',
      },
      { area: 'modes', subject: 'rollout engine', sentence: 'another controller drives rollouts', remedy: null },
    );
    const again = await rig.auth.createLink(rig.session, 'operator');
    expect(await run(['doctor', '--token', again], { fetch: send })).toEqual({
      text: 'definitions: it drops spec.control.gates\n  kubectl apply -f deploy/crds/rolloutorchestrators.yaml\nmodes: another controller drives rollouts',
      failed: true,
    });
  });

  it('[design 5] asks the server to verify, and exports', async () => {
    const { token, send, rig } = await aServer();
    expect((await run(['audit', 'verify', '--token', token], { fetch: send })).text).toBe(
      '2 entries, each follows from the one before; no head vouches for them\nnewest hash h',
    );
    const again = await rig.auth.createLink(rig.session, 'viewer');
    expect((await run(['audit', 'export', '--token', again], { fetch: send })).text.split('\n')).toHaveLength(2);
  });

  it('[design 8] passes the server’s sentence on, and asks for a token', async () => {
    const { send } = await aServer();
    await expect(run(['status', '--token', 'wrong'], { fetch: send })).rejects.toThrow('the token is not from this server');
    await expect(run(['status', '--data-dir', '/nonexistent'], { fetch: send })).rejects.toThrow('a token is required');
    await expect(run(['status', '--token', 'x'])).rejects.toThrow('http://127.0.0.1:3000 does not answer: no server');
  });
});
