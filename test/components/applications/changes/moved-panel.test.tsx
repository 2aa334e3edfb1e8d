import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { liveKey } from '@/components/live/live-query';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WindowSnapshot } from '@/lib/contract/live';
import { moved, saving } from '@/test/support/fixture/changes';
import { answerFetch, showScreen } from '@/test/support/screen';

const TOPIC = 'application/shop/storefront';
const PATH = '/api/v1/namespaces/shop/applications/storefront';
const MOVED = {
  type: 'Applied',
  status: 'False',
  reason: 'PlanMoved',
  message: 'the cluster changed after this was previewed',
  state: 'under-way',
  at: null,
};
const accepted = () => Response.json({ accepted: { kind: 'Application', ns: 'shop', name: 'storefront', uid: null } }, { status: 202 });

async function showApplication(conditions: readonly object[] = []): Promise<ApplicationDetail> {
  const { queries, rows } = await showScreen(<ApplicationScreen ns="shop" name="storefront" />, { topics: [TOPIC] });
  const window = (await rows.snapshot(TOPIC)) as WindowSnapshot<ApplicationDetail>; // the rows of the fixture, as they are sent
  const changed = window.rows.map((row) => ({
    ...row,
    ...(conditions.length === 0 ? {} : { message: MOVED.message }),
    conditions: [...row.conditions.filter(({ type }) => type !== 'Applied' || conditions.length === 0), ...conditions],
  }));
  queries.setQueryData(liveKey(TOPIC), { ...window, rows: changed });
  const [first] = window.rows;
  if (first === undefined) throw new Error('the fixture has no application');
  return first;
}

it('[issue 9.4] shows both plans beside each other, says once why, and accepts the one that stands there now', async () => {
  using log = answerFetch({ [`GET ${PATH}/outdated-plan`]: () => Response.json(moved('full')), [`POST ${PATH}/accept-plan`]: accepted });
  const { uid, generation } = await showApplication([MOVED, { ...MOVED, type: 'Held' }]);
  const differing = await screen.findByRole('list', { name: 'What differs between both plans' });
  expect(within(differing).getByText('web-banner').closest('li')).toHaveTextContent(/Kept.*Deleted/);
  expect(screen.getAllByText(/the cluster changed after this was previewed/i)).toHaveLength(1);
  expect(screen.getByText(/Previewed by ada@example\.com/)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Apply the current plan' }));
  expect(log.sent.filter(({ method }) => method === 'POST')).toMatchObject([{ body: { uid, generation, plan: saving('full').plan } }]);
});

it('[issue 9.4] says of an object whose verdict is the same what else there is to it', async () => {
  const plans = moved('full');
  const [first] = plans.now.changes;
  if (first === undefined || plans.seen.preview === null) throw new Error('the fixture has no plans');
  const again = {
    ...first,
    id: 'ConfigMap again',
    name: 'again',
    verdict: 'deleted',
    why: 'the newer revision does not have it',
    uid: 'u-1',
  } as const;
  const seen = { ...plans.seen, preview: { ...plans.seen.preview, changes: [again] } };
  const now = { ...plans.now, changes: [{ ...again, uid: 'u-2' }] };
  using _log = answerFetch({ [`GET ${PATH}/outdated-plan`]: () => Response.json({ seen, now }) });
  await showApplication([MOVED]);
  const differing = await screen.findByRole('list', { name: 'What differs between both plans' });
  expect(differing).toHaveTextContent('it was deleted and created again after the preview');
});

it('[issue 9.4] says what a change does, masked objects counted, before it can be sent, and sends the plan along', async () => {
  let asked = 0;
  using log = answerFetch({ [`POST ${PATH}/change`]: () => (asked++ === 0 ? Response.json(saving('full')) : accepted()) });
  await showApplication();
  await userEvent.click((await screen.findAllByRole('button', { name: /^Change/ }))[0] as HTMLElement);
  const dialog = within(screen.getByRole('dialog'));
  const image = dialog.getByRole('textbox', { name: 'Image' });
  await userEvent.clear(image);
  await userEvent.type(image, 'web:9');
  await userEvent.click(dialog.getByRole('button', { name: 'Preview' }));
  expect(await dialog.findByRole('list', { name: 'Objects by verdict' })).toHaveTextContent('2 deleted');
  expect(dialog.getByText('••••••••')).toBeVisible();
  await userEvent.click(dialog.getByRole('button', { name: /Start the rollout|Apply as previewed/ }));
  expect(log.sent.filter(({ method }) => method === 'POST')).toMatchObject([
    { body: { image: 'web:9', dryRun: true } },
    { body: { image: 'web:9', plan: saving('full').plan } },
  ]);
});
