import { act, cleanup, renderHook, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { subjectOf } from '@/components/releases/decide/use-approved';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { useKeptFocus } from '@/components/shell/keys/use-kept-focus';
import { RELEASE_RIGHTS } from '@/lib/contract/release-rows';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const back = backFrom(SCREEN_NOW);
const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
const [NEW, OLD] = ['ab'.repeat(20), 'ac'.repeat(20)];
const commit = (name: string, state: string, subject: string) => ({ commit: name, state, subject, author: 'Ada', at: back(3600) });
const commits = (list: readonly object[]) => ({
  [`GET ${RELEASE}/commits`]: () => Response.json({ head: NEW, commits: list, more: false, why: null }),
});
const refuse = (code: string, message: string) => Response.json({ error: { code, message } }, { status: 503 });
const never = () => new Promise<Response>(() => undefined);
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', ns: 'pay', name: 'ledger', change: 'changed' };
const told = {
  commit: OLD,
  from: 4,
  values: [],
  valuesDiffer: false,
  hidesValues: true,
  objects: [{ ...deployment, diff: [{ sign: '+', text: 'replicas: 2' }] }],
  notes: null,
};

describe('a commit that waits for approval', () => {
  const gate = {
    required: 2,
    groups: [],
    sentence: 'Each commit needs 2 approvals',
    approvers: [],
    given: '0 of 2 approvals',
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
  const rights = {
    [`GET ${RELEASE}/rights`]: () => Response.json(Object.fromEntries(RELEASE_RIGHTS.map((verb) => [verb, null]))),
  };
  const diff = { [`GET ${RELEASE}/commits/${OLD}`]: () => Response.json({ ...told, commit: OLD }) };

  /** The dialog of the older commit, and its button that sends. */
  async function openDialog({ user }: Pick<Awaited<ReturnType<typeof openGated>>, 'user'>) {
    await user.click(await screen.findByRole('button', { name: 'Approve commit acacacac' }));
    const dialog = await screen.findByRole('dialog', { name: 'Approve commit: ledger' });
    return { dialog, send: () => within(dialog).getByRole('button', { name: 'Approve commit' }) };
  }
  const isSent = ({ sent }: ReturnType<typeof answerFetch>) => sent.some(({ method }) => method === 'POST');

  async function openGated(answers: Parameters<typeof answerFetch>[0], action: object = approve, query = '') {
    globalThis.history.replaceState(null, '', `/?${query}`);
    const log = answerFetch(answers);
    const { queries } = await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
      topics: ['release/pay/helmrelease/ledger'],
      search: query,
    });
    const move = (more: object) =>
      act(() =>
        queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
          ...held,
          rows: held?.rows.map((row) => ({ ...row, ...more })),
        })),
      );
    move({ gate, actions: [action] });
    const user = userEvent.setup();
    if (query === '') await user.click(await screen.findByRole('tab', { name: 'Commits' }));
    return { log, user, move };
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

  it('[issue 12.1] says that it is already approved where nothing waits any more, and not that nothing waits', async () => {
    const approved = { sentence: '2 of 2 approvals: ada and bob', why: 'commit acacacac is already approved' };
    const { log } = await openGated(commits([waiting(OLD, 'ledger: a limit', approved)]), {
      ...approve,
      why: 'No commit of its chart waits for approval',
    });
    using _answers = log;
    const button = await screen.findByRole('button', { name: 'Approve commit acacacac' });
    expect(button).toHaveAccessibleDescription(approved.why);
    expect(button.closest('li')).toHaveTextContent(approved.sentence);
  });

  it('[issue 12.1] is not sent before the server told its chart, nor where it could not, with the reason for that', async () => {
    const first = await openGated({ ...list(), ...diff, ...posted, [`GET ${RELEASE}/commits/${OLD}/approval`]: never });
    {
      using log = first.log;
      const { dialog, send } = await openDialog(first);
      expect(await within(dialog).findByText('replicas: 2')).toBeVisible();
      expect(send()).toHaveAccessibleDescription('Checking whether your approval would count.');
      await first.user.click(send());
      expect(isSent(log)).toBe(false);
    }
    cleanup();
    const unread = { [`GET ${RELEASE}/commits/${OLD}/approval`]: () => refuse('unavailable', 'the repository is being cloned') };
    const second = await openGated({ ...list(), ...unread, ...diff, ...posted });
    using log = second.log;
    const { send } = await openDialog(second);
    const why = 'Could not check whether your approval would count: the repository is being cloned';
    await expect.poll(send).toHaveAccessibleDescription(why);
    await second.user.click(send());
    expect(isSent(log)).toBe(false);
  });

  it('[issue 12.1] never becomes another commit: without its chart nothing is named', () => {
    expect(subjectOf('approve', gate, { commit: OLD, chart: null })).toEqual({});
    expect(subjectOf('approve', gate, { commit: OLD, chart: 'd' })).toEqual({ commit: OLD, seen: { chart: 'd' } });
    expect(subjectOf('approve', gate, undefined)).toEqual({ commit: NEW, seen: { chart: gate.waiting.chart } });
  });

  it('[issue 12.1] is not sent before what it changes is shown, chosen or the newest; where that cannot be told it is', async () => {
    const wait = 'Wait until the changes are shown.';
    const unanswered = { [`GET ${RELEASE}/commits/${OLD}`]: never, [`GET ${RELEASE}/commits/${NEW}`]: never };
    const first = await openGated({ ...list(), ...approvable(), ...unanswered, ...rights, ...posted });
    {
      using log = first.log;
      const { dialog, send } = await openDialog(first);
      await expect.poll(send).toHaveAccessibleDescription(wait);
      await first.user.click(send());
      await first.user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
      await first.user.click(await screen.findByRole('button', { name: 'Approve commit' }));
      const newest = within(await screen.findByRole('dialog')).getByRole('button', { name: 'Approve commit' });
      expect(newest).toHaveAccessibleDescription(wait);
      await first.user.click(newest);
      expect(isSent(log)).toBe(false);
    }
    cleanup();
    const failing = { [`GET ${RELEASE}/commits/${OLD}`]: () => refuse('rejected', 'the chart cannot be rendered') };
    const second = await openGated({ ...list(), ...approvable(), ...failing, ...posted });
    using log = second.log;
    const { dialog, send } = await openDialog(second);
    expect(await within(dialog).findByText(/the chart cannot be rendered/i)).toBeVisible();
    await within(dialog).findByText(given);
    await second.user.click(send());
    expect(isSent(log)).toBe(true);
  });

  it('[issue 12.1] is told as it is by now while the dialog is open, and what is sent is the chart that was shown', async () => {
    const later = '1 of 3 approvals: carol; needs 2 more';
    const answers: Record<string, () => Response> = { ...list(), ...approvable(), ...diff, ...posted };
    const opened = await openGated(answers);
    using log = opened.log;
    const { dialog, send } = await openDialog(opened);
    await within(dialog).findByText('replicas: 2');
    Object.assign(answers, commits([waiting(OLD, 'ledger: a limit', { sentence: later, why: null })]));
    Object.assign(answers, approvable({ chart: 'f'.repeat(40), sentence: later }));
    opened.move({ gate: { ...gate, required: 3 } });
    await within(dialog).findByText(later);
    await opened.user.click(send());
    expect(log.sent.find(({ method }) => method === 'POST')?.body).toMatchObject({ commit: OLD, seen: { chart: 'd'.repeat(40) } });
  });

  it('[issue 12.1] is not offered in the open dialog once it is released, though a newer one waits', async () => {
    const answers: Record<string, () => Response> = { ...list(), ...approvable(), ...diff, ...posted };
    const opened = await openGated(answers);
    using log = opened.log;
    const { dialog, send } = await openDialog(opened);
    await within(dialog).findByText('replicas: 2');
    Object.assign(answers, commits([commit(OLD, 'taken', 'ledger: a limit')]));
    opened.move({ gate: { ...gate, required: 3 } });
    await expect.poll(send).toHaveAccessibleDescription('This commit no longer waits for approval.');
    await opened.user.click(send());
    expect(isSent(log)).toBe(false);
  });

  it.each([
    ['cannot be read again', () => refuse('unavailable', 'git is busy')],
    ['is empty', commits([])[`GET ${RELEASE}/commits`]],
  ])('[issue 12.1] keeps the dialog and the reason typed there where the list %s', async (_how, then) => {
    const answers: Record<string, () => Response> = { ...list(), ...approvable(), ...diff };
    const opened = await openGated(answers);
    using _answers = opened.log;
    const { dialog } = await openDialog(opened);
    await opened.user.type(within(dialog).getByRole('textbox'), 'agreed with carol');
    Object.assign(answers, { [`GET ${RELEASE}/commits`]: then });
    opened.move({ gate: { ...gate, required: 3 } });
    await expect.poll(() => screen.queryByText('ledger: begin')).toBeNull();
    expect(within(screen.getByRole('dialog')).getByRole('textbox')).toHaveValue('agreed with carol');
  });

  it('[issue 12.4] has the focus in its line once its button is gone, after it was approved with the keyboard', async () => {
    const answers: Record<string, () => Response> = { ...list(), ...approvable(), ...diff, ...posted };
    const opened = await openGated(answers);
    using log = opened.log;
    renderHook(useKeptFocus);
    (await screen.findByRole('button', { name: 'Approve commit acacacac' })).focus();
    await opened.user.keyboard('{Enter}');
    const dialog = await screen.findByRole('dialog', { name: 'Approve commit: ledger' });
    await within(dialog).findByText('replicas: 2');
    await within(dialog).findByText(given);
    within(dialog).getByRole('button', { name: 'Approve commit' }).focus();
    await opened.user.keyboard('{Enter}');
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
    expect(isSent(log)).toBe(true);
    Object.assign(answers, commits([commit(OLD, 'taken', 'ledger: a limit')]));
    opened.move({ gate: { ...gate, required: 3 } });
    await expect.poll(() => screen.queryByRole('button', { name: 'Approve commit acacacac' })).toBeNull();
    expect(screen.getByText('ledger: a limit').closest('li')).toHaveFocus();
  });

  it('[issue 12.4] is brought into view by a link that names it', async () => {
    const seen: (string | null)[] = [];
    Element.prototype.scrollIntoView = function seek(this: Element) {
      seen.push(this.textContent);
    };
    const { log } = await openGated(list(), approve, `tab=commits&commit=${OLD}`);
    using _answers = log;
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toContain('ledger: a limit');
    expect(screen.getByText('ledger: a limit').closest('li')).toHaveAttribute('aria-current', 'true');
  });

  it('[issue 12.4] has the focus each time somebody asks for it, and not any more once they chose another tab', async () => {
    Element.prototype.scrollIntoView = () => undefined;
    const { log, user } = await openGated(list());
    using _answers = log;
    const line = () => screen.getAllByText('ledger: two replicas').flatMap((text) => text.closest('li') ?? [])[0];
    await screen.findByText('ledger: a limit');
    for (const _time of ['once', 'again']) {
      await user.click(screen.getByRole('button', { name: 'All commits' }));
      await expect.poll(line).toHaveFocus();
    }
    await user.click(screen.getByRole('tab', { name: 'Revisions' }));
    await user.click(screen.getByRole('tab', { name: 'Commits' }));
    await screen.findByText('ledger: a limit');
    expect(line()).not.toHaveAttribute('aria-current');
    expect(line()).not.toHaveFocus();
  });
});
