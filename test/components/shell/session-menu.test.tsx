import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { SessionMenu } from '@/components/shell/session-menu';
import type { SessionView } from '@/lib/contract/requests';
import { showScreen } from '@/test/support/screen';

const SESSION: SessionView = {
  user: 'oidc:ada',
  groups: ['oidc:operators'],
  mode: 'oidc',
  mayInvite: false,
  expiresAt: '2099-01-01T00:00:00Z',
};

async function open(session: SessionView): Promise<void> {
  await showScreen(<SessionMenu session={session} theme="system" />);
  await userEvent.setup().click(screen.getByRole('button', { name: 'Signed in as oidc:ada' }));
  expect(await screen.findByText('oidc:operators')).toBeInTheDocument();
}

describe('the menu of a session', () => {
  it('[issue 10.1] tells groups of the provider that are left out, and why', async () => {
    await open({ ...SESSION, leftOut: ['oidc:everybody'] });
    const leftOut = screen.getByRole('list', { name: 'Groups left out' });
    expect(leftOut).toHaveTextContent(/^oidc:everybody$/);
    expect(screen.getByText('Ignored, because the server may not impersonate these groups:')).toBeInTheDocument();
    expect(within(leftOut).queryByText('oidc:operators')).toBeNull();
  });

  it('[issue 10.1] says nothing of that where none is', async () => {
    await open({ ...SESSION, leftOut: [] });
    expect(screen.queryByRole('list', { name: 'Groups left out' })).toBeNull();
  });
});
