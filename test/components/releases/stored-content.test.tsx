import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
const none = { storedAt: null, chart: null, chartVersion: null, appVersion: null, description: null, cause: null };
const object = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'a', text: 'kind: ConfigMap\n', why: null };
const told = {
  revision: 4,
  values: 'replicas: 2\n',
  hidesValues: true,
  objects: [object, { ...object, kind: 'Secret', name: 'b', text: null, why: 'hidden' }],
  notes: 'Enjoy revision 4.',
};

describe('what a stored revision holds', () => {
  it('[issue 12.4] is shown of the newest revision, and of another that is chosen, each object as it is opened', async () => {
    using log = answerFetch({
      [`GET ${RELEASE}/history`]: () =>
        Response.json({
          revisions: [
            { revision: 4, status: 'deployed', ...none },
            { revision: 3, status: 'superseded', ...none },
          ],
        }),
      [`GET ${RELEASE}/content`]: () =>
        Response.json(
          log.sent.at(-1)?.url.endsWith('revision=3') ? { ...told, revision: 3, values: '', hidesValues: false, notes: '' } : told,
        ),
    });
    await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
      topics: ['release/pay/helmrelease/ledger'],
    });
    const user = userEvent.setup();
    await user.click(await screen.findByRole('tab', { name: 'Values and manifest' }));
    const values = await screen.findByRole('region', { name: 'Values' });
    expect(values).toHaveTextContent('replicas: 2');
    const newest = screen.getByRole('region', { name: 'Content of revision 4' });
    expect(newest).toHaveTextContent('Enjoy revision 4.');
    expect(newest).toHaveTextContent('Values that are not in the resource are masked, here and in the manifest.');
    const list = within(newest).getByRole('list', { name: 'Manifest' });
    expect(within(list).getAllByRole('listitem')[1]).toHaveTextContent('Secret b in payYou may not see this object.');
    await user.click(within(list).getByRole('button', { name: 'Manifest of ConfigMap a' }));
    expect(within(list).getByRole('region', { name: 'Manifest of ConfigMap a' })).toHaveTextContent('kind: ConfigMap');
    await user.selectOptions(within(newest).getByRole('combobox', { name: 'Revision to show' }), 'Revision 3, superseded');
    const former = await screen.findByRole('region', { name: 'Content of revision 3' });
    expect(await within(former).findByText('The revision sets no values: the defaults of the chart apply.')).toBeVisible();
    expect(former).toHaveTextContent('The chart has no notes.');
  });
});
