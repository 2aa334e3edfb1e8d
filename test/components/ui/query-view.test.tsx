import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { RequestError } from '@/components/live/request';
import type { QueryLike } from '@/components/ui/data/query-view';
import { QueryView } from '@/components/ui/data/query-view';
import { showScreen } from '@/test/support/screen';

function show(
  query: Partial<QueryLike<readonly string[]>>,
  { stale, container }: { readonly stale?: string; readonly container?: HTMLElement } = {},
) {
  let reads = 0;
  const { unmount: close } = render(
    <QueryView
      query={{ data: undefined, error: null, isFetching: false, refetch: () => reads++, ...query }}
      awaits="Reading the rollouts."
      pending={<span>skeleton</span>}
      empty={<p>No rollouts yet</p>}
      isEmpty={(rows) => rows.length === 0}
      stale={stale ? <p role="status">{stale}</p> : null}
    >
      {(rows) => (
        <ul>
          {rows.map((row) => (
            <li key={row}>{row}</li>
          ))}
        </ul>
      )}
    </QueryView>,
    container === undefined ? {} : { container },
  );
  return { reads: () => reads, close };
}

describe('the states of what is shown', () => {
  it('[design 9] pending: says what is awaited', () => {
    show({});
    expect(screen.getByRole('status')).toHaveTextContent('Reading the rollouts.');
    expect(screen.getByRole('status')).toHaveAttribute('aria-busy', 'true');
  });

  it('[design 9] empty: says what would be here', () => {
    show({ data: [] });
    expect(screen.getByText('No rollouts yet')).toBeVisible();
  });

  it('[design 9] failed: shows the sentence of the server and a way to read again', async () => {
    // It may be the cluster, a repository or the store: the sentence says which.
    const { reads } = show({ error: new RequestError('unavailable', 'The API server refused the connection.') });
    expect(screen.getByRole('alert')).toHaveTextContent('Not available now');
    expect(screen.getByRole('alert')).toHaveTextContent('The API server refused the connection.');
    await userEvent.click(screen.getByRole('button', { name: 'Read again' }));
    expect(reads()).toBe(1);
  });

  it('[design 9] failed: words of the API become a sentence, before and beside what was known', () => {
    show({ error: new RequestError('not-found', 'application web was not found in shop') });
    expect(screen.getByText('Application web was not found in shop.')).toBeInTheDocument();
    show({ data: ['web'], error: new RequestError('internal', 'the store does not answer') });
    expect(screen.getByText('Could not read again: The store does not answer.')).toBeInTheDocument();
  });

  it('[design 7] failed to read again: what was known stays', () => {
    show({ data: ['web'], error: new RequestError('unavailable', 'No answer.') });
    expect(screen.getByRole('listitem')).toHaveTextContent('web');
    expect(screen.getByRole('alert')).toHaveTextContent('Could not read again: No answer.');
  });

  it('[issue 14] failed for one reason in several parts of a page: told once, and read again together', async () => {
    const error = new RequestError('unavailable', 'No answer.');
    const early = document.body.appendChild(document.createElement('div'));
    const second = show({ error });
    const first = show({ error }, { container: early });
    const other = show({ error: new RequestError('unavailable', 'No disk.') });
    expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toEqual([
      expect.stringContaining('No answer.'),
      expect.stringContaining('No disk.'),
    ]);
    expect(screen.getByText('Not read, for the same reason.')).toBeInTheDocument();
    await userEvent.click(screen.getAllByRole('button', { name: 'Read again' })[0] as HTMLElement);
    expect([first.reads(), second.reads(), other.reads()]).toEqual([1, 1, 0]);
    expect(early).toHaveTextContent('No answer.');
    first.close();
    expect(screen.getAllByRole('alert')).toHaveLength(2);
    expect(screen.queryByText('Not read, for the same reason.')).toBeNull();
  });

  it('[issue 14] failed in a dialog as behind it: each tells the reason, since one is read without the other', () => {
    const error = new RequestError('unavailable', 'No answer.');
    const dialog = document.createElement('div');
    dialog.setAttribute('role', 'dialog');
    const container = document.body.appendChild(dialog).appendChild(document.createElement('div'));
    show({ error });
    show({ error }, { container });
    expect(screen.getAllByRole('alert')).toHaveLength(2);
    show({ error }, { container: dialog.appendChild(document.createElement('div')) });
    expect(screen.getAllByText('Not read, for the same reason.')).toEqual([within(dialog).getByText('Not read, for the same reason.')]);
    dialog.remove();
  });

  it.each([
    ['unreachable', 'offline', null],
    ['unreachable', 'live', 'Could not read again: No answer.'],
    ['forbidden', 'offline', 'Could not read again: No answer.'],
  ] as const)('[issue 14] %s while the page is %s: that nobody answers is said by the shell alone', async (code, kind, said) => {
    const connection = kind === 'live' ? { kind } : { kind, since: 0, reason: 'The server does not answer.' };
    const error = new RequestError(code, 'No answer.');
    await showScreen(
      <QueryView query={{ data: 'web', error, isFetching: false, refetch: () => undefined }} awaits="" pending={null}>
        {(row) => <p>{row}</p>}
      </QueryView>,
      { connection },
    );
    expect(screen.queryByRole('alert')?.textContent ?? null).toBe(said);
    // Nobody takes it for now.
    expect(screen.getByText('web').closest('[data-stale]') !== null).toBe(said === null);
  });

  it('[design 7] stale: marked, never hidden', () => {
    show({ data: ['web'] }, { stale: 'As of 09:12.' });
    expect(screen.getByRole('listitem')).toHaveTextContent('web');
    expect(screen.getByRole('status')).toHaveTextContent('As of 09:12.');
    expect(screen.getByRole('list').closest('[data-stale]')).not.toBeNull();
  });
});
