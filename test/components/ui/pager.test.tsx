import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Pager } from '@/components/ui/data/pager';

const TRACKERS = { one: 'tracker', many: 'trackers' };

describe('the pages of a list', () => {
  it('[design 9] say where one is, and lead on and back', async () => {
    const onPage = vi.fn();
    render(<Pager page={1} size={50} total={3000} noun={TRACKERS} onPage={onPage} />);
    expect(screen.getByText('51–100 of 3,000 trackers')).toBeInTheDocument();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Previous page' }));
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    expect(onPage.mock.calls).toEqual([[0], [2]]);
  });

  it('[design 9] say of one past the end of a list that grew shorter that it is, and lead to the last', async () => {
    const onPage = vi.fn();
    render(<Pager page={7} size={50} total={120} noun={TRACKERS} onPage={onPage} />);
    expect(screen.getByRole('status')).toHaveTextContent('The list ends before this page: 120 trackers');
    await userEvent.setup().click(screen.getByRole('button', { name: 'Last page' }));
    expect(onPage.mock.calls).toEqual([[2]]);
  });

  it('[issue 11.3] speak of one row as of one', () => {
    const { rerender } = render(<Pager page={0} size={50} total={1} noun={TRACKERS} onPage={vi.fn()} />);
    expect(screen.getByText('1 of 1 tracker')).toBeInTheDocument();
    rerender(<Pager page={3} size={50} total={1} noun={TRACKERS} onPage={vi.fn()} />);
    expect(screen.getByRole('status')).toHaveTextContent(/^The list ends before this page: 1 tracker$/);
  });

  it('[issue 14.3] lead to any page by its number, and to the last one for a number past it', async () => {
    const onPage = vi.fn();
    render(<Pager page={1} size={50} total={3000} noun={TRACKERS} onPage={onPage} />);
    const box = screen.getByRole('textbox', { name: 'Page' });
    expect(box).toHaveValue('2');
    expect(screen.getByText('of 60')).toBeInTheDocument();
    const user = userEvent.setup();
    await user.clear(box);
    await user.type(box, '17{Enter}');
    expect(onPage.mock.calls).toEqual([[16]]);
    await user.clear(box);
    await user.type(box, '900{Enter}');
    expect(onPage).toHaveBeenLastCalledWith(59);
    await user.clear(box);
    await user.type(box, 'x{Enter}');
    expect(box).toHaveValue('2');
    expect(onPage).toHaveBeenCalledTimes(2);
  });
});
