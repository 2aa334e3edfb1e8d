import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { ProviderScreen } from '@/components/session/provider-screen';
import type * as Enter from '@/components/session/sign-in-redirect';
import { redirectToSignIn } from '@/components/session/sign-in-redirect';
import { answerFetch, showScreen } from '@/test/support/screen';

// jsdom goes nowhere.
vi.mock('@/components/session/sign-in-redirect', async (original) => ({ ...(await original<typeof Enter>()), redirectToSignIn: vi.fn() }));

const refuse = () => Response.json({ error: { code: 'unauthenticated', message: 'it is over' } }, { status: 401 });
const RETURNED = { code: 'c', state: 's' };

describe('the way in by a provider', () => {
  it('[design 8] begins when it is asked to, and says why it cannot', async () => {
    using log = answerFetch({ 'POST /api/v1/session/provider': refuse });
    await showScreen(<ProviderScreen address={location.origin} returned={null} wasRefused={false} signedInAs={null} returnTo="/" />);
    expect(log.sent).toEqual([]);
    await userEvent.setup().click(screen.getByRole('button', { name: 'Sign in with your provider' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('It is over.');
    expect(log.sent).toHaveLength(1);
  });

  it('[design 8] ends with what the provider sent back, once, and offers to begin again where that is refused', async () => {
    using log = answerFetch({ 'POST /api/v1/session/provider/return': refuse });
    await showScreen(<ProviderScreen address={location.origin} returned={RETURNED} wasRefused={false} signedInAs={null} returnTo="/" />);
    await waitFor(() => expect(log.sent.map(({ body }) => body)).toEqual([RETURNED]));
    expect(await screen.findByRole('alert')).toHaveTextContent('It is over.');
    expect(screen.getByRole('button', { name: 'Sign in with your provider' })).toBeEnabled();
  });

  it('[issue 14.3] keeps the page that was asked for while its person is at the provider, and no other one', async () => {
    using _log = answerFetch({ 'POST /api/v1/session/provider': refuse, 'POST /api/v1/session/provider/return': refuse });
    const { close } = await showScreen(
      <ProviderScreen address={location.origin} returned={null} wasRefused={false} signedInAs={null} returnTo="/rollouts?ns=shop" />,
    );
    await userEvent.setup().click(screen.getByRole('button', { name: 'Sign in with your provider' }));
    await screen.findByRole('alert');
    close();
    const again = await showScreen(
      <ProviderScreen address={location.origin} returned={RETURNED} wasRefused={false} signedInAs={null} returnTo="/" />,
    );
    await waitFor(() => expect(`${location.pathname}${location.search}`).toBe('/sign-in?next=%2Frollouts%3Fns%3Dshop'));
    again.close();
    sessionStorage.setItem('slipway-return', '//evil.example');
    await showScreen(<ProviderScreen address={location.origin} returned={RETURNED} wasRefused={false} signedInAs={null} returnTo="/" />);
    await waitFor(() => expect(`${location.pathname}${location.search}`).toBe('/sign-in'));
  });

  it('[issue 14.3] goes first to the address that the provider sends people back to, with the page that was asked for', async () => {
    const at = (address: string) => (
      <ProviderScreen address={address} returned={null} wasRefused={false} signedInAs={null} returnTo="/rollouts?ns=shop" />
    );
    const { close } = await showScreen(at(location.origin));
    close();
    expect(redirectToSignIn).not.toHaveBeenCalled();
    await showScreen(at('https://slipway.example.com'));
    expect(vi.mocked(redirectToSignIn).mock.calls).toEqual([['https://slipway.example.com', '/rollouts?ns=shop']]);
  });

  it('[design 8] tells that the provider let nobody in, and who is signed in already', async () => {
    await showScreen(<ProviderScreen address={location.origin} returned={null} wasRefused={true} signedInAs="ann" returnTo="/" />);
    expect(screen.getByRole('alert')).toHaveTextContent(/^The provider refused the sign-in\./);
    expect(screen.getByRole('link', { name: 'Stay signed in as ann' }).getAttribute('href')).toBe('/');
  });
});
