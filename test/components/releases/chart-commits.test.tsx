import { act, cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const back = backFrom(SCREEN_NOW);
const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
const NEW = 'ab'.repeat(20);
const commit = (name: string, state: string, subject: string) => ({ commit: name, state, subject, author: 'Ada', at: back(3600) });
const commits = (list: readonly object[], { more = false, why = null as string | null } = {}) => ({
  [`GET ${RELEASE}/commits`]: () => Response.json({ head: NEW, commits: list, more, why }),
});
const refuse = (code: string, message: string) => Response.json({ error: { code, message } }, { status: 503 });
const changed = { apiVersion: 'apps/v1', kind: 'Deployment', ns: 'pay', name: 'ledger', change: 'changed' };
const hidden = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'settings', change: 'created', diff: null };
const told = {
  commit: NEW,
  from: 4,
  values: [],
  valuesDiffer: false,
  hidesValues: true,
  objects: [{ ...changed, diff: [{ sign: '+', text: 'replicas: 2' }] }, hidden],
  notes: null,
};

async function open(answers: Parameters<typeof answerFetch>[0]) {
  const log = answerFetch(answers);
  await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
    topics: ['release/pay/helmrelease/ledger'],
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('tab', { name: 'Commits' }));
  return { log, user };
}

describe('the commits of a chart', () => {
  it('[issue 12.4] have a chart rendered only once somebody opens one, and then tell object by object what it would change', async () => {
    const answers = {
      ...commits([commit(NEW, 'waiting', 'ledger: two replicas'), commit('ac'.repeat(20), 'taken', 'ledger: begin')], { more: true }),
    };
    const { log, user } = await open({ ...answers, [`GET ${RELEASE}/commits/${NEW}`]: () => Response.json(told) });
    using _answers = log;
    const panel = await screen.findByRole('tabpanel');
    const [waiting, taken] = await within(panel).findAllByRole('listitem');
    expect([waiting?.textContent, taken?.textContent]).toEqual([
      expect.stringMatching(/^Waitingledger: two replicasabababab by Ada/),
      expect.stringMatching(/^Releasedledger: begin/),
    ]);
    expect(panel).toHaveTextContent('Older commits are in the repository.');
    await user.click(within(panel).getByRole('button', { name: 'Show changes of abababab' }));
    const changes = await within(panel).findByRole('region', { name: 'What commit abababab would change' });
    expect(await within(changes).findByText('replicas: 2')).toBeVisible();
    expect(changes).toHaveTextContent('Compared with stored revision 4.');
    expect(changes).toHaveTextContent('settings in payYou may not see this object.');
    expect(within(panel).getByRole('button', { name: 'Hide changes of abababab' })).toHaveAttribute('aria-expanded', 'true');
  });

  it('[issue 12.4] say that git cannot tell where it cannot, and why', async () => {
    const { log } = await open(commits([commit(NEW, 'unknown', 'ledger: rewritten')], { why: 'fatal: bad object acacacac' }));
    using _answers = log;
    expect(await screen.findByText(/^Git cannot tell which of these .*: fatal: bad object acacacac$/)).toBeVisible();
  });

  it('[issue 12.3] tell why they cannot be read', async () => {
    const message = 'only the replica that holds the Lease reconciles releases; try again once this one holds it';
    const { log } = await open({
      [`GET ${RELEASE}/commits`]: () => Response.json({ error: { code: 'unavailable', message } }, { status: 503 }),
    });
    using _answers = log;
    expect(
      await screen.findByText(/only the replica that holds the Lease reconciles releases; try again once this one holds it/i),
    ).toBeVisible();
  });
});

describe('a commit that waits for approval', () => {
  const OLD = 'ac'.repeat(20);
  const gate = {
    required: 2,
    groups: [],
    sentence: 'Each commit needs 2 approvals',
    supporters: [],
    loosening: null,
    looser: null,
    waiting: { commit: NEW, chart: 'e'.repeat(40), subject: 'ledger: two replicas', author: 'Ada', at: back(60) },
  };
  const approve = { verb: 'approve', why: null, consequences: ['With the last approval it goes there.'], needsReason: false } as const;
  const given = '1 of 2 approvals: carol; needs 1 more';
  const waiting = (name: string, subject: string, approval: object) => ({ ...commit(name, 'waiting', subject), approval });
  const list = (why: string | null = null) =>
    commits([
      waiting(NEW, 'ledger: two replicas', { sentence: '0 of 2 approvals', why: null }),
      waiting(OLD, 'ledger: a limit', { sentence: given, why }),
      commit('ad'.repeat(20), 'taken', 'ledger: begin'),
    ]);
  const posted = {
    [`POST ${RELEASE}/decisions`]: () =>
      Response.json({ accepted: { kind: 'ReleaseDecision', ns: 'pay', name: 'ledger-x', uid: null } }, { status: 202 }),
  };
  const approvable = (more: object = {}) => ({
    [`GET ${RELEASE}/commits/${OLD}/approval`]: () =>
      Response.json({ commit: OLD, chart: 'd'.repeat(40), sentence: given, why: null, ...more }),
  });
  const diff = { [`GET ${RELEASE}/commits/${OLD}`]: () => Response.json({ ...told, commit: OLD }) };

  async function openGated(answers: Parameters<typeof answerFetch>[0], action: object = approve, query = '') {
    globalThis.history.replaceState(null, '', `/${query}`);
    const log = answerFetch(answers);
    const { queries } = await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
      topics: ['release/pay/helmrelease/ledger'],
    });
    act(() =>
      queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
        ...held,
        rows: held?.rows.map((row) => ({ ...row, gate, actions: [action] })),
      })),
    );
    const user = userEvent.setup();
    await user.click(await screen.findByRole('tab', { name: 'Commits' }));
    return { log, user };
  }

  it('[issue 12.1] is approved by itself, older than the newest or not, after what it has and what it changes were shown', async () => {
    const { log, user } = await openGated({ ...list(), ...approvable(), ...diff, ...posted });
    using _answers = log;
    const [, older, taken] = await within(await screen.findByRole('tabpanel')).findAllByRole('listitem');
    expect(older).toHaveTextContent(given);
    expect(taken && within(taken).queryByRole('button', { name: /^Approve/ })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Approve commit acacacac' }));
    const dialog = await screen.findByRole('dialog', { name: 'Approve commit: ledger' });
    expect(within(dialog).getByRole('region', { name: 'The commit' })).toHaveTextContent(`ledger: a limit${OLD} by Ada`);
    const changes = within(dialog).getByRole('region', { name: 'What commit acacacac would change' });
    expect(await within(changes).findByText('replicas: 2')).toBeVisible();
    expect(await within(dialog).findByText(given)).toBeVisible();
    await user.click(within(dialog).getByRole('button', { name: 'Approve commit' }));
    expect(log.sent.find(({ method }) => method === 'POST')?.body).toEqual({
      kind: 'helmrelease',
      verb: 'approve',
      uid: 'u-ledger',
      commit: OLD,
      seen: { chart: 'd'.repeat(40) },
    });
  });

  it('[issue 12.1] cannot be approved by whom the server refuses, with its sentence, nor where nothing can be decided', async () => {
    const why = 'carol has already approved this, and that counts (1 of 2)';
    const first = await openGated(list(why));
    {
      using _answers = first.log;
      const button = await screen.findByRole('button', { name: 'Approve commit acacacac' });
      expect(button).toHaveAttribute('aria-disabled', 'true');
      expect(button).toHaveAccessibleDescription(why);
      expect(screen.getByRole('button', { name: 'Approve commit abababab' })).not.toHaveAttribute('aria-disabled');
    }
    cleanup();
    const { log } = await openGated(list(), { ...approve, why: 'Helm is not installed' });
    using _answers = log;
    expect(await screen.findByRole('button', { name: 'Approve commit abababab' })).toHaveAccessibleDescription('Helm is not installed');
  });

  it('[issue 12.1] is not sent before the server told what its approval names, nor where the diff alone fails is it refused', async () => {
    const failing = { [`GET ${RELEASE}/commits/${OLD}`]: () => refuse('rejected', 'the chart cannot be rendered') };
    const unread = { [`GET ${RELEASE}/commits/${OLD}/approval`]: () => refuse('unavailable', 'the repository is being cloned') };
    const first = await openGated({ ...list(), ...unread, ...failing, ...posted });
    {
      using log = first.log;
      await first.user.click(await screen.findByRole('button', { name: 'Approve commit acacacac' }));
      const dialog = await screen.findByRole('dialog');
      const send = within(dialog).getByRole('button', { name: 'Approve commit' });
      await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true');
      await first.user.click(send);
      expect(log.sent.some(({ method }) => method === 'POST')).toBe(false);
    }
    cleanup();
    const { log, user } = await openGated({ ...list(), ...approvable(), ...failing, ...posted });
    using _answers = log;
    await user.click(await screen.findByRole('button', { name: 'Approve commit acacacac' }));
    const dialog = await screen.findByRole('dialog');
    expect(await within(dialog).findByText(/the chart cannot be rendered/i)).toBeVisible();
    await within(dialog).findByText(given);
    await user.click(within(dialog).getByRole('button', { name: 'Approve commit' }));
    expect(log.sent.some(({ method }) => method === 'POST')).toBe(true);
  });

  it('[issue 12.4] is brought into view by a link that names it', async () => {
    const seen: (string | null)[] = [];
    Element.prototype.scrollIntoView = function seek(this: Element) {
      seen.push(this.textContent);
    };
    const { log } = await openGated(list(), approve, `?tab=commits&commit=${OLD}`);
    using _answers = log;
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toContain('ledger: a limit');
    expect(screen.getByText('ledger: a limit').closest('li')).toHaveAttribute('aria-current', 'true');
  });
});
