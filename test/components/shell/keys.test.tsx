import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { Shell } from '@/components/shell/shell';
import { DataTable } from '@/components/ui/data/data-table';
import { FavouriteButton } from '@/components/ui/preferences/favourite-button';
import type { SessionView } from '@/lib/contract/requests';
import type { ScreenOptions } from '@/test/support/screen';
import { showScreen } from '@/test/support/screen';

// jsdom lays nothing out, so it has nowhere to scroll to.
Element.prototype.scrollIntoView ??= () => {};

const SESSION: SessionView = { user: 'mara', groups: [], mode: 'local', mayInvite: false, expiresAt: '2099-01-01T00:00:00Z' };
const ROWS = ['a', 'b', 'c'].map((key) => ({ key }));
const COLUMNS = [{ id: 'name', head: 'Name', cell: ({ key }: { readonly key: string }) => key }];

const show = (options: ScreenOptions = {}, onSelect = (_keys: ReadonlySet<string>) => {}) =>
  showScreen(
    <Shell session={SESSION} theme="system">
      <FavouriteButton />
      <input aria-label="Search" />
      <DataTable
        label="Ships"
        rows={ROWS}
        columns={COLUMNS}
        hrefOf={({ key }) => `/ships/${key}`}
        selection={{ keys: new Set(), onSelect, labelOf: ({ key }) => key }}
      />
    </Shell>,
    options,
  );

describe('the keys', () => {
  beforeEach(() => localStorage.clear());

  it('[issue 14.3] j and k go from row to row, and stop at either end', async () => {
    await show();
    const user = userEvent.setup();
    const at = () => document.activeElement?.textContent;
    await user.keyboard('j');
    expect(at()).toBe('a');
    await user.keyboard('jj');
    expect(at()).toBe('c');
    await user.keyboard('j');
    expect(at()).toBe('c');
    await user.keyboard('k');
    expect(at()).toBe('b');
  });

  it('[issue 14.3] space selects the row that has the focus, once', async () => {
    const selected: string[][] = [];
    await show({}, (keys) => selected.push([...keys]));
    const user = userEvent.setup();
    await user.keyboard('jj ');
    expect(selected).toEqual([['b']]);
    screen.getByRole('checkbox', { name: 'Select c' }).focus();
    await user.keyboard(' ');
    expect(selected).toEqual([['b'], ['c']]);
    await user.keyboard('k');
    expect(document.activeElement).toHaveTextContent('b');
  });

  it('[issue 14.3] do nothing while someone types', async () => {
    await show({ path: '/applications/shop/checkout' });
    const user = userEvent.setup();
    await user.type(screen.getByRole('textbox', { name: 'Search' }), 'jf?k');
    expect(screen.getByRole('textbox', { name: 'Search' })).toHaveValue('jf?k');
    expect(screen.getByRole('button', { name: 'Add to favourites' })).toBeInTheDocument();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('[issue 14.3] ? lists them, with the letter of each page; Escape closes the list', async () => {
    await show();
    const user = userEvent.setup();
    await user.keyboard('?');
    const dialog = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    const pages = within(dialog).getByRole('region', { name: 'Pages' });
    expect(within(pages).getByText('Engine').parentElement).toHaveTextContent(/G\s*then\s*E/);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('favourites', () => {
  beforeEach(() => localStorage.clear());

  it('[issue 14.3] f adds the page to them; the rail and the palette lead there', async () => {
    const { close } = await show({ path: '/applications/shop/checkout' });
    const user = userEvent.setup();
    await user.keyboard('f');
    expect(within(screen.getByRole('navigation', { name: 'Favourites' })).getByRole('link', { name: /checkout/ })).toHaveAttribute(
      'href',
      '/applications/shop/checkout',
    );
    close();
    const { visited } = await show({ path: '/engine' });
    await user.keyboard('{Control>}k{/Control}');
    await user.click(await screen.findByRole('option', { name: /checkout shop application/ }));
    expect(visited).toEqual(['/applications/shop/checkout']);
  });

  it('[issue 14.3] one that is removed comes back by Undo', async () => {
    localStorage.setItem('slipway-kept/mara', JSON.stringify({ favourites: ['/rollouts/shop/checkout'] }));
    await show({ path: '/rollouts/shop/checkout' });
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Remove from favourites' }));
    expect(screen.queryByRole('navigation', { name: 'Favourites' })).toBeNull();
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(screen.getByRole('navigation', { name: 'Favourites' })).toBeInTheDocument();
  });

  it('[issue 14.3] the palette offers the pages that were opened last, without the one that is open', async () => {
    const { close } = await show({ path: '/rollouts/shop/checkout' });
    close();
    await show({ path: '/trackers/checkout-v1-shop' });
    await userEvent.setup().keyboard('{Control>}k{/Control}');
    const recent = await screen.findByRole('group', { name: 'Recent' });
    expect(
      within(recent)
        .getAllByRole('option')
        .map((option) => option.textContent),
    ).toEqual(['checkout shop rollout']);
  });
});
