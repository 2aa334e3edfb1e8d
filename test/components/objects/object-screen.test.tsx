import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ObjectScreen } from '@/components/objects/object-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

it('[issue 14.3] an object that may not be read says which right that takes, beside each act too', async () => {
  const message = 'ann may not do this: it requires the right "get" on deployments.apps web in namespace shop';
  using _log = answerFetch({}, () => Response.json({ error: { code: 'forbidden', message } }, { status: 403 }));
  await showScreen(<ObjectScreen at={{ group: 'apps', named: 'deployments', ns: 'shop', name: 'web', version: undefined }} />);
  expect(await screen.findByRole('alert')).toHaveTextContent(message);
  for (const name of ['Edit', 'Restart', 'Scale', 'Delete'])
    expect(screen.getByRole('button', { name })).toHaveAccessibleDescription(`${message}.`);
});
