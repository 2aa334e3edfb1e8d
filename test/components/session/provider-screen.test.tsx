import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ProviderScreen } from '@/components/session/provider-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const refuse = () => Response.json({ error: { code: 'unauthenticated', message: 'it is over' } }, { status: 401 });
const RETURNED = { code: 'c', state: 's' };

describe('the way in by a provider', () => {
  it('[design 8] begins when it is asked to, and says why it cannot', async () => {
    using log = answerFetch({ 'POST /api/v1/session/provider': refuse });
    await showScreen(<ProviderScreen returned={null} wasRefused={false} signedInAs={null} />);
    expect(log.sent).toEqual([]);
    await userEvent.setup().click(screen.getByRole('button', { name: 'Sign in with your provider' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('It is over.');
    expect(log.sent).toHaveLength(1);
  });

  it('[design 8] ends with what the provider sent back, once, and offers to begin again where that is refused', async () => {
    using log = answerFetch({ 'POST /api/v1/session/provider/return': refuse });
    await showScreen(<ProviderScreen returned={RETURNED} wasRefused={false} signedInAs={null} />);
    await waitFor(() => expect(log.sent.map(({ body }) => body)).toEqual([RETURNED]));
    expect(await screen.findByRole('alert')).toHaveTextContent('It is over.');
    expect(screen.getByRole('button', { name: 'Sign in with your provider' })).toBeEnabled();
  });

  it('[design 8] tells that the provider let nobody in, and who is signed in already', async () => {
    await showScreen(<ProviderScreen returned={null} wasRefused={true} signedInAs="ann" />);
    expect(screen.getByRole('alert')).toHaveTextContent(/^The provider refused the sign-in\./);
    expect(screen.getByRole('link', { name: 'Stay signed in as ann' }).getAttribute('href')).toBe('/');
  });
});
