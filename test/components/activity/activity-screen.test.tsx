import { screen, waitFor } from '@testing-library/react';
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

  it('[design 14] is searched whole, and says when nothing in it matches', async () => {
    using log = answerFetch({ 'GET /api/v1/activity': page(0, false, 'mara') });
    await showScreen(<ActivityScreen />, { topics: ['activity'], search: 'q=gone&page=3' });
    expect(await screen.findByText('No entry matches')).toBeInTheDocument();
    expect(log.sent.map(({ url }) => url)).toEqual(['/api/v1/activity?q=gone&page=3']);
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
