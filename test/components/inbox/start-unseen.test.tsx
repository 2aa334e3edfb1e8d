import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { saving } from '@/test/support/fixture/changes';

const LATE = '@/components/inbox/start/start-answer';

// What loads it keeps it, and an earlier file of the same process may have loaded it.
beforeAll(() => {
  vi.doMock(LATE, () => {
    throw new Error('the server does not answer');
  });
  vi.resetModules();
});
afterAll(() => {
  vi.doUnmock(LATE);
  vi.resetModules();
});

it('[issue 14.3] starts no rollout whose preview cannot be shown, neither by its button nor by Enter', async () => {
  const { StartRollout } = await import('@/components/inbox/start/start-rollout');
  const { answerFetch, showScreen } = await import('@/test/support/screen');
  using log = answerFetch({ 'POST /api/v1/namespaces/shop/applications/storefront/change': () => Response.json(saving('full')) });
  await showScreen(<StartRollout />, {
    topics: ['applications?q=storefront&size=20', 'applications?health=Current&size=20', 'application/shop/storefront'],
    scene: 'quiet',
  });
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  const start = await screen.findByRole('button', { name: 'Start the rollout' });
  expect(start).toHaveAccessibleDescription('Wait until the preview is shown.');
  await user.click(start);
  await user.type(screen.getByRole('textbox'), '{Enter}');
  expect(log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body)).toMatchObject([{ dryRun: true }]);
});
