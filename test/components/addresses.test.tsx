import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { KindsScreen } from '@/components/objects/kinds-screen';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import { TrackerScreen } from '@/components/trackers/tracker-screen';
import { formatTopic } from '@/lib/contract/topic';
import { POD_KIND } from '@/test/support/fixture/objects';
import type { ScreenOptions } from '@/test/support/screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const NONE = { storedAt: null, chart: null, chartVersion: null, appVersion: null, description: null, cause: null };
const REVISIONS = [5, 4, 3].map((revision) => ({ revision, status: revision === 5 ? 'deployed' : 'superseded', ...NONE }));
const POD = 'Service/shop/web';
const ANSWERS = {
  'GET /api/v1/kinds': () =>
    Response.json({ kinds: [POD_KIND, { ...POD_KIND, kind: 'ConfigMap', plural: 'configmaps' }], refused: [], incomplete: false }),
  'GET /api/v1/objects': () => Response.json({ manifest: 'kind: Service', conditions: [], events: [], left: [] }),
  'GET /api/v1/namespaces/pay/releases/ledger/history': () => Response.json({ revisions: REVISIONS }),
};

/** Shows a page as a link to it does. */
async function open(page: ReactElement, search: string, options: ScreenOptions) {
  globalThis.history.replaceState(null, '', `/?${search}`);
  const { close } = await showScreen(page, { ...options, search });
  return close;
}
const address = () => globalThis.location.search.slice(1);
const selected = (name: string) => screen.getByRole<HTMLSelectElement>('combobox', { name }).selectedOptions[0]?.text;

describe('what is chosen on a page', () => {
  beforeEach(() => globalThis.history.replaceState(null, '', '/'));

  it('[issue 14.3] the attempt of a rollout is in its address', async () => {
    using _log = answerFetch({});
    await open(<RolloutScreen ns="shop" name="web" />, 'attempt=a&tab=decisions', { topics: ['rollout/shop/web'] });
    expect(screen.getByRole('heading', { name: 'Rollout to web-v4, aborted' })).toBeVisible();
    const attempts = within(screen.getByRole('group', { name: 'Attempts' }));
    await userEvent.click(attempts.getByRole('button', { name: 'Retry of web-v4, in progress' }));
    expect(address()).toBe('tab=decisions');
    await userEvent.click(attempts.getByRole('button', { name: 'Rollout to web-v4, aborted' }));
    expect(address()).toBe('tab=decisions&attempt=a');
  });

  it('[issue 14.3] the open tab of an object close up is in the address of its application', async () => {
    using _log = answerFetch(ANSWERS);
    const spot = formatTopic({ kind: 'tree-location', ns: 'shop', name: 'storefront', id: POD, query: {} });
    const topics = ['application/shop/storefront', 'tree/shop/storefront', spot];
    const link = new URLSearchParams({ object: POD, look: '1', tab: 'manifest' }).toString();
    await open(<ApplicationScreen ns="shop" name="storefront" />, link, { topics });
    expect(await screen.findByRole('tab', { name: 'Manifest', selected: true })).toBeVisible();
    await userEvent.click(screen.getByRole('tab', { name: /^Events/ }));
    expect(new URLSearchParams(address()).get('tab')).toBe('events');
    await userEvent.keyboard('{Escape}');
    expect([...new URLSearchParams(address()).keys()]).toEqual(['object']);
  });

  it('[issue 14.3] the revisions of a release that are compared, and the one that is read, are in its address', async () => {
    using _log = answerFetch(ANSWERS);
    const page = <ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />;
    const topics = ['release/pay/helmrelease/ledger'];
    const close = await open(page, 'tab=stored&from=3', { topics });
    await screen.findByRole('combobox', { name: 'The older revision' });
    expect([selected('The older revision'), selected('The newer revision')]).toEqual(['Revision 3, superseded', 'Revision 5, deployed']);
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'The newer revision' }), 'Revision 4, superseded');
    expect(address()).toBe('tab=stored&from=3&to=4');
    close();
    // Helm keeps ten, so the one of an old link may be gone.
    const again = await open(page, 'tab=content&revision=1', { topics });
    expect(await screen.findByRole('region', { name: 'Content of revision 5' })).toBeVisible();
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Revision to show' }), 'Revision 4, superseded');
    expect(address()).toBe('tab=content&revision=4');
    again();
  });

  it('[issue 14.3] what the ledger of a tracker is narrowed to is in its address, and a page that is no more shows the last', async () => {
    using _log = answerFetch({});
    const page = <TrackerScreen name="storefront-v3-shop" />;
    await open(page, 'ownership=other&page=7', { topics: ['tracker/storefront-v3-shop'] });
    expect(selected('Owner now')).toMatch(/^another tracker/i);
    expect(within(screen.getByRole('list', { name: 'Recorded objects' })).getAllByRole('listitem')).toHaveLength(3);
    await userEvent.click(screen.getByRole('checkbox', { name: /^Only what is to be/ }));
    expect(address()).toBe('ownership=other&waiting=1');
  });

  it('[issue 14.3] what kinds are searched for is in the address', async () => {
    using _log = answerFetch(ANSWERS);
    await open(<KindsScreen />, 'q=conf', { path: '/objects' });
    expect(await screen.findByRole('link', { name: 'ConfigMap' })).toBeVisible();
    expect(screen.queryByRole('link', { name: 'Pod' })).toBeNull();
    await userEvent.clear(screen.getByRole('searchbox', { name: 'Search kinds' }));
    expect(await screen.findByRole('link', { name: 'Pod' })).toBeVisible();
    expect(address()).toBe('');
  });
});
