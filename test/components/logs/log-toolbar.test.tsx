import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { parseLogAddress } from '@/components/logs/log-address';
import { LogToolbar } from '@/components/logs/log-toolbar';

function show(search: string) {
  const change = vi.fn();
  const none = { revisions: [], pods: [], containers: [], found: 0, place: 0, count: 0, onStep: vi.fn(), onDownload: vi.fn() };
  render(<LogToolbar address={parseLogAddress(new URLSearchParams(search))} change={change} {...none} />);
  return { change, choice: screen.getByRole<HTMLSelectElement>('combobox', { name: 'Starting from' }) };
}

describe('where the lines of a log start', () => {
  it.each([
    ['', 'Newest 200 lines'],
    ['tail=2000', 'Newest 2,000 lines'],
    ['tail=3000', 'Newest 3,000 lines'],
    ['since=1h', 'Last hour'],
    ['since=30m', 'Since 30m'],
  ])('[issue 7.4] is chosen as the address says: %s', (search, said) => {
    expect(show(search).choice.selectedOptions[0]?.text).toBe(said);
  });

  it('[issue 7.4] goes into the address as lines or as a time, never both', async () => {
    const { change, choice } = show('');
    await userEvent.selectOptions(choice, 'Newest 2,000 lines');
    expect(change).toHaveBeenLastCalledWith({ since: null, tail: '2000' });
    await userEvent.selectOptions(choice, 'Last 5 minutes');
    expect(change).toHaveBeenLastCalledWith({ since: '5m', tail: null });
  });
});

it('[issue 14.3] what cannot be ticked says why, is reached by keyboard and stays as it is', async () => {
  const { change } = show('previous=1');
  const follow = screen.getByRole('checkbox', { name: 'Follow' });
  expect(follow).toHaveAccessibleDescription('A finished run writes no more lines.');
  follow.focus();
  expect(follow).toHaveFocus();
  await userEvent.keyboard(' ');
  expect(change).not.toHaveBeenCalled();
});
