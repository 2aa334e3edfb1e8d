import { describe, expect, it } from 'vitest';
import { answered, answers, back, RELEASE, run } from './release-answers';

const [OLDER, NEWER] = ['a1'.repeat(20), 'b2'.repeat(20)];
const GATE = {
  required: 2,
  groups: [],
  sentence: 'Each commit needs 2 approvals',
  approvers: [],
  given: '0 of 2 approvals',
  loosening: null,
  looser: null,
};
const WAITING = { commit: NEWER, chart: 'c'.repeat(40), subject: 'raise the limit', author: 'Bob', at: back(60) };
const GIVEN = '1 of 2 approvals: carol; needs 1 more';

/** The answers where the newest commit waits, and with it others. */
function waiting(...others: readonly object[]) {
  const told = { ...answered('Accepted', 'approve', '2 of 2 approvals'), gate: { ...GATE, waiting: WAITING } };
  const newest = { ...WAITING, state: 'waiting', approval: { sentence: '0 of 2 approvals', why: null } };
  return {
    ...answers,
    [`GET ${RELEASE}`]: told,
    [`GET ${RELEASE}/commits`]: { head: NEWER, commits: [newest, ...others], more: false, why: null },
  };
}
const older = (more: object) => ({ commit: OLDER, subject: 'lower the limit', author: 'Ada', at: back(90), state: 'waiting', ...more });
const approve = (written: string, known: Readonly<Record<string, unknown>>) =>
  run(['release', 'approve', 'ledger', '-n', 'pay', '--commit', written], known);

describe('slipway release approve', () => {
  it('[issue 12.1] approves an older commit than the newest that waits, by its name, as the server tells its chart', async () => {
    const approval = { sentence: GIVEN, why: null };
    const { sent, text } = await approve(OLDER.slice(0, 8), {
      ...waiting(older({ approval })),
      [`GET ${RELEASE}/commits/${OLDER}/approval`]: { ...approval, commit: OLDER, chart: 'd'.repeat(40) },
    });
    expect(sent).toEqual([{ verb: 'approve', commit: OLDER, seen: { chart: 'd'.repeat(40) }, kind: 'helmrelease', uid: 'u-ledger' }]);
    expect(text).toContain(`${OLDER} lower the limit (Ada), ${GIVEN}; newer and waiting: ${NEWER} raise the limit (Bob)`);
  });

  it('[issue 12.1] is preceded by a list of what each commit has', async () => {
    const known = waiting(older({ approval: { sentence: GIVEN, why: null } }), older({ commit: 'c3'.repeat(20), state: 'taken' }));
    const { text } = await run(['release', 'commits', 'ledger', '-n', 'pay'], known);
    expect(text.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['COMMIT', 'STATE', 'APPROVALS'],
      ['b2b2b2b2', 'Waiting', '0 of 2 approvals'],
      ['a1a1a1a1', 'Waiting', GIVEN],
      ['c3c3c3c3', 'Released', '-'],
    ]);
  });

  it('[issue 12.1] sends nothing where it would not count, and says why', async () => {
    const why = 'ada has already approved this, and that counts (1 of 2)';
    const known = {
      ...waiting(older({ approval: { sentence: GIVEN, why } })),
      [`GET ${RELEASE}/commits/${OLDER}/approval`]: { sentence: GIVEN, why, commit: OLDER, chart: 'd'.repeat(40) },
    };
    await expect(approve(OLDER, known)).rejects.toThrow(why);
  });

  it('[issue 12.1] approves one that is named in full though it is in no list, and says of a shortened one that it must be', async () => {
    const listed = waiting();
    const many = { ...listed, [`GET ${RELEASE}/commits`]: { ...listed[`GET ${RELEASE}/commits`], more: true } };
    const known = {
      ...many,
      [`GET ${RELEASE}/commits/${OLDER}/approval`]: { sentence: GIVEN, why: null, commit: OLDER, chart: 'd'.repeat(40) },
    };
    const { sent, text } = await approve(OLDER, known);
    expect(sent).toEqual([{ verb: 'approve', commit: OLDER, seen: { chart: 'd'.repeat(40) }, kind: 'helmrelease', uid: 'u-ledger' }]);
    expect(text).toContain(`${OLDER}, ${GIVEN}; newer and waiting: ${NEWER} raise the limit (Bob)`);
    await expect(approve(OLDER.slice(0, 8), known)).rejects.toThrow(
      `--commit ${OLDER.slice(0, 8)} is not among the 1 newest commit of the chart; an older one must be named in full`,
    );
  });

  it('[issue 12.1] approves the newest by a part of it where no list can be read, as beside the leader, and by seven letters at least', async () => {
    const { [`GET ${RELEASE}/commits`]: _list, ...known } = waiting();
    const { sent } = await approve(NEWER.slice(0, 7), known);
    expect(sent).toMatchObject([{ verb: 'approve', commit: NEWER, seen: { chart: WAITING.chart } }]);
    for (const unclear of [NEWER.slice(0, 6), OLDER.slice(0, 7)]) await expect(approve(unclear, known)).rejects.toThrow('/commits');
  });

  it('[issue 12.1] takes no commit that does not wait for one that does', async () => {
    const refused = approve(OLDER.slice(0, 8), waiting(older({ state: 'taken' })));
    await expect(refused).rejects.toThrow(`--commit is ${OLDER.slice(0, 8)}, but ${NEWER} is waiting: raise the limit`);
  });

  it('[issue 12.1] approves none of several commits that begin alike', async () => {
    const approval = { sentence: '0 of 2 approvals', why: null };
    const alike = older({ commit: `b2b2${'0'.repeat(36)}`, approval });
    await expect(approve('b2', waiting(alike))).rejects.toThrow('--commit b2 names several commits: b2b2');
  });
});
