import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { TextField } from '@/components/ui/form/field';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { showScreen } from '@/test/support/screen';

async function open(over: { readonly blocked?: string; readonly pending?: string } = {}) {
  const [onSubmit, onClose] = [vi.fn(), vi.fn()];
  const acts = { says: 'Suspend', look: 'primary', refusals: ['It was changed meanwhile.'], blocked: null, pending: null } as const;
  await showScreen(
    <FormDialog title="Suspend web" description="In shop" {...acts} {...over} onSubmit={onSubmit} onClose={onClose}>
      <TextField label="Reason" />
    </FormDialog>,
  );
  return { onSubmit, onClose, dialog: within(screen.getByRole('dialog', { name: 'Suspend web' })) };
}

describe('a dialog that asks before it acts', () => {
  it('[design 5] acts by Enter in a field as by its button', async () => {
    const { onSubmit, dialog } = await open();
    await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'maintenance{Enter}');
    expect(onSubmit).toHaveBeenCalledTimes(1);
    await userEvent.click(dialog.getByRole('button', { name: 'Suspend' }));
    expect(onSubmit).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['it is blocked', { blocked: 'You may not suspend it.' }],
    ['it is on its way', { pending: 'Sending' }],
  ])('[design 5] does not act by Enter while %s', async (_when, over) => {
    const { onSubmit, dialog } = await open(over);
    const field = dialog.getByRole('textbox', { name: 'Reason' });
    await userEvent.type(field, 'maintenance{Enter}');
    fireEvent.submit(field.closest('form') as HTMLFormElement);
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it('[issue 14.3] is read from its title on: no button has the focus, and Enter presses nothing', async () => {
    const { onSubmit, onClose, dialog } = await open();
    expect(dialog.getByRole('heading', { name: 'Suspend web' })).toHaveFocus();
    await userEvent.keyboard('{Enter}');
    expect([onSubmit, onClose].flatMap(({ mock }) => mock.calls)).toEqual([]);
    await userEvent.tab();
    expect(dialog.getByRole('button', { name: 'Close' })).toHaveFocus();
  });

  it('[design 5] says a refusal at its foot, and closes by Cancel and by Escape', async () => {
    const { onClose, dialog } = await open();
    expect(dialog.getByText('It was changed meanwhile.')).toBeInTheDocument();
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(onClose).toHaveBeenCalledTimes(1);
    await userEvent.keyboard('{Escape}');
    expect(onClose).toHaveBeenCalledTimes(2);
  });
});
