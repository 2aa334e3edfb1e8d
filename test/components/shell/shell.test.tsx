import { act, createEvent, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { Shell } from '@/components/shell/shell';
import { applyTheme, parseTheme } from '@/components/shell/theme';
import { LeaveLink } from '@/components/ui/editor/leave-link';
import { useLeaveWarning } from '@/components/ui/editor/use-leave-warning';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { SessionView } from '@/lib/contract/requests';
import type { StatusRow } from '@/lib/contract/system-rows';
import type { ScreenOptions } from '@/test/support/screen';
import { answerFetch, showScreen } from '@/test/support/screen';

// jsdom lays nothing out, so it has nowhere to scroll to.
Element.prototype.scrollIntoView ??= () => {};

const SESSION: SessionView = { user: 'mara', groups: ['approvers'], mode: 'local', mayInvite: true, expiresAt: '2099-01-01T00:00:00Z' };

const showShell = (options: ScreenOptions = {}) =>
  showScreen(
    <Shell session={SESSION} theme="system">
      <button type="button">On the page</button>
    </Shell>,
    options,
  );

/** Presses letters one after another, so many milliseconds apart whatever else the machine does. */
function pressLetters(letters: string, apart = 100): void {
  [...letters].forEach((key, at) => {
    const press = createEvent.keyDown(document.body, { key });
    Object.defineProperty(press, 'timeStamp', { value: 1000 + at * apart });
    fireEvent(document.body, press);
  });
}

/** A text that was changed and not applied. */
function Written({ isKept }: { readonly isKept: boolean }) {
  useLeaveWarning(true, isKept);
  return <LeaveLink href="/trackers" isDirty />;
}

/** The frame once the server tells something else of itself. */
async function showWith(over: Partial<StatusRow>, options: ScreenOptions = {}): Promise<void> {
  const { queries } = await showShell(options);
  act(() =>
    queries.setQueryData<WindowSnapshot<StatusRow>>(
      liveKey('status'),
      (window) => window && { ...window, rows: window.rows.map((row) => ({ ...row, ...over })) },
    ),
  );
}

it.each([
  ['a session that ended', undefined, 'Sign in again', 'Load this page again'],
  ['one connection too many', 'reload', 'Load this page again', 'Sign in again'],
] as const)('[issue 14.3] offers after %s what helps, and nothing else', async (_what, remedy, offered, other) => {
  await showShell({ connection: { kind: 'ended', reason: 'mara has 20 live connections.', remedy } });
  expect(screen.getByText('mara has 20 live connections.', { exact: false })).toHaveTextContent(offered);
  expect(screen.queryByText(other)).toBeNull();
});

it('[issue 14.3] says once after a session that ended to sign in again, with the words that lead there', async () => {
  await showShell({ connection: { kind: 'ended', reason: 'operator ended this session: sign in again.' } });
  const way = screen.getByRole('link', { name: 'sign in again' });
  expect(way.parentElement).toHaveTextContent(/^operator ended this session: sign in again\.$/);
  expect(way).toHaveAttribute('href', expect.stringMatching(/^\/sign-in/));
});

describe('the frame around every page', () => {
  it('[design 6] says on every page that the cluster is simulated', async () => {
    await showShell();
    expect(screen.getAllByText('Simulated cluster').length).toBeGreaterThan(0);
  });

  it('[design 7] says that the cluster is in trouble, and since when', async () => {
    await showShell({ scene: 'stale' });
    expect(screen.getByRole('alert')).toHaveTextContent(/^The API server does not answer\. The data may be out of date/);
    expect(screen.getByText('for')).toHaveTextContent(/^for \d+/);
  });

  it('[design 9] reads out the trouble once: what counts up stands beside it', async () => {
    await showShell({ scene: 'stale' });
    expect(screen.getByRole('alert')).not.toHaveTextContent(/\d/);
    for (const status of screen.getAllByRole('status')) expect(status).not.toHaveTextContent(/\d/);
  });

  it('[design 9] keeps the page while no server is there to bring another: by link, by letters, by the palette', async () => {
    const { visited } = await showShell({ connection: { kind: 'offline', since: 0, reason: 'The connection to the server was lost.' } });
    const user = userEvent.setup();
    const held = vi.fn((event: MouseEvent) => event.defaultPrevented);
    document.addEventListener('click', held);
    await user.click(screen.getAllByRole('link', { name: 'Rollouts' })[0] ?? document.body);
    document.removeEventListener('click', held);
    expect(held).toHaveReturnedWith(true);
    expect(await screen.findByText(/You stay on this page until it does/)).toBeInTheDocument();
    pressLetters('ge');
    await user.keyboard('{Control>}k{/Control}');
    await user.click(await screen.findByRole('option', { name: /Trackers/ }));
    expect(visited).toEqual([]);
  });

  describe.each([
    ['a text that nothing keeps', false],
    ['a text that is kept as a draft', true],
  ])('[issue 14.3] with %s', (_what, isKept) => {
    const show = () =>
      showScreen(
        <Shell session={SESSION} theme="system">
          <Written isKept={isKept} />
        </Shell>,
      );

    it.each([false, true])('asks before it is left only where it would be lost: %s', async (answer) => {
      const asked = vi.spyOn(globalThis, 'confirm').mockReturnValue(answer);
      const { visited } = await show();
      const user = userEvent.setup();
      pressLetters('ge');
      expect(asked).toHaveBeenCalledTimes(isKept ? 0 : 1);
      expect(visited).toEqual(isKept || answer ? ['/engine'] : []);
      await user.click(screen.getAllByRole('link', { name: 'Rollouts' })[0] ?? document.body);
      expect(asked).toHaveBeenCalledTimes(isKept ? 0 : 2);
      // To discard it is what that link says.
      await user.click(screen.getByRole('link', { name: 'Discard changes and leave' }));
      expect(asked).toHaveBeenCalledTimes(isKept ? 0 : 2);
      asked.mockRestore();
    });
  });

  describe.each([
    ['a text that nothing keeps', false],
    ['a text that is kept as a draft', true],
  ])('[issue 14.3] the browser goes back from %s', (_what, isKept) => {
    it.each([false, true])('and it is asked first only where it would be lost: %s', async (answer) => {
      history.pushState(null, '', '/objects');
      history.pushState(null, '', '/objects/edit');
      const asked = vi.spyOn(globalThis, 'confirm').mockReturnValue(answer);
      const shown: string[] = [];
      // The router hears of it first.
      const router = () => void shown.push(location.pathname);
      window.addEventListener('popstate', router);
      const { close } = await showScreen(<Written isKept={isKept} />);
      history.back();
      const stays = !isKept && !answer;
      await waitFor(() =>
        expect([location.pathname, asked.mock.calls.length]).toEqual([stays ? '/objects/edit' : '/objects', isKept ? 0 : 1]),
      );
      expect(shown.at(-1)).toBe(stays ? '/objects/edit' : '/objects');
      close();
      window.removeEventListener('popstate', router);
      asked.mockRestore();
    });
  });

  it('[design 9] lets go of the page for another while the server is there', async () => {
    const { visited } = await showShell();
    pressLetters('ge');
    expect(visited).toEqual(['/engine']);
  });

  it('[design 9] says since when the page is cut off, and keeps what was known', async () => {
    await showShell({ connection: { kind: 'offline', since: 0, reason: 'The connection to the server was lost.' } });
    expect(screen.getByRole('alert')).toHaveTextContent(
      'The connection to the server was lost. The data is from before that. Reconnecting automatically.',
    );
    expect(screen.getByRole('button', { name: 'On the page' })).toBeInTheDocument();
  });

  it('[issue 10.3] says on every page that the record is down, what is refused, and that pause, abort and suspend still work', async () => {
    await showWith({ record: { since: '2026-11-20T09:29:00Z', sentence: 'connection refused', full: false } });
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The record cannot be written: connection refused. Changes and decisions are refused, and decisions made with kubectl stay Pending. Pause, abort and suspend still work.',
    );
    expect(screen.getByText('for')).toHaveTextContent(/^for \d+/);
  });

  it('[issue 10.3] does not say that they work where another controller drives rollouts', async () => {
    const record = { since: '2026-11-20T09:29:00Z', sentence: 'connection refused', full: false };
    await showWith({ record, engines: { rollout: { mode: 'observe', why: 'another controller drives rollouts' } } });
    expect(await screen.findByRole('alert')).toHaveTextContent(/stay Pending\.$/);
  });

  it('[issue 10.3] says when so much waits for the record that engines stand still', async () => {
    await showWith({ record: { since: '2026-11-20T09:29:00Z', sentence: 'connection refused', full: true } });
    expect(await screen.findByRole('alert')).toHaveTextContent(/rollouts and applications are stopped\. Aborts continue\.$/);
  });

  it('[issue 9.3] says on every page who drives while an engine only looks on, that every decision is refused, and where to read more', async () => {
    await showWith({
      engines: {
        rollout: { mode: 'observe', why: 'Deployment serving in knative drives rollouts in this cluster; Slipway only observes' },
      },
    });
    const said = await screen.findByText(/^Deployment serving in knative drives rollouts in this cluster; Slipway only observes\.$/);
    expect(said.parentElement).toHaveTextContent(
      'Rollouts are read-only here: all decisions are refused, including pause and abort. See Engine',
    );
    expect(screen.getByRole('link', { name: 'See Engine' })).toHaveAttribute('href', '/engine');
  });

  it('[style 3.5] tells moments in the reason of an engine that only observes in the zone of the reader', async () => {
    await showWith({ engines: { rollout: { mode: 'observe', why: 'rollouts could not be read since 2026-11-21T11:51:47Z' } } });
    const said = await screen.findByText(/^Rollouts could not be read since/);
    expect(said.textContent).toMatch(/since (21 Nov 2026, )?11:51:47 UTC\.$/);
  });

  it('says nothing of an engine that has nothing to do as it is configured', async () => {
    await showWith({ engines: { chartsync: { mode: 'off', why: 'no chart repository is configured' } } });
    expect(screen.queryByText(/no chart repository/)).toBeNull();
  });

  it('[design 9] opens the palette from the keyboard, goes where it says, and gives the focus back', async () => {
    using _log = answerFetch({});
    const { visited } = await showShell();
    const page = screen.getByRole('button', { name: 'On the page' });
    page.focus();
    await userEvent.keyboard('{Control>}k{/Control}');
    await screen.findByRole('combobox');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(page).toHaveFocus());
    await userEvent.keyboard('{Control>}k{/Control}');
    expect(await screen.findByRole('combobox')).toHaveFocus();
    await userEvent.keyboard('trackers{Enter}');
    expect(visited).toEqual(['/trackers']);
  });

  it('[design 9] goes to a page by G and its letter', async () => {
    const { visited } = await showShell();
    pressLetters('gr');
    pressLetters('r');
    expect(visited).toEqual(['/rollouts']);
  });

  it('[design 9] goes nowhere where the letter comes so late that G was for itself', async () => {
    const { visited } = await showShell();
    pressLetters('gr', 901);
    expect(visited).toEqual([]);
  });

  it('[design 9] keeps the choice of light or dark where the server can read it', () => {
    applyTheme('dark');
    expect(document.documentElement).toHaveClass('dark');
    expect(document.cookie).toContain('slipway_theme=dark');
    applyTheme('system');
    expect(document.documentElement).not.toHaveClass('dark');
    expect(['dark', 'blue', undefined].map(parseTheme)).toEqual(['dark', 'system', 'system']);
  });
});

describe('the cluster in the address', () => {
  const shownIn = (id: string | null) => ({ cluster: { kind: 'remote', name: 'staging', version: null, id } }) as const;
  const addressOf = () => `${globalThis.location.pathname}${globalThis.location.search}`;
  afterEach(() => globalThis.history.replaceState(null, '', '/'));

  const at = async (search: string, id: string | null) => {
    globalThis.history.replaceState(null, '', `/trackers${search}`);
    await showWith(shownIn(id), { path: '/trackers', search });
  };

  it('[issue 14.3] is named by every page, beside what is chosen on it', async () => {
    await at('?q=web', '05c4fbae');
    await waitFor(() => expect(addressOf()).toBe('/trackers?q=web&cluster=05c4fbae'));
    expect(screen.getByRole('button', { name: 'On the page' })).toBeVisible();
  });

  it('[issue 14.3] is not named where nobody knows it, and then hides nothing', async () => {
    await at('?cluster=deadbeef', null);
    expect(addressOf()).toBe('/trackers?cluster=deadbeef');
    expect(screen.getByRole('button', { name: 'On the page' })).toBeVisible();
  });

  it('[issue 14.3] hides a page where the address names another one, says so, and leads to the same address here', async () => {
    await at('?q=web&cluster=deadbeef', '05c4fbae');
    expect(await screen.findByText('The link is for cluster deadbeef. This console shows staging, cluster 05c4fbae.')).toBeVisible();
    expect(screen.queryByRole('button', { name: 'On the page' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Open it in this cluster' })).toHaveAttribute('href', '/trackers?q=web');
    expect(addressOf()).toBe('/trackers?q=web&cluster=deadbeef');
  });
});
