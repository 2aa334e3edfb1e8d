import { act, screen, waitFor } from '@testing-library/react';
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime';
import { useEffect, useState } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { Shell } from '@/components/shell/shell';
import { DataTable } from '@/components/ui/data/data-table';
import { PageHead } from '@/components/ui/page-head';
import type { SessionView } from '@/lib/contract/requests';
import { showScreen } from '@/test/support/screen';

const SESSION: SessionView = { user: 'mara', groups: [], mode: 'local', mayInvite: false, expiresAt: '2099-01-01T00:00:00Z' };
const LIST = '/rollouts';
const ROWS = ['ledger', 'web'].map((name) => ({ key: name, name }));

/** Pages as the router shows them: of the address, a moment after the browser has gone there; the rows of the list come when `read` is pressed. */
function Site() {
  const [path, setPath] = useState(globalThis.location.pathname);
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    const show = () => setPath(globalThis.location.pathname);
    globalThis.addEventListener('popstate', show);
    return () => globalThis.removeEventListener('popstate', show);
  }, []);
  const go = (to: string) => {
    globalThis.history.pushState(null, '', to);
    setPath(to);
  };
  return (
    <PathnameContext value={path}>
      <Shell session={SESSION} theme="system">
        <PageHead title={path} breadcrumbs={path === LIST ? [] : [{ label: 'Rollouts', href: LIST }]} />
        <button type="button" onClick={() => go('/rollouts/shop/web')}>
          open
        </button>
        <button type="button" onClick={() => setRead(true)}>
          read
        </button>
        {path === LIST && isRead ? (
          <DataTable
            label="Rollouts"
            rows={ROWS}
            columns={[{ id: 'name', head: 'Name', cell: ({ name }) => name }]}
            hrefOf={({ name }) => `/rollouts/shop/${name}`}
          />
        ) : null}
      </Shell>
    </PathnameContext>
  );
}

/** Presses without taking the focus. */
const press = (name: string) => act(async () => screen.getByText(name).click());

async function goneTo(path: string, move: () => void): Promise<void> {
  move();
  await screen.findByRole('heading', { level: 1, name: path });
}

describe('the focus when the browser goes back', () => {
  beforeEach(() => globalThis.history.replaceState(null, '', LIST));

  it('[issue 14.3] is on the row that one came from, once the list has read it', async () => {
    await showScreen(<Site />);
    await press('open');
    await goneTo(LIST, () => history.back());
    expect(document.body).toHaveFocus();
    await press('read');
    await waitFor(() => expect(screen.getByRole('link', { name: 'web' })).toHaveFocus());
  });

  it('[issue 14.3] is left where somebody has put it meanwhile, and at the top of a page further on', async () => {
    await showScreen(<Site />);
    await press('open');
    await goneTo(LIST, () => history.back());
    screen.getByText('read').focus();
    await press('read');
    await screen.findByRole('link', { name: 'web' });
    expect(screen.getByText('read')).toHaveFocus();
    screen.getByText('read').blur();
    await goneTo('/rollouts/shop/web', () => history.forward());
    expect(document.body).toHaveFocus();
  });
});
