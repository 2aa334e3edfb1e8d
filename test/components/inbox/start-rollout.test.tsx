import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { StartRollout } from '@/components/inbox/start/start-rollout';
import { saving } from '@/test/support/fixture/changes';
import { answerStart, restingRollout } from '@/test/support/fixture/start';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const STORY = restingRollout('shop', 'storefront', SCREEN_NOW);
const PATH = '/api/v1/namespaces/shop/applications/storefront/change';
const accepted = () => Response.json({ accepted: { kind: 'Application', ns: 'shop', name: 'storefront', uid: null } }, { status: 202 });

it('[issue 9.4] says what a first rollout does before it can be started, and starts exactly that', async () => {
  using log = answerFetch({
    'GET /api/v1/rows': async () => Response.json(await answerStart(log.sent.at(-1)?.url ?? '', { now: SCREEN_NOW, rollouts: [STORY] })),
    [`POST ${PATH}`]: (body) => ((body as { dryRun?: true }).dryRun ? Response.json(saving('full')) : accepted()),
  });
  const { visited } = await showScreen(<StartRollout />, { scene: 'quiet' });
  const user = userEvent.setup();
  const preview = await screen.findByRole('button', { name: 'Preview' });
  expect(screen.queryByRole('button', { name: 'Start the rollout' })).toBeNull();
  await user.click(preview);
  expect(await screen.findByRole('list', { name: 'Objects by verdict' })).toHaveTextContent('2 deleted');
  const image = screen.getByRole('textbox');
  await user.clear(image);
  await user.type(image, 'web:9');
  // What was worked out was for another image.
  expect(screen.queryByRole('list', { name: 'Objects by verdict' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  const start = await screen.findByRole('button', { name: 'Start the rollout' });
  // The second click of a double click, and Enter that is held, come before anybody has read what it does.
  fireEvent.click(start, { detail: 2 });
  expect(fireEvent.keyDown(start, { key: 'Enter', repeat: true })).toBe(false);
  expect(fireEvent.keyDown(image, { key: 'Enter', repeat: true })).toBe(false);
  expect(log.sent.filter(({ body }) => body !== undefined && 'plan' in (body as object))).toEqual([]);
  await userEvent.click(start);
  const posted = log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
  expect(posted.slice(1)).toMatchObject([
    { image: 'web:9', dryRun: true },
    { image: 'web:9', plan: saving('full').plan },
  ]);
  expect(visited).toEqual(['/rollouts/shop/web']);
});

it('[issue 14] looks at whatever rolls out in stages, page after page, and passes over what moves or has nothing to roll out from', async () => {
  const rollouts = Array.from({ length: 50 }, (_, at) => restingRollout('shop', `service-${at}`, SCREEN_NOW));
  const moving = rollouts.map((row, at) => (at > 2 && at < 43 ? { ...row, activity: 'rolling-out' as const } : row));
  const looked: string[] = [];
  const look = (key: string) => {
    looked.push(key);
    return key === 'shop/service-44' ? {} : { revisions: [] };
  };
  using log = answerFetch({
    'GET /api/v1/rows': async () =>
      Response.json(await answerStart(log.sent.at(-1)?.url ?? '', { now: SCREEN_NOW, rollouts: moving, look })),
  });
  await showScreen(<StartRollout />, { scene: 'many' });
  expect(await screen.findByRole('textbox', { name: /in service-44$/ })).toBeVisible();
  expect(looked).toEqual([0, 1, 2, 43, 44].map((at) => `shop/service-${at}`));
});

it('[issue 14.3] asks for nothing while the server does not answer, and says why', async () => {
  using log = answerFetch({
    'GET /api/v1/rows': async () => Response.json(await answerStart(log.sent.at(-1)?.url ?? '', { now: SCREEN_NOW, rollouts: [STORY] })),
  });
  const connection = { kind: 'offline', since: SCREEN_NOW, reason: 'The server does not answer.' } as const;
  await showScreen(<StartRollout />, { scene: 'quiet', connection });
  const preview = await screen.findByRole('button', { name: 'Preview' });
  expect(preview).toHaveAccessibleDescription('Actions are blocked: The server does not answer.');
  await userEvent.click(preview);
  expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
});
