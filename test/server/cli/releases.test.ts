import { describe, expect, it } from 'vitest';
import { answered, answers, back, ledger, RELEASE, run, storedRevision, undeclaredRelease, windowOf } from './release-answers';

describe('slipway releases and slipway release', () => {
  it('[issue 12.4] lists every release with its state and why', async () => {
    const { text } = await run(['releases'], answers);
    expect(text.split('\n')[0]).toMatch(/^NAMESPACE +NAME +KIND +STATE +CHART +REVISION +SUBJECT +NOW$/);
    expect(text).toMatch(
      /^pay +mailer +helmrelease +failed +mailer 1\.4\.0 +01234567 +raise the limit of the ledger +Failed after a new commit: values do not meet the schema$/m,
    );
  });

  it('[issue 12.4] tells what a rollback does, and does it only when told to, bound to what was shown', async () => {
    const shown = await run(['release', 'rollback', 'ledger', '-n', 'pay', '--to', '3'], answers);
    expect(shown.text).toBe('from revision 4 to 3: 1 object of 1\n  deleted ConfigMap pay/a\nNothing was done; add --yes to do it.');
    expect(shown.sent).toEqual([]);
    const done = await run(['release', 'rollback', 'ledger', '-n', 'pay', '--to', '3', '--yes', '--reason', 'errors'], answers);
    expect(done.sent).toEqual([
      { verb: 'rollback', revision: 3, seen: { stored: 4 }, reason: 'errors', kind: 'helmrelease', uid: 'u-ledger' },
    ]);
    expect(done.text).toContain('Accepted: Helm is going back to revision 3');
    expect(done.failed).toBe(false);
  });

  it('[issue 12.4] lists the commits of the chart, and tells what one of them would change by the start of its name', async () => {
    const named = (commit: string, state: string, subject: string) => ({
      commit,
      state,
      subject,
      author: 'Ada',
      at: '2026-11-19T08:00:00Z',
    });
    const commits = [named('ab'.repeat(20), 'waiting', 'ledger: two replicas'), named('ac'.repeat(20), 'taken', 'ledger: begin')];
    const content = { values: [], valuesDiffer: false, hidesValues: false, notes: null };
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'a', change: 'created', diff: [{ sign: '+', text: 'a: b' }] }];
    const known = {
      ...answers,
      [`GET ${RELEASE}/commits`]: { head: 'ab'.repeat(20), commits, more: true, why: null },
      [`GET ${RELEASE}/commits/${'ab'.repeat(20)}`]: { ...content, objects, from: 4, commit: 'ab'.repeat(20) },
    };
    const listed = await run(['release', 'commits', 'ledger', '-n', 'pay'], known);
    expect(listed.text).toMatch(/^abababab +Waiting +2026-11-19T08:00:00Z +Ada +ledger: two replicas$/m);
    expect(listed.text).toContain('older commits are in the repository');
    const rewritten = { [`GET ${RELEASE}/commits`]: { head: 'ab'.repeat(20), commits, more: false, why: 'fatal: bad object' } };
    const untold = await run(['release', 'commits', 'ledger', '-n', 'pay'], { ...known, ...rewritten });
    expect(untold.text.split('\n').at(-1)).toBe('git cannot tell which of them it contains: fatal: bad object');
    const told = await run(['release', 'diff', 'ledger', '-n', 'pay', '--commit', 'abab'], known);
    expect(told.text).toBe(
      [`from revision 4 to commit ${'ab'.repeat(20)}: 1 object`, '', 'values', '  the same', '', 'created ConfigMap pay/a', '+ a: b'].join(
        '\n',
      ),
    );
    await expect(run(['release', 'diff', 'ledger', '-n', 'pay', '--commit', 'a'], known)).rejects.toThrow(
      '--commit a names several commits',
    );
  });

  it('[issue 12.1] lists what no resource declares, of one namespace where one is named', async () => {
    const known = {
      'GET /api/v1/undeclared-releases': {
        releases: [undeclaredRelease, { ...undeclaredRelease, name: 'old', storage: 'configmaps' }],
        why: 'forbidden',
      },
    };
    const { text } = await run(['releases', '--undeclared'], known);
    expect(text.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^pay +by-hand +2 +deployed$/),
      expect.stringMatching(/^pay +old +2 +deployed \(in ConfigMaps\)$/),
      'not everything could be read: forbidden',
    ]);
    const none = await run(['releases', '--undeclared', '-n', 'pay'], { 'GET /api/v1/undeclared-releases': { releases: [], why: null } });
    expect(none.text).toBe('every release that Helm keeps is declared by a resource');
    expect(none.asked.filter((url) => url.includes('/undeclared-releases'))).toEqual([
      'http://127.0.0.1:1/api/v1/undeclared-releases?ns=pay',
    ]);
  });

  it('[issue 12.1] uninstalls one of them once it has shown each object, and tells what became of that', async () => {
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'a', isKept: false }];
    const path = '/api/v1/namespaces/pay/undeclared-releases/by-hand';
    const known = {
      [`GET ${path}`]: { ...undeclaredRelease, uid: 'u', chart: null, account: 'slipway-charts', objects, hooks: [], refusal: null },
      [`POST ${path}/uninstall`]: { accepted: { kind: 'ReleaseDecision', ns: 'pay', name: 'by-hand-x', uid: 'd' } },
    };
    const args = ['release', 'uninstall', 'by-hand', '-n', 'pay', '--undeclared'];
    const shown = await run(args, known);
    expect(shown.text.split('\n')).toEqual([
      'release by-hand in pay, revision 2, deployed',
      'Helm runs as ServiceAccount slipway-charts of pay, deletes 1 object and every stored revision',
      '  delete ConfigMap pay/a',
      'Nothing was done; add --yes to do it.',
    ]);
    expect(shown.sent).toEqual([]);
    const done = await run([...args, '--yes', '--reason', 'old'], {
      ...known,
      'GET /api/v1/undeclared-releases': { releases: [], why: null },
    });
    expect(done.sent).toEqual([{ revision: 2, uid: 'u', reason: 'old' }]);
    expect(done.text).toContain('Helm uninstalled release by-hand in pay.');
    const uninstall = { user: 'ada', phase: 'Rejected', message: 'the newest revision is now 3', at: back(0), isOver: true };
    const refused = await run([...args, '--yes'], {
      ...known,
      'GET /api/v1/undeclared-releases': { releases: [{ ...undeclaredRelease, uninstall }], why: null },
    });
    expect([refused.text.split('\n').at(-1), refused.failed]).toEqual(['Rejected: the newest revision is now 3', true]);
  });

  it('[issue 12.1] takes neither the answer to an earlier uninstall for that to this one, nor a list that failed for a release that is gone', async () => {
    const uninstall = { user: 'ada', phase: 'Rejected', message: 'the newest revision is now 3', at: back(60), isOver: true };
    const path = '/api/v1/namespaces/pay/undeclared-releases/by-hand';
    const looks = [
      { releases: [{ ...undeclaredRelease, uninstall }], why: null },
      { releases: [], why: 'secrets could not be listed' },
      { releases: [], why: null },
    ];
    const done = await run(['release', 'uninstall', 'by-hand', '-n', 'pay', '--undeclared', '--yes'], {
      [`GET ${path}`]: { ...undeclaredRelease, uninstall, uid: 'u', chart: null, account: null, objects: [], hooks: [], refusal: null },
      [`POST ${path}/uninstall`]: { accepted: { kind: 'ReleaseDecision', ns: 'pay', name: 'by-hand-x', uid: 'd' } },
      'GET /api/v1/undeclared-releases': () => looks.shift(),
    });
    expect([done.text.split('\n').at(-1), done.failed, looks]).toEqual(['Helm uninstalled release by-hand in pay.', false, []]);
  });

  it('[issue 12.4] compares head, stored and live, an object on a line with its first difference', async () => {
    const row = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', headDiff: [], live: 'differs', why: null, fields: 1, liveDiff: [] };
    const objects = [{ ...row, name: 'a', head: 'changed', first: 'data.text', by: 'kubectl-edit' }];
    const values = { values: [], valuesDiffer: false, hidesValues: false };
    const known = {
      ...answers,
      [`GET ${RELEASE}/three-way`]: { ...values, stored: 4, head: { revision: 'ab'.repeat(20), why: 'it failed' }, objects },
    };
    const { text } = await run(['release', 'compare', 'ledger', '-n', 'pay'], known);
    expect(text.split('\n')).toEqual([
      'chart at abababab, stored revision 4',
      'the chart was not rendered: it failed',
      '',
      'KIND       NAME   HEAD     LIVE     FIRST DIFFERENCE',
      'ConfigMap  pay/a  Changed  Differs  data.text, set by kubectl-edit',
    ]);
  });

  it('[issue 12.4] ends with a failure where chart sync rejects what was decided, and where no resource has the name', async () => {
    const refused = { ...answers, [`GET ${RELEASE}`]: answered('Rejected', 'sync', 'bob holds the release; lift the hold first') };
    expect(await run(['release', 'sync', 'ledger', '-n', 'pay'], refused)).toMatchObject({
      text: 'Rejected: bob holds the release; lift the hold first',
      failed: true,
    });
    await expect(run(['release', 'show', 'none', '-n', 'pay'], answers)).rejects.toThrow('no resource none in pay declares a Helm release');
    const twice = { ...answers, 'GET /api/v1/releases': windowOf([ledger, { ...ledger, kind: 'fluxhelmrelease' }]) };
    await expect(run(['release', 'show', 'ledger', '-n', 'pay'], twice)).rejects.toThrow('choose one with --kind');
  });

  it('[issue 12.4] lifts the hold that was shown, and says so where nothing holds the release', async () => {
    const known = (hold: unknown) => ({
      ...answers,
      [`GET ${RELEASE}`]: { ...answered('Accepted', 'lift', 'the hold is lifted'), hold, actions: [] },
    });
    const lift = (hold: unknown) => run(['release', 'lift', 'ledger', '-n', 'pay'], known(hold));
    await expect(lift(null)).rejects.toThrow('nothing holds release ledger in pay');
    const { sent } = await lift({ decision: 'd0', by: 'ada', at: back(0), verb: 'hold', revision: null, reason: null });
    expect(sent).toEqual([{ verb: 'lift', seen: { hold: 'd0' }, kind: 'helmrelease', uid: 'u-ledger' }]);
  });

  it('[issue 12.1] shows the commit that waits, and approves that one only', async () => {
    const commit = 'c0ffee00'.repeat(5);
    const waiting = { commit, chart: 'a'.repeat(40), subject: 'raise the limit', author: 'Bob', at: back(60) };
    const gate = {
      required: 2,
      groups: [],
      sentence: 'Each commit needs 2 approvals',
      approvers: ['carol'],
      given: '1 of 2 approvals: carol; needs 1 more',
      loosening: null,
      looser: null,
      waiting,
    };
    const work = {
      kind: 'here',
      command: 'upgrade',
      isWaiting: false,
      since: back(9),
      until: null,
      killedBy: null,
      isInherited: false,
      line: 'waiting for Job hook',
    };
    const gated = {
      ...answers,
      [`GET ${RELEASE}`]: { ...answered('Accepted', 'approve', '1 of 2 approvals'), gate, work },
      [`GET ${RELEASE}/commits`]: { head: commit, commits: [], more: false, why: null },
    };
    const shown = await run(['release', 'show', 'ledger', '-n', 'pay'], gated);
    expect(shown.text).toContain('c0ffee00 raise the limit (Bob) waits: 1 of 2 approvals: carol; needs 1 more');
    expect(shown.text).toContain(`upgrade since ${back(9)}: waiting for Job hook`);
    const { given: _given, ...older } = gate; // of a server that does not tell the words
    const told = { ...gated, [`GET ${RELEASE}`]: { ...answered('Accepted', 'approve', 'done'), gate: older, work } };
    expect((await run(['release', 'show', 'ledger', '-n', 'pay'], told)).text).toBe(shown.text);
    const done = await run(['release', 'approve', 'ledger', '-n', 'pay', '--commit', 'c0ffee0'], gated);
    expect(done.sent).toEqual([{ verb: 'approve', commit, seen: { chart: waiting.chart }, kind: 'helmrelease', uid: 'u-ledger' }]);
    expect(done.text).toContain('Accepted: 1 of 2 approvals');
    await expect(run(['release', 'approve', 'ledger', '-n', 'pay', '--commit', 'beef'], gated)).rejects.toThrow(
      `--commit is beef, but ${commit} is waiting: raise the limit`,
    );
    await expect(run(['release', 'approve', 'ledger', '-n', 'pay'], answers)).rejects.toThrow('no commit of ledger waits for approval');
  });

  it('[issue 12.1] shows the archive that waits of a chart that is pulled, and approves that one only', async () => {
    const [at, digest] = ['a'.repeat(64), 'b'.repeat(64)];
    const archive = {
      current: { revision: '1.0.0', digest: at, at: back(900), by: [] },
      waiting: { revision: '1.1.0', digest, at: back(60) },
    };
    const told = {
      required: 1,
      groups: [],
      sentence: 'Each archive needs 1 approval',
      approvers: [],
      given: '0 of 1 approval by a member of ops',
      loosening: null,
      looser: null,
    };
    const origin = { kind: 'repository', url: 'https://charts.example', name: 'ledger', version: '^1.0.0' };
    const gated = { ...answers, [`GET ${RELEASE}`]: { ...answered('Accepted', 'approve', 'done'), gate: { ...told, archive }, origin } };
    const shown = await run(['release', 'show', 'ledger', '-n', 'pay'], gated);
    expect(shown.text).toContain(`1.0.0 sha256:aaaaaaaaaaaa with a change of its resource ${back(900)}`);
    expect(shown.text).toContain(`1.1.0 sha256:${digest} waits: 0 of 1 approval by a member of ops`);
    const done = await run(['release', 'approve', 'ledger', '-n', 'pay', '--digest', 'sha256:bbb'], gated);
    expect(done.sent).toEqual([{ verb: 'approve', digest, seen: { chart: '1.1.0' }, kind: 'helmrelease', uid: 'u-ledger' }]);
    await expect(run(['release', 'approve', 'ledger', '-n', 'pay', '--digest', 'aaa'], gated)).rejects.toThrow(
      `--digest is aaa, but sha256:${digest} is waiting: 1.1.0`,
    );
  });

  it('[issue 12.1] says that a release is not pending where it is to be unlocked, and offers nothing', async () => {
    const newest = storedRevision({ revision: 7 });
    const known = { ...answers, [`GET ${RELEASE}/history`]: { revisions: [newest] } };
    for (const yes of [[], ['--yes']])
      await expect(run(['release', 'unlock', 'ledger', '-n', 'pay', ...yes], known)).rejects.toThrow(
        /^revision 7 of release \S+ in \S+ is deployed, not pending: nothing to unlock$/,
      );
  });

  it('[issue 12.4] prints values, manifest and notes of a stored revision, as YAML that says in comments what is masked and left out', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', why: null };
    const objects = [
      { ...object, name: 'a', text: 'kind: ConfigMap\n' },
      { ...object, kind: 'Secret', name: 'b', text: null, why: 'hidden' },
      { ...object, kind: 'ClusterRole', ns: null, name: 'c', text: null, why: 'long' },
    ];
    const content = { revision: 3, values: 'replicas: 2\n', hidesValues: true, objects, notes: 'Enjoy.\n' };
    const known = { ...answers, [`GET ${RELEASE}/content`]: content };
    const values = await run(['release', 'values', 'ledger', '-n', 'pay', '--revision', '3'], known);
    expect(values.text).toBe('# values that are not in the resource are masked\nreplicas: 2');
    expect(values.asked.filter((url) => url.includes('/content'))).toEqual([
      expect.stringMatching(/\/content\?kind=helmrelease&revision=3$/),
    ]);
    const manifest = await run(['release', 'manifest', 'ledger', '-n', 'pay'], known);
    expect(manifest.text.split('\n')).toEqual([
      '---',
      'kind: ConfigMap',
      '---',
      '# Secret pay/b: you may not see this object',
      '---',
      '# ClusterRole c: left out, the manifest is too long',
    ]);
    expect(manifest.asked.filter((url) => url.includes('/content'))).toEqual([expect.stringMatching(/\/content\?kind=helmrelease$/)]);
    expect((await run(['release', 'notes', 'ledger', '-n', 'pay'], known)).text).toBe('Enjoy.');
    const hidden = { ...answers, [`GET ${RELEASE}/content`]: { ...content, notes: null } };
    await expect(run(['release', 'notes', 'ledger', '-n', 'pay'], hidden)).rejects.toThrow('you may not read the notes of revision 3');
    await expect(run(['release', 'values', 'ledger', '-n', 'pay', '--revision', 'x'], known)).rejects.toThrow(
      '--revision must be the number of a stored revision, found x',
    );
  });

  it('[issue 12.1] prints revisions, values and manifest of a release that no resource declares as well', async () => {
    const path = '/api/v1/namespaces/pay/undeclared-releases/by-hand';
    const content = { revision: 2, values: 'password: ••••••••\n', hidesValues: true, objects: [], notes: '' };
    const revisions = [storedRevision({ revision: 2, chart: 'ledger', chartVersion: '1.0.0' })];
    const known = { [`GET ${path}/content`]: content, [`GET ${path}/history`]: { revisions } };
    const values = await run(['release', 'values', 'by-hand', '-n', 'pay', '--undeclared', '--revision', '2'], known);
    expect(values.text).toBe('# all values are masked, since the resource that declared the release is gone\npassword: ••••••••');
    expect(values.asked.filter((url) => url.includes('/content'))).toEqual([`http://127.0.0.1:1${path}/content?revision=2`]);
    const manifest = await run(['release', 'manifest', 'by-hand', '-n', 'pay', '--undeclared'], known);
    expect(manifest.text).toBe('# revision 2 has no objects');
    expect(manifest.asked.filter((url) => url.includes('/content'))).toEqual([`http://127.0.0.1:1${path}/content`]);
    expect((await run(['release', 'history', 'by-hand', '-n', 'pay', '--undeclared'], known)).text).toMatch(
      /^REVISION .*\n2 +deployed .*ledger 1\.0\.0/,
    );
  });

  it('[issue 12.1] tells what is known of a pending release before it unlocks it, bound to the revision that was shown', async () => {
    const newest = {
      revision: 7,
      status: 'pending-upgrade',
      storedAt: back(5400),
      chart: null,
      chartVersion: null,
      appVersion: null,
      description: null,
      cause: null,
    };
    const begun = { kind: 'here', command: 'upgrade', isWaiting: false, since: back(5400), isInherited: false, line: 'waiting for hook' };
    const work = { ...begun, until: back(5000), killedBy: 'SIGKILL' };
    const pending = {
      ...answers,
      [`GET ${RELEASE}`]: { ...answered('Accepted', 'unlock', 'revision 7 is marked failed'), work },
      [`GET ${RELEASE}/history`]: { revisions: [newest] },
    };
    const shown = await run(['release', 'unlock', 'ledger', '-n', 'pay'], pending);
    expect(shown.text).toMatch(
      /^revision 7 is pending-upgrade, stored .*\nhelm upgrade since .*: killed \(SIGKILL\) .*\nits last line: waiting for hook\nNothing was done; add --yes to do it\.$/,
    );
    expect(shown.sent).toEqual([]);
    const inherited = {
      ...pending,
      [`GET ${RELEASE}`]: { ...pending[`GET ${RELEASE}`], work: { ...work, killedBy: null, isInherited: true } },
    };
    expect((await run(['release', 'unlock', 'ledger', '-n', 'pay'], inherited)).text).toContain(
      ': not running; it was started before this server',
    );
    const done = await run(['release', 'unlock', 'ledger', '-n', 'pay', '--yes', '--reason', 'the node died'], pending);
    expect(done.sent).toEqual([{ verb: 'unlock', seen: { stored: 7 }, reason: 'the node died', kind: 'helmrelease', uid: 'u-ledger' }]);
    expect(done.text).toContain('Accepted: revision 7 is marked failed');
  });

  it('[issue 12.4] tells how two stored revisions differ, the newest two where none are named', async () => {
    const stored = (revision: number) => ({
      revision,
      status: 'superseded',
      storedAt: null,
      chart: null,
      chartVersion: null,
      appVersion: null,
      description: null,
      cause: null,
    });
    const compared = {
      from: 3,
      to: 4,
      values: [{ sign: '+', text: 'replicas: 2' }],
      valuesDiffer: true,
      hidesValues: true,
      objects: [
        { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'a', change: 'changed', diff: [{ sign: '-', text: 'b: 1' }] },
        { apiVersion: 'v1', kind: 'Secret', ns: 'pay', name: 'b', change: 'changed', diff: null },
      ],
      notes: null,
    };
    const more = {
      ...answers,
      [`GET ${RELEASE}/history`]: { revisions: [stored(4), stored(3), stored(1)] },
      [`GET ${RELEASE}/compare`]: compared,
    };
    const { text, asked } = await run(['release', 'diff', 'ledger', '-n', 'pay'], more);
    expect(asked).toContainEqual(expect.stringMatching(/\/compare\?kind=helmrelease&from=3&to=4$/));
    expect(text).toBe(
      [
        'from revision 3 to 4: 2 objects',
        '',
        'values (values that are not in the resource are masked)',
        '+ replicas: 2',
        '',
        'changed ConfigMap pay/a',
        '- b: 1',
        '',
        'changed Secret pay/b',
        '  you may not see this object',
      ].join('\n'),
    );
    await expect(
      run(['release', 'diff', 'ledger', '-n', 'pay'], { ...more, [`GET ${RELEASE}/history`]: { revisions: [stored(4)] } }),
    ).rejects.toThrow('no two revisions');
  });
});
