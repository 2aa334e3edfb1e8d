import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LazyDialog } from '@/components/ui/overlay/lazy/lazy-dialog';
import { lazyOnDemand } from '@/components/ui/overlay/lazy/lazy-module';
import { LazyPart } from '@/components/ui/overlay/lazy/lazy-part';
import { Toaster } from '@/components/ui/overlay/toast';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('[issue 14.3] keeps the page around a part that does not come, says so in its place, and asks until it is there', async () => {
  const read = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error('gone'))
    .mockRejectedValueOnce(new Error('gone'))
    .mockResolvedValue('the chart');
  const part = lazyOnDemand(read);
  render(
    <main>
      <button type="button">Abort</button>
      <LazyPart part={part} pending={<p>drawing</p>}>
        {(text) => <p>{text}</p>}
      </LazyPart>
    </main>,
  );
  expect(screen.getByText('drawing')).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(screen.getByText(/^This part of the page could not be loaded\. It appears as soon as/)).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Abort' })).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(5000));
  expect([read.mock.calls.length, screen.queryByText('the chart')]).toEqual([2, null]);
  await act(() => vi.advanceTimersByTimeAsync(5000));
  expect(screen.getByText('the chart')).toBeInTheDocument();
});

it('[issue 14.3] asks no more for a part of a page that was left', async () => {
  const read = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('gone'));
  const { unmount } = render(
    <LazyPart part={lazyOnDemand(read)} pending={null}>
      {(text) => text}
    </LazyPart>,
  );
  await act(() => vi.advanceTimersByTimeAsync(0));
  unmount();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(read).toHaveBeenCalledTimes(1);
});

it('[issue 14.3] says in a toast that a dialog did not come, counts it as closed, and asks again when it is opened again', async () => {
  const read = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('gone')).mockResolvedValue('the palette');
  const part = lazyOnDemand(read);
  const missed = vi.fn();
  const dialog = (isOpen: boolean) => (
    <>
      {isOpen ? (
        <LazyDialog part={part} onMissing={missed} pending={<p>coming</p>}>
          {(text) => <p>{text}</p>}
        </LazyDialog>
      ) : null}
      <Toaster />
    </>
  );
  const { rerender } = render(dialog(true));
  expect(screen.getByText('coming')).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(missed).toHaveBeenCalledTimes(1);
  expect(screen.getByText(/^This part of the page could not be loaded\. Check the connection/)).toBeInTheDocument();
  rerender(dialog(false));
  rerender(dialog(true));
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect([screen.getByText('the palette').textContent, missed.mock.calls.length]).toEqual(['the palette', 1]);
});
