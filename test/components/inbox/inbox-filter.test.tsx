import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { liveKey } from '@/components/live/live-query';
import { PreferencesOf } from '@/components/ui/preferences/use-preferences';
import type { InboxQuery } from '@/lib/contract/inbox/inbox-query';
import { parseInboxQuery } from '@/lib/contract/inbox/inbox-query';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { InboxRow } from '@/lib/contract/system-rows';
import { formatTopic, parseTopic } from '@/lib/contract/topic';
import { pageInbox } from '@/server/readmodel/system/inbox-page';
import { makeScene } from '@/test/support/fixture/scene';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

Element.prototype.scrollIntoView ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;
// What comes while the browser is idle comes at once: jsdom is never idle.
globalThis.requestIdleCallback ??= (callback) => Number(setTimeout(callback));
globalThis.cancelIdleCallback ??= (asked) => clearTimeout(asked);

const show = (search = '') =>
  showScreen(
    <PreferencesOf value="mara">
      <InboxScreen />
    </PreferencesOf>,
    { topics: [search === '' ? 'inbox' : formatTopic({ kind: 'inbox', query: parseInboxQuery(new URLSearchParams(search)) })], search },
  );
const names = () => screen.getAllByRole('link', { name: /^(web|ledger|checkout)/ }).map((link) => link.textContent?.split(' ')[0]);
const panels = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);

const heads = () =>
  screen
    .getAllByRole('heading', { level: 2 })
    .map((head) => head.closest('header')?.textContent ?? '')
    .filter((text) => /^(Needs|Failing|In progress|Waits)/.test(text));

/** What the server answers of these entries. */
function listed(
  entries: readonly InboxRow[],
  query: InboxQuery = {},
): Pick<WindowSnapshot<InboxRow>, 'total' | 'order' | 'rows' | 'counts'> {
  const { rows, ...page } = pageInbox(entries, query);
  return { ...page, rows: [...rows.values()] as InboxRow[] };
}

/** One that waits, and so many that fail. */
function many(failing: number): readonly InboxRow[] {
  const entry = { ns: 'shop', sentence: 'It is so.', title: 'Not healthy', health: 'Failed', since: null, href: '/' } as const;
  const waits: InboxRow = { ...entry, key: 'w', group: 'waits', kind: 'rollout', name: 'web' };
  return [
    waits,
    ...Array.from({ length: failing }, (_, at): InboxRow => {
      const name = `${at === failing - 1 ? 'late' : 'app'}-${at}`;
      return { ...entry, key: name, group: 'failing', kind: 'application', name };
    }),
  ];
}

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
        return { ...now, ...listed(now.rows.filter(({ group }) => group !== 'failing')) };
      });
    });
    expect(await screen.findByText('Nothing is failing.')).toBeInTheDocument();
    expect(counted()).toBe('2 waiting, 0 failing, 1 in progress, 5 applications');
  });

  it('[issue 14.3] is not what is counted above: that is all there is', async () => {
    using _log = answerFetch({});
    await show('ns=pay');
    expect(screen.getByText(/ waiting, /).textContent).toBe('2 waiting, 1 failing, 1 in progress, 5 applications');
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

  it('[issue 14] is searched on all pages, which are gone through one by one, and counted over all', async () => {
    const rows = many(498);
    const asked: string[] = [];
    using log = answerFetch({
      'GET /api/v1/rows': async () => {
        const topic = parseTopic(new URL(log.sent.at(-1)?.url ?? '', 'http://console').searchParams.get('topic') ?? '');
        if (topic?.kind !== 'inbox') return Response.json({ error: { code: 'not-found', message: 'None.' } }, { status: 404 });
        asked.push(formatTopic(topic));
        return Response.json({ ...(await makeScene('full', SCREEN_NOW).snapshot('inbox')), ...listed(rows, topic.query) });
      },
    });
    const { close } = await showScreen(<InboxScreen />, { search: 'q=late' });
    expect(await screen.findByRole('link', { name: /^late-497/ })).toBeInTheDocument();
    expect(heads()).toEqual(['Failing1']);
    close();
    await showScreen(<InboxScreen />, {});
    expect(await screen.findByText('1–200 of 499 entries')).toBeInTheDocument();
    expect(heads()).toEqual(['Needs you1', 'Failing199 of 498']);
    // Of those on other pages nobody says that there are none.
    expect(screen.queryByText(/^Nothing is /)).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
    expect(await screen.findByText('201–400 of 499 entries')).toBeInTheDocument();
    expect(heads()).toEqual(['Failing200 of 498']);
    expect(asked).toEqual(['inbox?q=late', 'inbox', 'inbox?page=1']);
    await userEvent.click(await screen.findByRole('button', { name: /^Kind: / }));
    expect((await screen.findAllByRole('menuitemcheckbox')).map(({ textContent }) => textContent)).toContain('application (498)');
  });
});
