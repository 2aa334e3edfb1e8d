import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { TableTools } from '@/components/live/table/table-tools';
import type { Column } from '@/components/ui/data/data-table';
import { DataTable } from '@/components/ui/data/data-table';
import { Toaster } from '@/components/ui/overlay/toast';
import { PreferencesOf } from '@/components/ui/preferences/use-preferences';
import { showScreen } from '@/test/support/screen';

// jsdom has no pointer capture, which menus ask for.
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.scrollIntoView ??= () => {};

interface Row {
  readonly key: string;
  readonly size: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', head: 'Name', sort: 'name', cell: ({ key }) => key },
  { id: 'size', head: 'Size', sort: 'size', cell: ({ size }) => size },
  { id: 'note', head: 'Note', cell: () => 'as it is' },
];
const ROWS: readonly Row[] = [
  { key: 'a', size: 1 },
  { key: 'b', size: 2 },
];

const onSort = vi.fn();

const show = (search = '', by?: string) =>
  showScreen(
    <PreferencesOf value="mara">
      <TableTools id="ships" columns={COLUMNS} />
      <DataTable label="Ships" id="ships" rows={ROWS} columns={COLUMNS} sorting={{ by, desc: false, onSort }} card={({ key }) => key} />
      <Toaster />
    </PreferencesOf>,
    { path: '/ships', search },
  );

const heads = () => screen.getAllByRole('columnheader').map((head) => head.textContent);

describe('what every table has', () => {
  beforeEach(() => {
    localStorage.clear();
    onSort.mockClear();
  });

  it('[issue 14.3] columns are hidden and stay so when the page is opened again; the first one stays', async () => {
    const user = userEvent.setup();
    const { close } = await show();
    await user.click(screen.getByRole('button', { name: 'Columns and density' }));
    expect(screen.queryByRole('menuitemcheckbox', { name: 'Name' })).toBeNull();
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Size' }));
    expect(screen.getByRole('menuitemcheckbox', { name: 'Size' })).not.toBeChecked();
    await user.keyboard('{Escape}');
    expect(heads()).toEqual(['Name', 'Note']);
    close();
    await show();
    expect(heads()).toEqual(['Name', 'Note']);
  });

  it('[issue 14.3] rows become lower, in this table alone', async () => {
    const user = userEvent.setup();
    await show();
    const cell = () => screen.getByRole('cell', { name: 'a' });
    const tall = cell().className;
    await user.click(screen.getByRole('button', { name: 'Columns and density' }));
    await user.click(await screen.findByRole('menuitemradio', { name: 'Compact' }));
    await user.keyboard('{Escape}');
    expect(cell().className).not.toBe(tall);
    expect(JSON.parse(localStorage.getItem('slipway-kept/mara') ?? '')).toMatchObject({ tables: { ships: { dense: true } } });
  });

  it('[issue 14.3] a view keeps filters and order under a name, not the page, and is opened by writing the address', async () => {
    const user = userEvent.setup();
    const { close } = await show('q=web&page=3&ns=shop');
    await user.click(screen.getByRole('button', { name: 'Views' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save this view…' }));
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Name of the view' })).toHaveFocus());
    const dialog = await screen.findByRole('dialog', { name: 'Save view' });
    await user.click(within(dialog).getByRole('button', { name: 'Save view' }));
    expect(within(dialog).getByText('A view needs a name.')).toBeInTheDocument();
    await user.type(within(dialog).getByLabelText('Name of the view'), 'My shop{Enter}');
    expect(await screen.findByText('View My shop is saved.')).toBeInTheDocument();
    close();
    await show('sort=name');
    const wrote = vi.spyOn(globalThis.history, 'pushState');
    await user.click(screen.getByRole('button', { name: 'Views' }));
    await user.click(await screen.findByRole('menuitem', { name: 'My shop' }));
    await waitFor(() => expect(wrote).toHaveBeenCalledWith(null, '', '/ships?ns=shop&q=web'));
    wrote.mockRestore();
  });

  it('[issue 14.3] a view that is deleted comes back by Undo', async () => {
    localStorage.setItem('slipway-kept/mara', JSON.stringify({ views: [{ path: '/ships', name: 'My shop', query: 'ns=shop&q=web' }] }));
    const user = userEvent.setup();
    await show('q=web&ns=shop');
    const menu = () => screen.getByRole('button', { name: /^(My shop|Views)$/ });
    expect(menu()).toHaveTextContent('My shop');
    await user.click(menu());
    await user.click(await screen.findByRole('menuitem', { name: 'Delete this view' }));
    expect(menu()).toHaveTextContent('Views');
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    expect(menu()).toHaveTextContent('My shop');
  });

  it('[issue 14.3] cards sort as the table does', async () => {
    const user = userEvent.setup();
    const { close } = await show();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Size');
    expect(onSort).toHaveBeenLastCalledWith('size', false);
    expect(screen.queryByRole('button', { name: 'Ascending' })).toBeNull();
    close();
    await show('', 'size');
    await user.click(screen.getByRole('button', { name: 'Ascending' }));
    expect(onSort).toHaveBeenLastCalledWith('size', true);
  });
});
