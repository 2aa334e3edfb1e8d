import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { StartRollout } from '@/components/inbox/start/start-rollout';
import { saving } from '@/test/support/fixture/changes';
import { makeScene } from '@/test/support/fixture/scene';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const LISTS = ['applications?q=storefront&size=20', 'applications?health=Current&size=20'];
const TOPICS = [...LISTS, 'application/shop/storefront'];
const PATH = '/api/v1/namespaces/shop/applications/storefront/change';
const accepted = () => Response.json({ accepted: { kind: 'Application', ns: 'shop', name: 'storefront', uid: null } }, { status: 202 });

it('[issue 9.4] says what a first rollout does before it can be started, and starts exactly that', async () => {
  using log = answerFetch({
    [`POST ${PATH}`]: (body) => ((body as { dryRun?: true }).dryRun ? Response.json(saving('full')) : accepted()),
  });
  const { visited } = await showScreen(<StartRollout />, { topics: TOPICS, scene: 'quiet' });
  const user = userEvent.setup();
  expect(screen.queryByRole('button', { name: 'Start the rollout' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Preview' }));
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

it('[issue 14] looks at all applications by what they are, and passes over one that has nothing to roll out from', async () => {
  const asked: string[] = [];
  using log = answerFetch({
    'GET /api/v1/live': async () => {
      const [, ns = '', name = ''] = new URL(log.sent.at(-1)?.url ?? '', 'http://console').searchParams.get('topic')?.split('/') ?? [];
      asked.push(name);
      const held = await makeScene('quiet', SCREEN_NOW).snapshot('application/shop/storefront');
      const key = `${ns}/${name}`;
      const rows = held.rows.map((row) => ({ ...row, key, ns, name, ...(asked.length === 1 ? { revisions: [] } : {}) }));
      return Response.json({ ...held, order: [key], rows });
    },
  });
  // None of two thousand is what the story is about.
  await showScreen(<StartRollout />, { topics: LISTS, scene: 'many' });
  await screen.findByRole('textbox');
  expect(asked).toEqual(['service-0003', 'service-0008']);
  expect(screen.getByRole('textbox', { name: /in service-0008$/ })).toBeVisible();
});
