import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { SignInScreen } from '@/components/session/sign-in-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const refuse = () => Response.json({ error: { code: 'unauthenticated', message: 'no such token' } }, { status: 401 });

describe('an address that carries a token', () => {
  it('[design 8] signs in by itself where nobody is signed in', async () => {
    using log = answerFetch({ 'POST /api/v1/session': refuse });
    await showScreen(<SignInScreen token="from-address" signedInAs={null} />);
    await waitFor(() => expect(log.sent.map(({ body }) => body)).toEqual([{ token: 'from-address' }]));
    await screen.findByText(/no such token/);
  });

  it('[design 8] asks before it puts another session in the place of the one there is', async () => {
    using log = answerFetch({ 'POST /api/v1/session': refuse });
    await showScreen(<SignInScreen token="from-address" signedInAs="ann" />);
    expect(screen.getByRole('link', { name: 'Stay signed in as ann' }).getAttribute('href')).toBe('/');
    expect(log.sent).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText(/no such token/);
    expect(log.sent.map(({ body }) => body)).toEqual([{ token: 'from-address' }]);
  });
});
