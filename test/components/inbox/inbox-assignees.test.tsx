import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { useAssignedToMe } from '@/components/live/inbox/use-assigned-to-me';
import { liveKey } from '@/components/live/live-query';
import { Shell } from '@/components/shell/shell';
import { PreferencesOf } from '@/components/ui/preferences/use-preferences';
import { MOST_ASSIGNED } from '@/lib/contract/inbox/assignees';
import type { SessionView } from '@/lib/contract/requests';
import type { StatusRow } from '@/lib/contract/system-rows';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

Element.prototype.scrollIntoView ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;

const WAITS = 'Stage 2 is complete. The gate after it waits for one more approval before 60% of the traffic goes to web-v4.';
const assignees = (waitsFor: string) => () =>
  Response.json({ assignees: { i1: { mine: waitsFor === 'you', waitsFor, what: 'web in shop: Stage 2 of 5 waits', sentence: WAITS } } });
const panel = (name: string) => screen.getByRole('heading', { name, level: 2 }).closest('section') as HTMLElement;
const Head = () => <output>{useAssignedToMe()?.waiting.length ?? 'unknown'}</output>;

describe('the inbox of one person', () => {
  beforeEach(() => localStorage.clear());
  afterEach(() => void vi.useRealTimers());

  it('[issue 14.3] says "waits for you" only of what they may decide', async () => {
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    await showScreen(<InboxScreen />, { topics: ['inbox'] });
    expect(await within(panel('Needs you')).findByText(/Stage 2 of 5 waits for you/)).toBeInTheDocument();
    expect(screen.queryByRole('heading', { name: 'Waits for others' })).toBeNull();
  });

  it('[issue 14.3] names the group that something waits for, apart from what needs them', async () => {
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('payments-approvers') });
    await showScreen(<InboxScreen />, { topics: ['inbox'] });
    await screen.findByRole('heading', { name: 'Waits for others' });
    expect(within(panel('Waits for others')).getByText(/Stage 2 of 5 waits for payments-approvers/)).toBeInTheDocument();
    expect(within(panel('Needs you')).queryByText(/Stage 2 of 5/)).toBeNull();
  });

  it('[issue 14] asks whose turn it is of what is shown, where the inbox is narrowed', async () => {
    using log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    await showScreen(<InboxScreen />, { topics: ['inbox?kind=rollout'], search: 'kind=rollout' });
    await within(panel('Needs you')).findByText(/Stage 2 of 5 waits for you/);
    expect(log.sent.map(({ url }) => url)).toContain('/api/v1/inbox/assignees?kind=rollout');
  });

  it('[issue 14.3] claims nothing where it cannot be read whose turn it is', async () => {
    using _log = answerFetch({});
    await showScreen(<InboxScreen />, { topics: ['inbox'] });
    expect(within(panel('Needs you')).getByText('Stage 2 of 5 waits')).toBeInTheDocument();
  });

  it('[issue 14.3] asks once for the whole console whose turn it is, and again when another may decide as many', async () => {
    using log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    const head = (
      <>
        <Head />
        <InboxScreen />
      </>
    );
    const { queries } = await showScreen(head, { topics: ['inbox'] });
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('1'));
    const asked = () => log.sent.filter(({ url }) => url.startsWith('/api/v1/inbox/assignees')).length;
    expect(asked()).toBe(1);
    const key = liveKey('status');
    const status = queries.getQueryData<{ readonly rows: readonly StatusRow[] }>(key);
    await act(async () =>
      queries.setQueryData(key, { ...status, rows: status?.rows.map((row) => ({ ...row, waiting: 'other deciders' })) }),
    );
    await waitFor(() => expect(asked()).toBe(2));
  });

  it('[issue 14.3] puts off what they snooze, keeps it so, and brings it back', async () => {
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    // An hour before midnight what is put off for one comes back on another day, and is told with that day.
    vi.useFakeTimers({ toFake: ['Date'], now: SCREEN_NOW });
    const user = userEvent.setup();
    const first = await showScreen(<InboxScreen />, { topics: ['inbox'] });
    await user.click(screen.getByRole('button', { name: 'Snooze web' }));
    await user.click(await screen.findByRole('menuitem', { name: 'For 1 hour' }));
    await waitFor(() => expect(within(panel('Snoozed')).getByRole('link', { name: /^web/ })).toBeInTheDocument());
    expect(within(panel('Needs you')).queryByRole('link', { name: /^web/ })).toBeNull();
    expect(within(panel('Snoozed')).getByRole('listitem')).toHaveTextContent('until 10:30');
    first.close();
    await showScreen(<InboxScreen />, { topics: ['inbox'] });
    await user.click(await screen.findByRole('button', { name: 'Bring web back' }));
    await waitFor(() => expect(within(panel('Needs you')).getByRole('link', { name: /^web/ })).toBeInTheDocument());
  });

  it.each([
    ['leaves out what is put off, before its time and while it says the same', { until: 1, sentence: WAITS }, '0'],
    ['counts it after its time', { until: -1, sentence: WAITS }, '1'],
    ['counts it once it says something else', { until: 1, sentence: 'Stage 1 of 5 waits' }, '1'],
  ])('[issue 14.3] the badge %s', async (_what, { until, sentence }, count) => {
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    localStorage.setItem('slipway-snoozed/', JSON.stringify({ i1: { until: Date.now() + until * 60_000, sentence } }));
    await showScreen(<Head />, { topics: ['inbox'] });
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent(count));
  });

  it('[issue 14.3] what is put off comes back on a page that stays open, once its time is over', async () => {
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    localStorage.setItem('slipway-snoozed/', JSON.stringify({ i1: { until: Date.now() + 4 * 3_600_000, sentence: WAITS } }));
    await showScreen(<Head />, { topics: ['inbox'] });
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('0'));
    await act(() => vi.advanceTimersByTimeAsync(4 * 3_600_000 - 60_000));
    expect(screen.getByRole('status')).toHaveTextContent('0');
    await act(() => vi.advanceTimersByTimeAsync(60_001));
    expect(screen.getByRole('status')).toHaveTextContent('1');
  });

  it('[issue 14.3] what one person puts off stays with the next who signs in to the same browser', async () => {
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    const inboxOf = (user: string) => (
      <PreferencesOf value={user}>
        <InboxScreen />
      </PreferencesOf>
    );
    const user = userEvent.setup();
    const first = await showScreen(inboxOf('ann'), { topics: ['inbox'] });
    await user.click(screen.getByRole('button', { name: 'Snooze web' }));
    await user.click(await screen.findByRole('menuitem', { name: 'For 1 hour' }));
    await waitFor(() => expect(within(panel('Snoozed')).getByRole('link', { name: /^web/ })).toBeInTheDocument());
    first.close();
    const second = await showScreen(inboxOf('ben'), { topics: ['inbox'] });
    expect(await within(panel('Needs you')).findByText(/Stage 2 of 5 waits for you/)).toBeInTheDocument();
    expect(screen.queryByRole('heading', { name: 'Snoozed' })).toBeNull();
    second.close();
    await showScreen(inboxOf('ann'), { topics: ['inbox'] });
    await waitFor(() => expect(within(panel('Snoozed')).getByRole('link', { name: /^web/ })).toBeInTheDocument());
  });

  it('[issue 14.3] the badge follows what they snooze and bring back', async () => {
    const head = (
      <>
        <Head />
        <InboxScreen />
      </>
    );
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': assignees('you') });
    const user = userEvent.setup();
    await showScreen(head, { topics: ['inbox'] });
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('1'));
    await user.click(screen.getByRole('button', { name: 'Snooze web' }));
    await user.click(await screen.findByRole('menuitem', { name: 'For 1 hour' }));
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('0'));
    await user.click(await screen.findByRole('button', { name: 'Bring web back' }));
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('1'));
  });

  it('[issue 14.3] the count beside the inbox is the one on its page, names the namespaces that it is of, and says what was not looked at', async () => {
    const many = Array.from({ length: MOST_ASSIGNED }, (_, at) => [
      `i${at === 1 ? 'x' : at + 1}`,
      { mine: at < 1, waitsFor: at < 1 ? 'you' : 'ops', what: 'web', sentence: WAITS },
    ]);
    using _log = answerFetch({ 'GET /api/v1/inbox/assignees': () => Response.json({ assignees: Object.fromEntries(many) }) });
    const session: SessionView = { user: 'mara', groups: [], mode: 'local', mayInvite: false, expiresAt: '2099-01-01T00:00:00Z' };
    const { queries } = await showScreen(
      <Shell session={session} theme="system">
        <InboxScreen />
      </Shell>,
      { topics: ['inbox'], within: { count: 2, names: ['ops', 'shop'] } },
    );
    const links = () => screen.getAllByRole('link', { name: /^Inbox/ }).map((link) => link.textContent?.replace(/\s+/g, ' '));
    await waitFor(() => expect(links()).toEqual(Array(2).fill('Inbox11 waiting for you, in namespaces ops and shop')));
    expect(within(panel('Needs you')).getAllByRole('listitem')).toHaveLength(1);
    expect(within(panel('Also waiting')).getAllByRole('listitem')).toHaveLength(1);
    expect(panel('Also waiting')).toHaveTextContent(/checked for the 60 most urgent entries only/);
    const key = liveKey('status');
    const status = queries.getQueryData<{ readonly rows: readonly StatusRow[] }>(key);
    const waits = MOST_ASSIGNED + 1;
    await act(async () =>
      queries.setQueryData(key, {
        ...status,
        rows: status?.rows.map((row) => ({ ...row, counts: { ...row.counts, waits } })),
      }),
    );
    await waitFor(() => expect(links()[0]).toBe('Inbox1+1 or more waiting for you, in namespaces ops and shop'));
  });
});
