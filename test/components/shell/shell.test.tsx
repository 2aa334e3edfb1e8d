import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { Shell } from '@/components/shell/shell';
import { applyTheme, parseTheme } from '@/components/shell/theme';
import type { SessionView } from '@/lib/contract/requests';
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

describe('the frame around every page', () => {
  it('[design 6] says on every page that the cluster is simulated', async () => {
    await showShell();
    expect(screen.getAllByText('Simulated cluster').length).toBeGreaterThan(0);
  });

  it('[design 7] says that the cluster is in trouble, and since when', async () => {
    await showShell({ scene: 'stale' });
    expect(screen.getByRole('alert')).toHaveTextContent(/^The API server does not answer\. What is shown may be out of date/);
    expect(screen.getByText('for')).toHaveTextContent(/^for \d+/);
  });

  it('[design 9] reads out the trouble once: what counts up stands beside it', async () => {
    await showShell({ scene: 'stale' });
    expect(screen.getByRole('alert')).not.toHaveTextContent(/\d/);
    for (const status of screen.getAllByRole('status')) expect(status).not.toHaveTextContent(/\d/);
  });

  it('[design 9] says since when the page is cut off, and keeps what was known', async () => {
    await showShell({ connection: { kind: 'offline', since: 0, reason: 'The connection to the server was lost.' } });
    expect(screen.getByRole('alert')).toHaveTextContent('The connection to the server was lost. Everything here is as old as that.');
    expect(screen.getByRole('button', { name: 'On the page' })).toBeInTheDocument();
  });

  it('[design 9] opens the palette from the keyboard, goes where it says, and gives the focus back', async () => {
    using _log = answerFetch({});
    const { visited } = await showShell();
    const page = screen.getByRole('button', { name: 'On the page' });
    page.focus();
    await userEvent.keyboard('{Control>}k{/Control}');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(page).toHaveFocus());
    await userEvent.keyboard('{Control>}k{/Control}');
    expect(within(await screen.findByRole('dialog')).getByRole('combobox')).toHaveFocus();
    await userEvent.keyboard('trackers{Enter}');
    expect(visited).toEqual(['/trackers']);
  });

  it('[design 9] goes to a page by G and its letter', async () => {
    const { visited } = await showShell();
    await userEvent.keyboard('gr');
    await userEvent.keyboard('r');
    expect(visited).toEqual(['/rollouts']);
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
