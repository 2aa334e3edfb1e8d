import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { DeleteDialog } from '@/components/applications/acts/delete-dialog';
import type { DeletionPreview } from '@/lib/contract/acts/application-deletion';
import { answerFetch, showScreen } from '@/test/support/screen';

const PREVIEW: DeletionPreview = {
  plan: 'sha256:1',
  objects: 'delete',
  changes: [],
  counts: {},
  kinds: [],
  consequences: [],
  refused: null,
  waits: null,
  approves: false,
};

describe('the dialog that deletes an application', () => {
  it('[issue 14.1] says that nothing can be foretold, and why, and foretells it once that can be read', async () => {
    let isRefused = true;
    using _log = answerFetch({
      'POST /api/v1/namespaces/shop/applications/web/delete': () =>
        isRefused
          ? Response.json({ error: { code: 'forbidden', message: 'requires the right "get" on deployments' } }, { status: 403 })
          : Response.json(PREVIEW),
    });
    await showScreen(<DeleteDialog application={{ ns: 'shop', name: 'web', uid: 'u' }} blocked={null} onClose={() => undefined} />);
    const dialog = within(screen.getByRole('dialog'));
    await dialog.findByText('Access denied');
    expect(dialog.getByText('The preview could not be computed.')).toBeInTheDocument();
    isRefused = false;
    await userEvent.setup().click(dialog.getByRole('button', { name: 'Read again' }));
    await dialog.findByText('Type the name of the application first.');
  });
});
