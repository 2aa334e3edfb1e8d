import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { EditReleaseScreen } from '@/components/releases/edit/edit-release-screen';
import { RELEASE_RIGHTS } from '@/lib/contract/release-rows';
import { answerFetch, showScreen } from '@/test/support/screen';

const RELEASE = '/api/v1/namespaces/pay/releases/ledger';

/** Whether the browser would ask before it leaves the page now. */
function isHeld(): boolean {
  const event = new Event('beforeunload', { cancelable: true });
  globalThis.dispatchEvent(event);
  return event.defaultPrevented;
}

it('[issue 14.3] asks before changed values are left, also while their preview is being computed', async () => {
  const never = new Promise<Response>(() => {});
  using log = answerFetch({
    [`GET ${RELEASE}/values`]: () =>
      Response.json({
        uid: 'u1',
        generation: 1,
        values: 'replicas: 2\n',
        chart: { field: 'version', value: '1.4.0' },
        schema: null,
        schemaLacks: null,
      }),
    [`GET ${RELEASE}/rights`]: () => Response.json(Object.fromEntries(RELEASE_RIGHTS.map((verb) => [verb, null]))),
    [`POST ${RELEASE}/edit`]: () => never,
  });
  await showScreen(<EditReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />);
  const user = userEvent.setup();
  const version = await screen.findByRole('textbox', { name: 'Chart version' });
  expect(isHeld()).toBe(false);
  await user.type(version, '1');
  expect(isHeld()).toBe(true);
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  expect(await screen.findByText('Computing the preview…')).toBeInTheDocument();
  expect(log.sent.at(-1)).toMatchObject({ url: `${RELEASE}/edit`, body: { chart: '1.4.01', dryRun: true } });
  expect(isHeld()).toBe(true);
});
