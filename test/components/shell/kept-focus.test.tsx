import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { Shell } from '@/components/shell/shell';
import { FormDialog } from '@/components/ui/overlay/form-dialog';
import { PageHead } from '@/components/ui/page-head';
import type { SessionView } from '@/lib/contract/requests';
import { showScreen } from '@/test/support/screen';

const SESSION: SessionView = { user: 'mara', groups: [], mode: 'local', mayInvite: false, expiresAt: '2099-01-01T00:00:00Z' };

interface StageProps {
  /** What the act takes away: its button, or all but the title of the page. */
  readonly takes: 'button' | 'panel';
}

/** A page whose act goes away once it is done: by the dialog itself, or by whoever is told to `finish`. */
function Stage({ takes }: StageProps) {
  const [asks, setAsks] = useState(false);
  const [isDone, setDone] = useState(false);
  const close = () => setAsks(false);
  const gone = { button: isDone, panel: isDone && takes === 'panel' };
  return (
    <>
      <PageHead title="checkout" />
      <button type="button" onClick={() => setDone(true)}>
        Finish
      </button>
      {gone.panel ? null : (
        <fieldset aria-label="Actions">
          {gone.button ? null : (
            <button type="button" onClick={() => setAsks(true)}>
              Approve
            </button>
          )}
          <button type="button">Retry</button>
        </fieldset>
      )}
      {asks ? (
        <FormDialog
          title="Approve checkout"
          says="Approve"
          look="primary"
          refusals={[]}
          blocked={null}
          pending={null}
          onSubmit={close}
          onClose={close}
        >
          <p>It goes on.</p>
        </FormDialog>
      ) : null}
    </>
  );
}

/** Presses without taking the focus, as a message of the server changes the page. */
const finish = () => screen.getByText('Finish').click();

async function show(takes: StageProps['takes']) {
  await showScreen(
    <Shell session={SESSION} theme="system">
      <Stage takes={takes} />
    </Shell>,
  );
  const user = userEvent.setup();
  screen.getByRole('button', { name: 'Approve' }).focus();
  await user.keyboard('{Enter}');
  await screen.findByRole('dialog', { name: 'Approve checkout' });
  return user;
}

describe('the focus when what has it goes away', () => {
  it('[issue 14.3] lands on the group of a button that goes away after its act', async () => {
    const user = await show('button');
    await user.click(screen.getByRole('dialog').querySelector('footer button:last-child') as HTMLElement);
    await waitFor(() => expect(screen.getByRole('button', { name: 'Approve' })).toHaveFocus());
    finish();
    await waitFor(() => expect(screen.getByRole('group', { name: 'Actions' })).toHaveFocus());
    await user.tab();
    expect(screen.getByRole('button', { name: 'Retry' })).toHaveFocus();
    expect(screen.getByRole('group', { name: 'Actions' })).not.toHaveAttribute('tabindex');
  });

  it('[issue 14.3] lands on the group where the button went while its dialog was open', async () => {
    const user = await show('button');
    finish();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('group', { name: 'Actions' })).toHaveFocus());
  });

  it('[issue 14.3] lands on the title of the page where all around the button goes', async () => {
    const user = await show('panel');
    finish();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('heading', { level: 1, name: 'checkout' })).toHaveFocus());
  });

  it('[issue 14.3] stays away from whoever has pressed beside the button', async () => {
    const user = await show('button');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Approve' })).toHaveFocus());
    await user.click(screen.getByRole('heading', { level: 1 }));
    finish();
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull());
    expect(screen.getByRole('main')).toHaveFocus();
  });
});
