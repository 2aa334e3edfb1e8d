import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { saving } from '@/test/support/fixture/changes';
import { answerStart, restingRollout } from '@/test/support/fixture/start';

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
  const { answerFetch, SCREEN_NOW, showScreen } = await import('@/test/support/screen');
  const started = { now: SCREEN_NOW, rollouts: [restingRollout('shop', 'storefront', SCREEN_NOW)] };
  using log = answerFetch({
    'GET /api/v1/rows': async () => Response.json(await answerStart(log.sent.at(-1)?.url ?? '', started)),
    'POST /api/v1/namespaces/shop/applications/storefront/change': () => Response.json(saving('full')),
  });
  await showScreen(<StartRollout />, { scene: 'quiet' });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Preview' }));
  const start = await screen.findByRole('button', { name: 'Start the rollout' });
  expect(start).toHaveAccessibleDescription('Wait until the preview is shown.');
  await user.click(start);
  await user.type(screen.getByRole('textbox'), '{Enter}');
  expect(log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body)).toMatchObject([{ dryRun: true }]);
});
