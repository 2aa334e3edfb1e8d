import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { liveKey } from '@/components/live/live-query';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WindowSnapshot } from '@/lib/contract/live';
import { waiting } from '@/test/support/fixture/changes';
import { applicationRightsIn } from '@/test/support/fixture/rights';
import { answerFetch, showScreen } from '@/test/support/screen';

const TOPIC = 'application/shop/storefront';
const HELD = { type: 'Collected', status: 'False', reason: 'Held', message: 'One object holds data.', state: 'none', at: null };

it('[design 8] a decision about what is held says what happens before it is sent', async () => {
  using log = answerFetch({
    'GET /api/v1/namespaces/shop/applications/storefront/preview': () => Response.json(waiting('full', new URLSearchParams())),
  });
  const { queries, rows } = await showScreen(<ApplicationScreen ns="shop" name="storefront" />, { topics: [TOPIC] });
  const window = (await rows.snapshot(TOPIC)) as WindowSnapshot<ApplicationDetail>; // the rows of the fixture, as they are sent
  queries.setQueryData(liveKey(TOPIC), { ...window, rows: window.rows.map((row) => ({ ...row, conditions: [...row.conditions, HELD] })) });
  await userEvent.click(await screen.findByRole('button', { name: 'Delete exactly these' }));
  const happens = within(screen.getByRole('dialog')).getByRole('region', { name: 'What happens' });
  expect(
    within(happens)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual([
    '3 objects are deleted from the cluster: 1\u00a0ConfigMap, 1\u00a0Deployment, 1\u00a0PersistentVolumeClaim.',
    'This cannot be undone: neither the objects nor their data can be restored.',
    'The engine computes the plan again first. If anything differs from what is shown, nothing is deleted.',
  ]);
  expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
});

it('[issue 9, 6] a decision about what is held names the plan that was shown, and none at all once the plan has changed', async () => {
  let plan = waiting('full', new URLSearchParams());
  using log = answerFetch({
    'GET /api/v1/namespaces/shop/applications/storefront/preview': () => Response.json(plan),
    'GET /api/v1/namespaces/shop/applications/storefront/rights': () =>
      Response.json(applicationRightsIn('full', { ns: 'shop', name: 'storefront' })),
    'POST /api/v1/namespaces/shop/applications/storefront/decisions': () => Response.json({ accepted: null }, { status: 202 }),
  });
  const { queries, rows } = await showScreen(<ApplicationScreen ns="shop" name="storefront" />, { topics: [TOPIC] });
  const window = (await rows.snapshot(TOPIC)) as WindowSnapshot<ApplicationDetail>; // the rows of the fixture, as they are sent
  queries.setQueryData(liveKey(TOPIC), { ...window, rows: window.rows.map((row) => ({ ...row, conditions: [...row.conditions, HELD] })) });
  await userEvent.click(await screen.findByRole('button', { name: 'Delete exactly these' }));
  const dialog = screen.getByRole('dialog');
  const shown = plan.digest;
  plan = { ...plan, digest: 'sha256:new' };
  await act(() => queries.refetchQueries({ stale: true })); // as a browser does when somebody comes back to it
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('The plan has changed since this was opened.');
  const send = () => userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await send();
  expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
  plan = { ...plan, digest: shown };
  await act(() => queries.refetchQueries({ stale: true }));
  await waitFor(() => expect(within(dialog).queryByRole('alert')).toBeNull());
  await send();
  expect(log.sent.find(({ method }) => method === 'POST')?.body).toMatchObject({ seen: { garbage: shown } });
});

it('[issue 14.3] a decision about what is held says why its plan could not be computed again, and is not sent', async () => {
  let answer = () => Response.json(waiting('full', new URLSearchParams()));
  using log = answerFetch({ 'GET /api/v1/namespaces/shop/applications/storefront/preview': () => answer() });
  const { queries, rows } = await showScreen(<ApplicationScreen ns="shop" name="storefront" />, { topics: [TOPIC] });
  const window = (await rows.snapshot(TOPIC)) as WindowSnapshot<ApplicationDetail>; // the rows of the fixture, as they are sent
  const held = window.rows.map((row) => ({ ...row, conditions: [...row.conditions, HELD] }));
  queries.setQueryData(liveKey(TOPIC), { ...window, rows: held });
  await userEvent.click(await screen.findByRole('button', { name: 'Delete exactly these' }));
  const dialog = screen.getByRole('dialog');
  answer = () => Response.json({ error: { code: 'unavailable', message: 'the cluster did not answer' } }, { status: 503 });
  act(() => void queries.setQueryData(liveKey(TOPIC), { ...window, rows: held.map((row) => ({ ...row, message: 'It moved.' })) }));
  expect(await within(dialog).findByRole('alert')).toHaveTextContent(
    'The plan could not be computed again: The cluster did not answer. Close this and compute it again.',
  );
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
  expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
});
