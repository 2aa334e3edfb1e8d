import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { Shell } from '@/components/shell/shell';
import type { SessionView } from '@/lib/contract/requests';
import { answerFetch, showScreen } from '@/test/support/screen';

// jsdom lays nothing out, so it has nowhere to scroll to.
Element.prototype.scrollIntoView ??= () => {};

const SESSION: SessionView = { user: 'mara', groups: [], mode: 'local', mayInvite: true, expiresAt: '2099-01-01T00:00:00Z' };

/** A kind that what is typed names in full, and so answers to it better than the page of that name. */
const PUMP = { group: '', version: 'v1', kind: 'Pump', plural: 'pumps', namespaced: true, shortNames: ['engine'] };

const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
const highlighted = () => screen.getAllByRole('option').filter((option) => option.getAttribute('aria-selected') === 'true');

/** The palette, opened by its keys; kinds are found once `answer` is called. */
async function openPalette() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const log = answerFetch({
    'GET /api/v1/kinds': async () => {
      await promise;
      return Response.json({ kinds: [PUMP], refused: [], incomplete: false });
    },
  });
  const { visited } = await showScreen(
    <Shell session={SESSION} theme="system">
      {null}
    </Shell>,
  );
  const user = userEvent.setup();
  await user.keyboard('{Control>}k{/Control}');
  await screen.findByRole('combobox');
  return { log, visited, user, answer: () => act(async () => resolve()) };
}

describe('the results of the palette', () => {
  it('[issue 14.3] that come late come last: what is highlighted stays the first, and Enter goes there', async () => {
    const { log, visited, user, answer } = await openPalette();
    using _log = log;
    await user.keyboard('engine');
    const before = options();
    expect(before[0]).toMatch(/^Engine/);
    await answer();
    await waitFor(() => expect(options().length).toBeGreaterThan(before.length));
    expect(options().slice(0, before.length)).toEqual(before);
    expect(highlighted()).toEqual([screen.getAllByRole('option')[0]]);
    await user.keyboard('{Enter}');
    expect(visited).toEqual(['/engine']);
  });

  it('[issue 14.3] hold every word that was typed', async () => {
    const { log, user } = await openPalette();
    using _log = log;
    await user.keyboard('theme da');
    expect(options()).toEqual([' Dark theme']);
    await user.keyboard('xyz');
    expect(screen.getByText('No results.')).toBeInTheDocument();
  });
});
