import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { StartRollout } from '@/components/inbox/start/start-rollout';
import { saving } from '@/test/support/fixture/changes';
import { answerFetch, showScreen } from '@/test/support/screen';

vi.mock('@/components/inbox/start/start-answer', () => {
  throw new Error('the server does not answer');
});

it('[issue 14.3] starts no rollout whose preview cannot be shown, neither by its button nor by Enter', async () => {
  using log = answerFetch({ 'POST /api/v1/namespaces/shop/applications/storefront/change': () => Response.json(saving('full')) });
  await showScreen(<StartRollout />, { topics: ['applications?size=20', 'application/shop/storefront'], scene: 'quiet' });
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'See what it does' }));
  const start = await screen.findByRole('button', { name: 'Start the rollout' });
  expect(start).toHaveAccessibleDescription('Wait until the preview is shown.');
  await user.click(start);
  await user.type(screen.getByRole('textbox'), '{Enter}');
  expect(log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body)).toMatchObject([{ dryRun: true }]);
});
