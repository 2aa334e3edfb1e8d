import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { KindsScreen } from '@/components/objects/kinds-screen';
import { POD_KIND } from '@/test/support/fixture/objects';
import { answerFetch, showScreen } from '@/test/support/screen';

const SECRET_KIND = { ...POD_KIND, kind: 'Secret', plural: 'secrets', shortNames: [] };

it.each([
  ['', 'You may not list 1 more kind in all namespaces. Choose a namespace to see what you may list in it.'],
  ['?ns=shop', 'You may not list 1 more kind in shop.'],
])(
  '[issue 14.3] beside the kinds names those that may not be listed, and leads to the page that says how to be granted one: %s',
  async (search, said) => {
    const page = { kinds: [POD_KIND], refused: [SECRET_KIND], incomplete: false };
    using _log = answerFetch({ 'GET /api/v1/kinds': () => Response.json(page) });
    await showScreen(<KindsScreen />, { path: '/objects', search: search.slice(1) });
    await userEvent.click(await screen.findByText(said));
    const named = screen.getByRole('group');
    expect(within(named).getByRole('link', { name: 'Secret' })).toHaveAttribute('href', `/objects/core/secrets${search}`);
    expect(within(named).queryByRole('link', { name: 'Pod' })).toBeNull();
  },
);

it('[issue 14.3] where nothing may be listed says so, and with which command that is granted', async () => {
  const message = 'ann may not list any kind in namespace shop';
  const grant = ['kubectl create rolebinding slipway-view-ann --clusterrole=view --user=ann --namespace=shop'];
  using _log = answerFetch({
    'GET /api/v1/kinds': () => Response.json({ error: { code: 'forbidden', message, details: { grant } } }, { status: 403 }),
  });
  await showScreen(<KindsScreen />, { path: '/objects', search: 'ns=shop' });
  const said = await screen.findByRole('alert');
  expect(said).toHaveTextContent(message);
  expect(said).toHaveTextContent(grant[0] ?? '');
});
