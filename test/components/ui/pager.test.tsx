import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Pager } from '@/components/ui/data/pager';

describe('the pages of a list', () => {
  it('[design 9] say where one is, and lead on and back', async () => {
    const onPage = vi.fn();
    render(<Pager page={1} size={50} total={3000} noun="trackers" onPage={onPage} />);
    expect(screen.getByText('51–100 of 3,000 trackers')).toBeInTheDocument();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Previous page' }));
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    expect(onPage.mock.calls).toEqual([[0], [2]]);
  });

  it('[design 9] say of one past the end of a list that grew shorter that it is, and lead to the last', async () => {
    const onPage = vi.fn();
    render(<Pager page={7} size={50} total={120} noun="trackers" onPage={onPage} />);
    expect(screen.getByRole('status')).toHaveTextContent('The list ends before this page: 120 trackers');
    await userEvent.setup().click(screen.getByRole('button', { name: 'Last page' }));
    expect(onPage.mock.calls).toEqual([[2]]);
  });
});
