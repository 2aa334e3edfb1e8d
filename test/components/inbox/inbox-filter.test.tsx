import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { liveKey } from '@/components/live/live-query';
import { KeptFor } from '@/components/ui/preferences/use-kept';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { InboxRow, StatusRow } from '@/lib/contract/system-rows';
import { answerFetch, showScreen } from '@/test/support/screen';

Element.prototype.scrollIntoView ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;
// What comes while the browser is idle comes at once: jsdom is never idle.
globalThis.requestIdleCallback ??= (callback) => Number(setTimeout(callback));
globalThis.cancelIdleCallback ??= (asked) => clearTimeout(asked);

const show = (search = '') =>
  showScreen(
    <KeptFor value="mara">
      <InboxScreen />
    </KeptFor>,
    { topics: ['inbox'], search },
  );
const names = () => screen.getAllByRole('link', { name: /^(web|ledger|checkout)/ }).map((link) => link.textContent?.split(' ')[0]);
const panels = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);

describe('what the inbox is narrowed to', () => {
  beforeEach(() => {
    localStorage.clear();
    globalThis.history.replaceState(null, '', '/');
  });

  it.each([
    ['', ['web', 'ledger-v8-pay', 'ledger', 'checkout']],
    ['ns=pay', ['ledger', 'checkout']],
    ['ns=pay%2Cshop&kind=rollout', ['web', 'checkout']],
    ['q=BACK-OFF', ['ledger']],
    ['kind=tracker%2Cnonsense', ['ledger-v8-pay']],
  ])('[issue 14.3] stands in its address: %j', async (search, expected) => {
    using _log = answerFetch({});
    await show(search);
    expect(names()).toEqual(expected);
  });

  it('[design 14] is counted above as it stands below, at once', async () => {
    using _log = answerFetch({});
    const { queries } = await show();
    const counted = () => screen.getByText(/ waiting, /).textContent;
    expect(counted()).toBe('2 waiting, 1 failing, 1 in progress, 5 applications');
    act(() => {
      queries.setQueryData<WindowSnapshot<InboxRow>>(liveKey('inbox'), (now) => {
        if (now === undefined) throw new Error('no inbox');
        const rows = now.rows.filter(({ group }) => group !== 'failing');
        return { ...now, rows, total: rows.length };
      });
    });
    expect(await screen.findByText('Nothing is failing.')).toBeInTheDocument();
    expect(counted()).toBe('2 waiting, 0 failing, 1 in progress, 5 applications');
  });

  it('[design 14] is counted by the server where more than what is shown', async () => {
    using _log = answerFetch({});
    const { queries } = await show();
    act(() => {
      queries.setQueryData<WindowSnapshot<InboxRow>>(
        liveKey('inbox'),
        (now) => now && { ...now, rows: now.rows.filter(({ group }) => group !== 'moving'), total: 500 },
      );
      queries.setQueryData<WindowSnapshot<StatusRow>>(
        liveKey('status'),
        (now) =>
          now && { ...now, rows: now.rows.map((row) => ({ ...row, counts: { waits: 2, failing: 498, moving: 0, applications: 500 } })) },
      );
    });
    // The most urgent ones are shown: of the last group nobody knows from them that there is none.
    expect(screen.queryByText(/^Nothing is /)).toBeNull();
    expect(await screen.findByText('2 waiting, 498 failing, 0 in progress, 500 applications')).toBeInTheDocument();
  });

  it('[issue 14.3] claims nothing of what is filtered away', async () => {
    using _log = answerFetch({});
    const { close } = await show('ns=shop');
    expect(panels()).toContain('Needs you');
    expect(panels()).not.toContain('Failing');
    expect(screen.queryByText('Nothing is failing.')).toBeNull();
    close();
    await show('q=nowhere');
    expect(screen.getByText('Nothing matches the filters')).toBeInTheDocument();
    expect(screen.queryByText('Nothing needs you.')).toBeNull();
  });

  it('[issue 14.3] is chosen by kind and taken out again', async () => {
    using _log = answerFetch({});
    const user = userEvent.setup();
    const { close } = await show();
    await user.click(await screen.findByRole('button', { name: /^Kind: / }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: /^rollout\b.*2/ }));
    await waitFor(() => expect(globalThis.location.search).toBe('?kind=rollout'));
    close();
    await show('kind=rollout');
    await user.click(await screen.findByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(globalThis.location.search).toBe(''));
  });

  it('[issue 14.3] is saved as a view', async () => {
    using _log = answerFetch({});
    const user = userEvent.setup();
    await show('kind=rollout');
    await user.click(await screen.findByRole('button', { name: 'Views' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save this view…' }));
    await user.type(await screen.findByRole('textbox'), 'Rollouts only');
    await user.click(screen.getByRole('button', { name: /^Save/ }));
    expect(await screen.findByRole('button', { name: 'Rollouts only' })).toBeInTheDocument();
  });

  it.each([
    ['', ['Needs you2 listed, 300 waiting in all', 'Failing1 of 498', 'In progress1']],
    ['ns=pay', ['Failing1 of the 4 listed', 'In progress1 of the 4 listed']],
  ])('[issue 14] says in each panel how many there are, or of how many these are: %j', async (search, said) => {
    using _log = answerFetch({});
    const { queries } = await show(search);
    act(() => {
      queries.setQueryData<WindowSnapshot<InboxRow>>(liveKey('inbox'), (now) => now && { ...now, total: 799 });
      queries.setQueryData<WindowSnapshot<StatusRow>>(
        liveKey('status'),
        (now) =>
          now && { ...now, rows: now.rows.map((row) => ({ ...row, counts: { waits: 300, failing: 498, moving: 1, applications: 900 } })) },
      );
    });
    await screen.findByText('Only the 4 most urgent of 799 entries are listed.');
    const heads = screen.getAllByRole('heading', { level: 2 }).map((head) => head.closest('header')?.textContent ?? '');
    expect(heads.filter((text) => /^(Needs|Failing|In progress|Waits)/.test(text))).toEqual(said);
    // How many there are of a kind, nobody knows from these.
    await userEvent.setup().click(await screen.findByRole('button', { name: /^Kind: / }));
    expect((await screen.findAllByRole('menuitemcheckbox')).map(({ textContent }) => textContent)).toContain('rollout');
  });

  it('[issue 14] claims of what is not listed neither that it matches nothing nor how many of a group there are', async () => {
    using _log = answerFetch({});
    const { queries } = await show('q=nowhere');
    act(() => queries.setQueryData<WindowSnapshot<InboxRow>>(liveKey('inbox'), (now) => now && { ...now, total: 799 }));
    expect(await screen.findByText(/^Only the 4 most urgent entries are searched\. /)).toBeVisible();
  });

  it('[issue 14.3] tells when there is more than the server sends', async () => {
    using _log = answerFetch({});
    const { queries } = await show();
    expect(screen.queryByText(/most urgent of/)).toBeNull();
    queries.setQueryData(liveKey('inbox'), (held: object | undefined) => ({ ...held, total: 1204 }));
    expect(await screen.findByText('Only the 4 most urgent of 1,204 entries are listed.')).toBeInTheDocument();
  });
});
