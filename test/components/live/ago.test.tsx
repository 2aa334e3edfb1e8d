import { act, render, screen } from '@testing-library/react';
import { Profiler } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { Age, Ago, Elapsed } from '@/components/live/ago';

const START = Date.parse('2026-01-01T10:00:00Z');

afterEach(() => vi.useRealTimers());

it('[design 9] an age is drawn again when it is said otherwise, and not with every second', () => {
  vi.useFakeTimers({ now: START });
  let drawn = 0;
  render(
    <Profiler id="ago" onRender={() => drawn++}>
      <Ago at={new Date(START - 6 * 60_000).toISOString()} />
    </Profiler>,
  );
  act(() => vi.advanceTimersByTime(40_000));
  expect(screen.getByText('6m ago')).toBeInTheDocument();
  const before = drawn;
  act(() => vi.advanceTimersByTime(15_000));
  expect(drawn).toBe(before);
  act(() => vi.advanceTimersByTime(10_000));
  expect(screen.getByText('7m ago')).toBeInTheDocument();
});

it('[design 9] what goes on is told to the second', () => {
  vi.useFakeTimers({ now: START });
  render(<Elapsed from={new Date(START).toISOString()} />);
  act(() => vi.advanceTimersByTime(3000));
  expect(screen.getByText('3s')).toBeInTheDocument();
});

it.each([
  [4 * 60_000, '4m'],
  [30 * 3_600_000, '1d'],
  [2000, '2s'],
  [-2000, '0s'],
])('[issue 14.1] under a heading that says so, an age of %i ms is %s', (old, said) => {
  vi.useFakeTimers({ now: START });
  render(<Age at={new Date(START - old).toISOString()} />);
  expect(screen.getByText(said)).toBeInTheDocument();
});
