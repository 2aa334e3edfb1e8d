import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SessionsScreen } from '@/components/session/sessions-screen';
import type { SessionRow, SessionsPage } from '@/lib/contract/sessions/session-rows';
import { showScreen } from '@/test/support/screen';

// jsdom has no pointer capture, which menus ask for.
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.scrollIntoView ??= () => {};

// Half a minute in, so that nothing is at the edge of what is said of it.
const back = (minutes: number) => new Date(Date.now() - (minutes + 0.5) * 60_000).toISOString();

function aRow(at: number, over: Partial<SessionRow> = {}): SessionRow {
  return {
    ...{ key: `s-${at}`, user: 'ada', client: `Firefox ${at} on Linux`, isCommand: false, address: `10.0.0.${at}` },
    ...{ since: back(60 + at), lastUsedAt: back(10 + at), endsAt: back(-601), isThis: at === 0, ...over },
  };
}

const MAY = { see: null, end: null };
let answers: Readonly<Record<string, SessionsPage | { readonly refused: string }>> = {};
let asked: string[] = [];

beforeEach(() => {
  asked = [];
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const url = new URL(input, 'http://page');
    const method = init?.method ?? 'GET';
    asked.push(`${method} ${url.pathname}${method === 'GET' ? '' : url.search}`);
    if (method === 'DELETE') return Response.json({ ended: 1 }, { status: 202 });
    const answer = answers[url.searchParams.get('of') ?? ''];
    if (answer !== undefined && 'total' in answer) return Response.json(answer);
    const details = { grant: ['kubectl create clusterrolebinding x'] };
    return Response.json({ error: { code: 'forbidden', message: 'ada may not do this', details } }, { status: 403 });
  });
});
afterEach(() => vi.unstubAllGlobals());

const table = (name: string) => screen.findByRole('table', { name });
const ends = () => asked.filter((request) => request.startsWith('DELETE'));

describe('the sessions page', () => {
  it('[issue 14.3] shows one’s own in plain words, this one marked, which signs out in place of ending', async () => {
    answers = {
      mine: {
        total: 3,
        rows: [aRow(0), aRow(1), aRow(2, { client: 'slipway command', isCommand: true, address: null, lastUsedAt: null })],
        refused: MAY,
      },
    };
    await showScreen(<SessionsScreen />, { path: '/sessions' });
    const rows = within(await table('Your sessions')).getAllByRole('row');
    expect(
      rows.slice(1).map((row) =>
        within(row)
          .getAllByRole('cell')
          .map(({ textContent }) => textContent),
      ),
    ).toEqual([
      ['Firefox 0 on LinuxThis session', '10.0.0.0', '1h ago', '10m ago', '10h', 'Sign out'],
      ['Firefox 1 on Linux', '10.0.0.1', '1h ago', '11m ago', '10h', 'End'],
      ['slipway command', 'Unknown', '1h ago', 'Unknown', '10h', 'End'],
    ]);
  });

  it('[issue 14.3] neither signs out nor ends another one while the server does not answer, and says why', async () => {
    answers = { mine: { total: 2, rows: [aRow(0), aRow(1)], refused: MAY } };
    const connection = { kind: 'offline', since: Date.now(), reason: 'The server does not answer.' } as const;
    await showScreen(<SessionsScreen />, { path: '/sessions', connection });
    const buttons = within(await table('Your sessions')).getAllByRole('button', { name: /^(Sign out|End)/ });
    expect(buttons).toHaveLength(2);
    for (const button of buttons) {
      expect(button).toHaveAccessibleDescription('Actions are blocked: The server does not answer.');
      await userEvent.click(button);
    }
    expect(ends()).toEqual([]);
  });

  it('[issue 14.3] says on the card of a phone what the table says in a row', async () => {
    answers = { mine: { total: 1, rows: [aRow(0)], refused: MAY } };
    await showScreen(<SessionsScreen />, { path: '/sessions' });
    const heads = within(await table('Your sessions')).getAllByRole('columnheader');
    const terms = screen.getAllByRole('term').map(({ textContent }) => textContent);
    expect(terms).toEqual(heads.map(({ textContent }) => textContent).slice(1, -1));
    expect(screen.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual(['10.0.0.0', '1h ago', '10m ago', '10h']);
  });

  it('[issue 14.3] ends one by keyboard, once what that means was read', async () => {
    answers = { mine: { total: 2, rows: [aRow(0), aRow(1)], refused: MAY } };
    await showScreen(<SessionsScreen />, { path: '/sessions' });
    const user = userEvent.setup();
    within(await table('Your sessions'))
      .getByRole('button', { name: 'End the session of ada, Firefox 1 on Linux' })
      .focus();
    await user.keyboard('{Enter}');
    const dialog = await screen.findByRole('dialog', { name: 'End the session of ada, Firefox 1 on Linux' });
    expect(dialog).toHaveTextContent('From 10.0.0.1, signed in 1h ago');
    expect(within(dialog).queryByRole('checkbox')).toBeNull();
    expect(ends()).toEqual([]);
    within(dialog).getByRole('button', { name: 'End session' }).focus();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(ends()).toEqual(['DELETE /api/v1/sessions/s-1']));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('[issue 14.3] ends all others, and says where there is none', async () => {
    answers = { mine: { total: 1, rows: [aRow(0)], refused: MAY } };
    const { close } = await showScreen(<SessionsScreen />, { path: '/sessions' });
    await table('Your sessions');
    expect(screen.getByRole('button', { name: 'End all other sessions' })).toHaveAccessibleDescription('There is no other session.');
    close();
    answers = { mine: { total: 2, rows: [aRow(0), aRow(1)], refused: MAY } };
    await showScreen(<SessionsScreen />, { path: '/sessions' });
    await table('Your sessions');
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'End all other sessions' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'End all others' }));
    await waitFor(() => expect(ends()).toEqual(['DELETE /api/v1/sessions']));
  });

  it('[issue 14.3] says which right is missing for those of everyone, and how it is granted', async () => {
    answers = { mine: { total: 1, rows: [aRow(0)], refused: { see: 'no', end: 'no' } }, everyone: { refused: 'no' } };
    await showScreen(<SessionsScreen />, { path: '/sessions', search: 'of=everyone' });
    expect(await screen.findByText('kubectl create clusterrolebinding x')).toBeInTheDocument();
    expect(screen.getByRole('tab', { name: 'Everyone’s sessions', selected: true })).toBeInTheDocument();
  });

  it('[issue 14.3] ends one or all of one user for whoever administers, and is blocked for who may only look', async () => {
    const rows = [aRow(0), aRow(1, { user: 'bob' })];
    answers = { mine: { total: 1, rows: [aRow(0)], refused: MAY }, everyone: { total: 2, rows, refused: MAY } };
    const { close } = await showScreen(<SessionsScreen />, { path: '/sessions', search: 'of=everyone' });
    const user = userEvent.setup();
    await user.click(
      within(await table('Everyone’s sessions')).getByRole('button', { name: 'End the session of bob, Firefox 1 on Linux' }),
    );
    const dialog = await screen.findByRole('dialog');
    await user.click(within(dialog).getByRole('checkbox', { name: 'All sessions of bob' }));
    await user.click(within(dialog).getByRole('button', { name: 'End session' }));
    await waitFor(() => expect(ends()).toEqual(['DELETE /api/v1/sessions?user=bob']));
    close();
    answers = {
      ...answers,
      everyone: { total: 2, rows, refused: { see: null, end: 'ada may not do this: it requires the right "delete"' } },
    };
    await showScreen(<SessionsScreen />, { path: '/sessions', search: 'of=everyone' });
    const blocked = within(await table('Everyone’s sessions')).getByRole('button', { name: 'End the session of bob, Firefox 1 on Linux' });
    expect(blocked).toHaveAccessibleDescription('ada may not do this: it requires the right "delete"');
  });

  it('[issue 14.3] turns pages of many, and says so where none matches', async () => {
    answers = {
      mine: { total: 0, rows: [], refused: MAY },
      everyone: { total: 4000, rows: Array.from({ length: 50 }, (_, at) => aRow(at)), refused: MAY },
    };
    const { close } = await showScreen(<SessionsScreen />, { path: '/sessions', search: 'of=everyone' });
    expect(await screen.findByText('1–50 of 4,000 sessions')).toBeInTheDocument();
    close();
    answers = { mine: { total: 0, rows: [], refused: MAY }, everyone: { total: 0, rows: [], refused: MAY } };
    await showScreen(<SessionsScreen />, { path: '/sessions', search: 'of=everyone&q=nobody' });
    expect(await screen.findByText('No session matches the search')).toBeInTheDocument();
  });
});
