import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgram } from '@/server/cli/program';
import { rolloutDetail, rolloutRows } from '../../support/fixture/rollouts';
import { backFrom } from '../../support/fixture/times';
import { garbage } from '../../support/fixture/trackers';

const back = backFrom(Date.UTC(2026, 10, 20, 9, 30));
const detail = { ...rolloutDetail(back), ns: 'shop', name: 'web', uid: 'rollout-uid' };
const ROLLOUT = '/api/v1/namespaces/shop/rollouts/web';
const RIGHTS = {
  ...{ approve: null, advance: null, 'promote-full': null, pause: null, resume: null },
  abort: null,
  rollback: null,
  retry: null,
  loosen: null,
};
const PREVIEW = {
  ...{ counts: { new: 1 }, kinds: [], revision: { name: 'web-v5', isNew: true }, refused: null, plan: `sha256:${'1'.repeat(64)}` },
  base: { uid: 'app-uid', generation: 3 },
  changes: [
    {
      ...{ id: 'ConfigMap/shop/a', apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'a', uid: 'u' },
      ...{ verdict: 'new', why: 'revision web-v5 makes it', blast: [], diff: null },
    },
  ],
};

const decision = (verb: string, phase: string, message: string) => ({
  ...{ key: 'd-uid', name: 'web-d', verb, user: 'ada', stage: null, revision: null },
  ...{ reason: null, phase, message, createdAt: back(0) },
});

interface Answers {
  readonly rollout?: Readonly<Record<string, unknown>>;
  readonly rights?: Readonly<Record<string, string | null>>;
  readonly preview?: Readonly<Record<string, unknown>>;
  readonly answer?: readonly [phase: string, message: string];
}

async function run(args: readonly string[], { rollout = {}, rights = {}, preview = {}, answer = ['Accepted', 'done'] }: Answers = {}) {
  const printed: string[] = [];
  const sent: unknown[] = [];
  let failed = false;
  const live = (row: unknown) => ({
    ...{ seq: { bootId: 'b', seq: 1 }, freshness: { observedAt: back(0), source: 'watch', stale: null } },
    ...{ total: 1, order: [], rows: row === undefined ? [] : [row] },
  });
  const program = createProgram({
    print: (text) => printed.push(text),
    fetch: async (input, init) => {
      const { pathname, searchParams } = new URL(String(input));
      if (pathname === '/api/v1/session')
        return Response.json({ user: 'ada', groups: [], mode: 'token', mayInvite: false, expiresAt: back(-60) });
      if (pathname === '/api/v1/rollouts') return Response.json({ ...live(undefined), total: 1, rows: rolloutRows(back) });
      if (pathname === `${ROLLOUT}/rights`) return Response.json({ ...RIGHTS, ...rights });
      if (pathname === `${ROLLOUT}/garbage`) return Response.json({ ...garbage(), digest: 'sha256:read' });
      if (pathname === '/api/v1/rows') {
        const [made] = sent as { readonly verb: string }[];
        const decisions = made === undefined ? [] : [decision(made.verb, ...answer)];
        return Response.json(live(searchParams.get('topic') === 'rollout/shop/web' ? { ...detail, decisions, ...rollout } : undefined));
      }
      const body = JSON.parse(String(init?.body));
      if (body.dryRun) return Response.json({ ...PREVIEW, ...preview });
      sent.push(body);
      return Response.json({ accepted: { kind: 'StageDecision', ns: 'shop', name: 'web-d', uid: 'd-uid' } });
    },
    stdin: Readable.from(['']),
    warn: () => undefined,
    fail: () => {
      failed = true;
    },
  });
  await program.parseAsync(['rollout', ...args, '-n', 'shop', '--url', 'http://127.0.0.1:1', '--token', 't'], { from: 'user' });
  return { text: printed.join('\n'), failed, sent };
}

describe('slipway rollout', () => {
  it('[issue 9.3] list tells every rollout as the page does, and refuses a status that there is not', async () => {
    const { text } = await run(['list', '--health', 'Failed,Current']);
    expect(text).toMatch(/^NAMESPACE +NAME +HEALTH +ACTIVITY +FROM +TO +STAGE +NOW\n/);
    for (const { name, sentence } of rolloutRows(back)) expect(text).toMatch(new RegExp(`${name}.*${sentence.slice(0, 20)}`));
    await expect(run(['list', '--health', 'Failed,Bad'])).rejects.toThrow(
      '--health: must be one or more of Failed, Unknown, Terminating, InProgress, NotFound, Current, found "Bad"',
    );
  });

  it('[issue 9.3] show tells what it waits for, its revisions, its stages, and for each verb whether it may be decided', async () => {
    const { text } = await run(['show', 'web'], { rights: { advance: 'ada may not create stagedecisions' } });
    expect(text).toContain(detail.wait.sentence);
    for (const { revision } of detail.revisions) expect(text).toMatch(new RegExp(`^${revision} `, 'm'));
    expect(text).toMatch(/^1 +done +20%/m);
    expect(text).toMatch(/^approve +yes$/m);
    expect(text).toMatch(/^advance +no +ada may not create stagedecisions$/m);
    expect(text).toMatch(/^pause +no +The rollout waits at a gate; there is nothing to pause\.$/m);
    await expect(run(['show', 'nope'])).rejects.toThrow('there is no rollout nope in shop');
  });

  it('[issue 9.4] approve shows replicas and what will be deleted, and sends exactly what was seen when told to', async () => {
    const wait = { sentence: 'Waiting for 1 approval', clauses: [{ text: 'web-v4 has 2 of 4 ready replicas', met: false }] };
    const shown = await run(['approve', 'web'], { rollout: { wait } });
    expect([shown.sent, shown.failed]).toEqual([[], false]);
    expect(shown.text).toMatch(/^web-v4 +4 +6 +10$/m);
    expect(shown.text).toContain('Not met now: web-v4 has 2 of 4 ready replicas');
    for (const { name } of garbage().rows.filter(({ verdict }) => verdict === 'deleted')) expect(shown.text).toMatch(`/${name}`);
    expect(shown.text).toMatch(/\nNothing was done; add --yes to do it\.$/);
    const done = await run(['approve', 'web', '--yes'], { answer: ['Accepted', 'approval 1 of 1'] });
    const seen = { rollout: 'sha256:4be1', garbage: 'sha256:read' };
    expect(done.sent).toEqual([{ verb: 'approve', uid: 'rollout-uid', stage: 2, revision: 'web-v4', seen }]);
    expect(done.text).toMatch(/\nAccepted: approval 1 of 1$/);
  });

  it('[issue 9.3] abort acts at once, also with the --yes that others need, and needs a reason', async () => {
    await expect(run(['abort', 'web'])).rejects.toThrow('abort needs a reason: give --reason');
    for (const yes of [[], ['--yes']]) {
      const { text, sent } = await run(['abort', 'web', '--reason', 'errors', ...yes]);
      expect(sent).toEqual([{ verb: 'abort', uid: 'rollout-uid', revision: 'web-v4', reason: 'errors' }]);
      expect(text).toMatch(/\nAccepted: done$/);
    }
  });

  it('[issue 9.4] rollback does exactly what it showed of every object, or nothing where that is refused', async () => {
    const shown = await run(['rollback', 'web']);
    expect(shown.text).toMatch(/^new +ConfigMap +shop\/a +revision web-v5 makes it$/m);
    expect(shown.sent).toEqual([]);
    await expect(run(['rollback', 'web', '--yes'])).rejects.toThrow('rollback needs a reason: give --reason');
    const done = await run(['rollback', 'web', '--yes', '--reason', 'leaks']);
    expect(done.sent).toMatchObject([{ verb: 'rollback', revision: 'web-v3', plan: PREVIEW.plan, base: PREVIEW.base, reason: 'leaks' }]);
    const refused = await run(['rollback', 'web', '--yes', '--reason', 'leaks'], { preview: { refused: 'it would delete too much' } });
    expect([refused.failed, refused.sent]).toEqual([true, []]);
    expect(refused.text).toContain('it would delete too much');
  });

  it('[issue 9.3] sends nothing that the state or a missing right refuses, and fails where the engine does', async () => {
    await expect(run(['pause', 'web'])).rejects.toThrow('web in shop: The rollout waits at a gate; there is nothing to pause.');
    await expect(run(['approve', 'web', '--yes'], { rights: { approve: 'ada may not' } })).rejects.toThrow('web in shop: ada may not');
    await expect(run(['retry', 'web', '--yes'])).rejects.toThrow('web in shop: it is not possible now');
    const { failed, text } = await run(['approve', 'web', '--yes'], { answer: ['Rejected', 'the stage has changed'] });
    expect([failed, text]).toEqual([true, expect.stringContaining('Rejected: the stage has changed')]);
  });
});
