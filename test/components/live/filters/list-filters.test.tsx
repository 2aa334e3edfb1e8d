import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { ApplicationsScreen } from '@/components/applications/applications-screen';
import { showScreen } from '@/test/support/screen';

// jsdom has no pointer capture, which menus ask for.
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.scrollIntoView ??= () => {};

const show = (search = '', topic = search === '' ? 'applications' : `applications?${search}`) =>
  showScreen(<ApplicationsScreen />, { topics: [topic, 'facets/applications'], path: '/applications', search });
const asked = () => new URLSearchParams(globalThis.location.search);

describe('the filters of a list', () => {
  afterEach(() => globalThis.history.replaceState(null, '', '/'));

  it('[issue 14.3] take one more namespace to those of the address', async () => {
    const user = userEvent.setup();
    await show('ns=pay');
    await user.click(screen.getByRole('button', { name: 'Namespace: pay' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'shop' }));
    expect(asked().get('ns')).toBe('pay,shop');
  });

  it('[issue 14.3] offer the owners that there are, with their counts', async () => {
    const user = userEvent.setup();
    await show();
    await user.click(screen.getByRole('button', { name: 'Owner: Any owner' }));
    expect((await screen.findAllByRole('menuitemcheckbox')).map((item) => item.textContent)).toEqual([
      'Kustomization flux-system/apps (1)',
      'No owner (4)',
    ]);
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'No owner (4)' }));
    expect(asked().get('owner')).toBe('none');
  });

  it('[issue 14.3] add a label to the selector, and show each part of it as a chip', async () => {
    const user = userEvent.setup();
    await show('labels=tier%3Dweb%2C%21old&owner=none&health=Failed&ns=pay');
    const chips = within(screen.getByRole('list', { name: 'Filters' }))
      .getAllByRole('listitem')
      .map((chip) => chip.textContent);
    expect(chips).toEqual(['Namespace pay', 'Health Failed', 'Owner No owner', 'Labels tier=web', 'Labels !old', 'Clear filters']);
    await user.type(screen.getByRole('combobox', { name: 'Label selector' }), 'team in (a,b){Enter}');
    expect(asked().get('labels')).toBe('tier=web,!old,team in (a,b)');
  });

  it('[issue 14.3] are taken out by keyboard, and the focus goes to the next', async () => {
    const user = userEvent.setup();
    await show('ns=pay%2Cshop&labels=tier%3Dweb');
    screen.getByRole('button', { name: 'Remove filter Namespace: pay' }).focus();
    await user.keyboard('{Enter}');
    expect(asked().get('ns')).toBe('shop');
    expect(screen.getByRole('button', { name: 'Remove filter Namespace: shop' })).toHaveFocus();
  });

  it('[issue 14.3] say what is wrong with a selector, and send none', async () => {
    const user = userEvent.setup();
    await show();
    await user.type(screen.getByRole('combobox', { name: 'Label selector' }), 'tier in a{Enter}');
    expect(screen.getByRole('alert')).toHaveTextContent('The values of tier must be in parentheses, such as (a,b), found "a".');
    expect(screen.getByRole('combobox', { name: 'Label selector' })).toHaveAccessibleDescription(/parentheses/);
    expect(asked().get('labels')).toBeNull();
  });

  it('[issue 14.3] say what is wrong with the selector of an address, with the way to take it out', async () => {
    const user = userEvent.setup();
    await show('labels=a+b', 'applications');
    expect(screen.getByText('The operator after a must be =, !=, in, notin, > or <, found "b".')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(asked().get('labels')).toBeNull();
  });

  it('[issue 14.3] that match nothing are cleared at once', async () => {
    const user = userEvent.setup();
    await show('labels=tier%3Dnone');
    expect(screen.getByText('No application matches')).toBeVisible();
    await user.click(screen.getAllByRole('button', { name: 'Clear filters' })[1] as HTMLElement);
    expect(asked().toString()).toBe('');
  });

  it('[issue 14.3] go one by one from a status, and all at once, owner included', async () => {
    const user = userEvent.setup();
    const open = (search: string) => {
      globalThis.history.replaceState(null, '', `/applications?${search}`);
      return show(search);
    };
    const { close } = await open('health=Failed%2CInProgress&owner=none');
    await user.click(screen.getByRole('button', { name: /^Remove filter Health: Failed$/ }));
    expect(asked().get('health')).toBe('InProgress');
    close();
    await open('health=Failed&owner=none&q=web&sort=name');
    await user.click(screen.getAllByRole('button', { name: 'Clear filters' })[0] as HTMLElement);
    expect(asked().toString()).toBe('sort=name');
  });

  it('[issue 14] fold behind one button where there is little room, which says how many are set and whether they are shown', async () => {
    const user = userEvent.setup();
    const { close } = await show();
    expect(screen.getByRole('button', { name: 'Filters' })).toHaveAttribute('aria-expanded', 'false');
    close();
    await show('labels=tier%3Dweb%2C%21old&owner=none&health=Failed&ns=pay&q=web&sort=name');
    const fold = screen.getByRole('button', { name: 'Filters (5)' });
    const folded = document.getElementById(fold.getAttribute('aria-controls') ?? '');
    expect(within(folded as HTMLElement).getByRole('combobox', { name: 'Label selector' })).toBeInTheDocument();
    expect(within(folded as HTMLElement).queryByRole('searchbox')).toBeNull();
    fold.focus();
    await user.keyboard('{Enter}');
    expect(fold).toHaveAttribute('aria-expanded', 'true');
    expect(fold).toHaveFocus();
    await user.keyboard(' ');
    expect(fold).toHaveAttribute('aria-expanded', 'false');
  });

  it('[issue 14.3] labels and owner are columns for whoever asks for them', async () => {
    localStorage.clear();
    const user = userEvent.setup();
    await show();
    expect(screen.queryByRole('columnheader', { name: 'Owner' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Columns and density' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Owner' }));
    await user.keyboard('{Escape}');
    expect(screen.getByRole('columnheader', { name: 'Owner' })).toBeVisible();
    localStorage.clear();
  });
});
