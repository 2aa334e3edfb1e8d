import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ActivityScreen } from '@/components/activity/activity-screen';
import { activityRows } from '@/test/support/fixture/system';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const [row] = activityRows(backFrom(SCREEN_NOW));
const page = (total: number, more: boolean, actor: string) => () =>
  Response.json({ total, more, next: null, rows: [{ ...row, key: actor, actor }] });

describe('the record', () => {
  it('[design 14] is shown from the store, as many entries as it has, and further than they were counted', async () => {
    using log = answerFetch({ 'GET /api/v1/activity': page(1000, true, 'mara') });
    await showScreen(<ActivityScreen />, { topics: ['activity'] });
    expect(await screen.findByText('1–50 of more than 1,000 entries')).toBeInTheDocument();
    expect(screen.getAllByText('mara').length).toBeGreaterThan(0);
    expect(screen.getByRole('button', { name: 'Next page' })).not.toHaveAttribute('aria-disabled', 'true');
    expect(log.sent.map(({ url }) => url)).toEqual(['/api/v1/activity?']);
  });

  it.each([
    ['', ['third', 'second', 'first']],
    ['sort=at&desc=1', ['third', 'second', 'first']],
    ['sort=at', ['first', 'second', 'third']],
    ['sort=actor', ['second', 'third', 'first']],
  ])(
    '[design 14] is shown in the order of time unless asked otherwise, though entries were written down in another: %j',
    async (search, said) => {
      const entry = (actor: string, at: string) => ({ ...row, key: actor, actor, at });
      const rows = [
        entry('second', '2026-11-20T09:00:02.000Z'),
        entry('third', '2026-11-20T09:00:02.500Z'),
        entry('first', '2026-11-20T09:00:01.000Z'),
      ];
      using _log = answerFetch({ 'GET /api/v1/activity': () => Response.json({ total: 3, more: false, next: null, rows }) });
      await showScreen(<ActivityScreen />, { topics: ['activity'], search });
      await screen.findByText('1–3 of 3 entries');
      const cells = within(screen.getByRole('table')).getAllByRole('cell', { name: /^(first|second|third)$/ });
      expect(cells.map(({ textContent }) => textContent)).toEqual(said);
    },
  );

  it('[design 14] is searched whole, and says when nothing in it matches', async () => {
    using log = answerFetch({ 'GET /api/v1/activity': page(0, false, 'mara') });
    await showScreen(<ActivityScreen />, { topics: ['activity'], search: 'q=gone&page=3' });
    expect(await screen.findByText('No entry matches')).toBeInTheDocument();
    expect(log.sent.map(({ url }) => url)).toEqual(['/api/v1/activity?q=gone&page=3']);
  });

  it('[issue 14.3] offers where nothing matches to take all filters away', async () => {
    using log = answerFetch({ 'GET /api/v1/activity': page(0, false, 'mara') });
    globalThis.history.replaceState(null, '', '/activity?q=gone&who=ann');
    await showScreen(<ActivityScreen />, { topics: ['activity'], search: 'q=gone&who=ann' });
    const said = (await screen.findByText('No entry matches')).parentElement as HTMLElement;
    await userEvent.click(within(said).getByRole('button', { name: 'Clear filters' }));
    expect(globalThis.location.search).toBe('');
    await waitFor(() => expect(log.sent.at(-1)?.url).toBe('/api/v1/activity?'));
  });

  it('[issue 14.3] says every filter that is set below them, each to be taken out, and the line of the filters stays as it is', async () => {
    using log = answerFetch({ 'GET /api/v1/activity': page(1, false, 'mara') });
    const search = 'who=ann&application=web&ns=shop&act=approve&result=refused&from=2026-11-20T00:00:00Z';
    globalThis.history.replaceState(null, '', `/activity?${search}`);
    await showScreen(<ActivityScreen />, { topics: ['activity'], search });
    const chips = screen.getByRole('list', { name: 'Filters' });
    const said = within(chips)
      .getAllByRole('button', { name: /^Remove filter/ })
      .map((button) => button.getAttribute('aria-label'));
    expect(said).toEqual([
      'Remove filter Person: ann',
      'Remove filter Application: web',
      'Remove filter Namespace: shop',
      'Remove filter Action: approve',
      'Remove filter Result: Refused',
      expect.stringMatching(/^Remove filter Time: from .*00:00/),
    ]);
    expect(screen.getAllByRole('button', { name: 'Clear filters' })).toHaveLength(1);
    expect(screen.getByLabelText('Time')).toHaveDisplayValue('Chosen time');
    await userEvent.click(within(chips).getByRole('button', { name: 'Remove filter Action: approve' }));
    await userEvent.click(within(chips).getByRole('button', { name: /^Remove filter Time/ }));
    await waitFor(() => expect(log.sent.at(-1)?.url).toBe('/api/v1/activity?ns=shop&who=ann&application=web&result=refused'));
  });

  it('[issue 14.3] is neither checked nor exported for who may not read it, and both say which right that takes', async () => {
    const message = 'viewer may not do this: it requires the right "list" on applications.core.oam.dev';
    using log = answerFetch({}, () => Response.json({ error: { code: 'forbidden', message } }, { status: 403 }));
    await showScreen(<ActivityScreen />);
    expect(await screen.findByText('Access denied')).toBeInTheDocument();
    for (const name of ['Verify', 'Export']) expect(screen.getByRole('button', { name })).toHaveAccessibleDescription(`${message}.`);
    expect(screen.queryByRole('link', { name: 'Export' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Verify' }));
    expect(log.sent.filter(({ url }) => url.includes('verify'))).toEqual([]);
  });

  it('[design 14] that cannot be read leaves its newest entries, and says why there are no others', async () => {
    using _log = answerFetch({}, () =>
      Response.json({ error: { code: 'unavailable', message: 'The record cannot be read now.' } }, { status: 503 }),
    );
    await showScreen(<ActivityScreen />, { topics: ['activity'] });
    await waitFor(() => expect(screen.getByText(/The record cannot be read now/)).toBeInTheDocument());
    expect(screen.getByRole('table', { name: 'Record' })).toBeInTheDocument();
  });
});
