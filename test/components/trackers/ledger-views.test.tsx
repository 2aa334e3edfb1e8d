import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerScreen } from '@/components/trackers/matrix/ledger-screen';
import { PreferencesOf } from '@/components/ui/preferences/use-preferences';
import { showScreen } from '@/test/support/screen';

Element.prototype.scrollIntoView ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;

const PATH = '/applications/shop/storefront/ledger';
const show = (search: string) =>
  showScreen(
    <PreferencesOf value="mara">
      <LedgerScreen ns="shop" name="storefront" />
    </PreferencesOf>,
    { topics: ['ledger/shop/storefront', 'ledger-page/shop/storefront'], path: PATH, search },
  );

describe('the ledger of an application', () => {
  beforeEach(() => localStorage.clear());

  it('[issue 14.3] keeps what it is narrowed to as a view, and opens it by writing the address', async () => {
    const user = userEvent.setup();
    const narrowed = await show('state=owned&q=web');
    await user.click(screen.getByRole('button', { name: 'Views' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Save this view…' }));
    await user.type(await screen.findByRole('textbox', { name: 'Name of the view' }), 'Owned by web{Enter}');
    await screen.findByRole('button', { name: 'Owned by web' });
    narrowed.close();
    globalThis.history.replaceState(null, '', PATH);
    await show('');
    await user.click(screen.getByRole('button', { name: 'Views' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Owned by web' }));
    await waitFor(() => expect(globalThis.location.search).toBe('?q=web&state=owned'));
  });
});
