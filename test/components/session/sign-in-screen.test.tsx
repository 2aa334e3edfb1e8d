import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { SignInScreen } from '@/components/session/sign-in-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const refuse = () => Response.json({ error: { code: 'unauthenticated', message: 'no such token' } }, { status: 401 });

describe('an address that carries a token', () => {
  it('[design 8] signs in by itself where nobody is signed in', async () => {
    using log = answerFetch({ 'POST /api/v1/session': refuse });
    await showScreen(<SignInScreen mode="local" token="from-address" signedInAs={null} returnTo="/" />);
    await waitFor(() => expect(log.sent.map(({ body }) => body)).toEqual([{ token: 'from-address' }]));
    await screen.findByText(/^No such token\./);
  });

  it('[design 8] asks before it puts another session in the place of the one there is', async () => {
    using log = answerFetch({ 'POST /api/v1/session': refuse });
    await showScreen(<SignInScreen mode="local" token="from-address" signedInAs="ann" returnTo="/rollouts?ns=shop" />);
    expect(screen.getByRole('link', { name: 'Stay signed in as ann' }).getAttribute('href')).toBe('/rollouts?ns=shop');
    expect(`${location.pathname}${location.search}`).toBe('/sign-in?next=%2Frollouts%3Fns%3Dshop');
    expect(log.sent).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await screen.findByText(/^No such token\./);
    expect(log.sent.map(({ body }) => body)).toEqual([{ token: 'from-address' }]);
  });
});

describe('a token that is typed', () => {
  it.each([
    ['local', /^Open the address that the server printed/, /^No such token\. A printed token works once/],
    ['token', /^Paste a bearer token for the cluster/, /^No such token\. It may have expired: kubectl create token/],
  ] as const)('[design 8] of mode %s: says where it comes from, and after a refusal where another one does', async (mode, first, again) => {
    using _log = answerFetch({ 'POST /api/v1/session': refuse });
    await showScreen(<SignInScreen mode={mode} token={null} signedInAs={null} returnTo="/" />);
    expect(screen.getByText(first)).toBeInTheDocument();
    const user = userEvent.setup();
    await user.type(screen.getByLabelText('Token'), 'wrong');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(again);
    expect(screen.getByLabelText('Token')).toHaveFocus();
  });

  it('[design 8] is awaited: nothing is sent without one', async () => {
    using log = answerFetch({ 'POST /api/v1/session': refuse });
    await showScreen(<SignInScreen mode="token" token={null} signedInAs={null} returnTo="/" />);
    await userEvent.setup().click(screen.getByRole('button', { name: 'Sign in' }));
    expect(screen.getByLabelText('Token')).toBeInvalid();
    expect(log.sent).toEqual([]);
  });
});
