import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { UndeclaredReleases } from '@/components/releases/undeclared-releases';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const storedAt = backFrom(SCREEN_NOW)(3600);
const byHand = {
  ns: 'pay',
  name: 'by-hand',
  revision: 2,
  status: 'deployed',
  storedAt,
  storage: 'secrets',
  declaredBefore: null,
  uninstall: null,
};
const old = { ...byHand, name: 'old', revision: 10, status: 'failed', storage: 'configmaps' };
const detail = {
  ...byHand,
  uid: 'secret-uid',
  chart: { name: 'ledger', version: '1.0.0' },
  account: 'slipway-charts',
  objects: [
    { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'settings', isKept: false },
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ns: 'pay', name: 'data', isKept: true },
  ],
  hooks: [{ apiVersion: 'batch/v1', kind: 'Job', ns: 'pay', name: 'farewell' }],
  refusal: null,
};

describe('releases that no resource declares', () => {
  it('[issue 12.1] are shown with where Helm keeps them, and that there may be others', async () => {
    using _answers = answerFetch({
      'GET /api/v1/undeclared-releases': () => Response.json({ releases: [byHand, old], why: 'configmaps is forbidden' }),
    });
    await showScreen(<UndeclaredReleases ns={undefined} />, { topics: [] });
    const lines = await screen.findAllByRole('listitem');
    expect(lines.map((line) => line.textContent)).toEqual([
      expect.stringMatching(/^by-hand paydeployedrevision 2/),
      expect.stringMatching(/^old payfailedrevision 10stored in ConfigMaps, which are not read/),
    ]);
    expect(screen.getByText('Not everything could be read: configmaps is forbidden')).toBeVisible();
  });

  it('[issue 12.1] are asked for in the namespace that is shown, and nothing is said where there are none', async () => {
    using answers = answerFetch({ 'GET /api/v1/undeclared-releases': () => Response.json({ releases: [], why: null }) });
    await showScreen(<UndeclaredReleases ns="pay" />, { topics: [] });
    await waitFor(() => expect(answers.sent.map(({ url }) => url)).toEqual(['/api/v1/undeclared-releases?ns=pay']));
    expect(screen.queryByText(/Not declared/)).toBeNull();
  });

  it('[issue 12.1] tell who declared them before, and what became of a decision', async () => {
    const orphan = {
      ...byHand,
      name: 'orphan',
      declaredBefore: { kind: 'HelmRelease', ns: 'pay', name: 'orphan', exists: false, isUninstalling: false },
    };
    const going = { ...orphan, name: 'going', declaredBefore: { ...orphan.declaredBefore, name: 'going', isUninstalling: true } };
    const unread = { ...orphan, name: 'unread', declaredBefore: { ...orphan.declaredBefore, name: 'unread', isUnread: true } };
    const uninstall = { user: 'ann', phase: 'Rejected', message: 'the newest revision is now 3', at: storedAt, isOver: true };
    using _answers = answerFetch({
      'GET /api/v1/undeclared-releases': () => Response.json({ releases: [orphan, going, unread, { ...byHand, uninstall }], why: null }),
    });
    await showScreen(<UndeclaredReleases ns={undefined} />, { topics: [] });
    expect(await screen.findByText('Orphaned: HelmRelease pay/orphan declared it and was deleted.')).toBeVisible();
    expect(screen.getByText('HelmRelease pay/going declared it and was deleted; its release is being uninstalled.')).toBeVisible();
    expect(screen.getByText('HelmRelease pay/unread declared it, and whether it still does is not known.')).toBeVisible();
    expect(screen.getByText('Uninstalling')).toBeVisible();
    expect(screen.getAllByText('Orphaned')).toHaveLength(1);
    expect(screen.getByRole('button', { name: 'Uninstall going in pay' })).toHaveAttribute('aria-disabled', 'true');
    expect(screen.getByText(/Uninstall by ann/)).toHaveTextContent('Uninstall by ann: the newest revision is now 3');
  });

  it('[issue 12.1] show values and manifest of their revisions when asked', async () => {
    const path = '/api/v1/namespaces/pay/undeclared-releases/by-hand';
    const none = { storedAt, chart: null, chartVersion: null, appVersion: null, description: null, cause: null };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', ns: 'pay', name: 'settings', text: 'kind: ConfigMap\n', why: null };
    const content = { revision: 2, values: 'replicas: 2\n', hidesValues: true, objects: [object], notes: '' };
    using answers = answerFetch({
      'GET /api/v1/undeclared-releases': () => Response.json({ releases: [byHand, old], why: null }),
      [`GET ${path}/history`]: () => Response.json({ revisions: [{ revision: 2, status: 'deployed', ...none }] }),
      [`GET ${path}/content`]: () => Response.json(content),
    });
    await showScreen(<UndeclaredReleases ns={undefined} />, { topics: [] });
    const button = await screen.findByRole('button', { name: /^Values and manifest of/ }); // none where Helm keeps a release in ConfigMaps
    expect(button).toHaveAccessibleName('Values and manifest of by-hand in pay');
    await userEvent.setup().click(button);
    const shown = within(await screen.findByRole('region', { name: 'Content of revision 2' }));
    expect(await shown.findByText(/All values are masked/)).toBeVisible();
    expect(shown.getByRole('button', { name: 'Manifest of ConfigMap settings' })).toBeVisible();
    expect(answers.sent.map(({ url }) => url).slice(1)).toEqual([`${path}/history`, `${path}/content?revision=2`]);
  });

  it('[issue 12.1] are uninstalled once a person has seen each object that goes, stays or runs', async () => {
    using answers = answerFetch({
      'GET /api/v1/undeclared-releases': () => Response.json({ releases: [byHand], why: null }),
      'GET /api/v1/namespaces/pay/undeclared-releases/by-hand': () => Response.json(detail),
      'POST /api/v1/namespaces/pay/undeclared-releases/by-hand/uninstall': () =>
        Response.json({ accepted: { kind: 'ReleaseDecision', ns: 'pay', name: 'by-hand-x', uid: 'd' } }, { status: 202 }),
    });
    await showScreen(<UndeclaredReleases ns={undefined} />, { topics: [] });
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Uninstall by-hand in pay' }));
    const objects = within(await screen.findByRole('region', { name: 'Objects' })).getAllByRole('listitem');
    expect(objects.map((line) => line.textContent)).toEqual([
      'ConfigMap settings paydeleted',
      'PersistentVolumeClaim data paystays',
      'Job farewell payruns as a hook',
    ]);
    expect(screen.getByText(/deletes 1 object and every stored revision/)).toBeVisible();
    await userEvent.setup().click(screen.getByRole('button', { name: 'Uninstall' }));
    await waitFor(() => expect(answers.sent.find(({ method }) => method === 'POST')?.body).toEqual({ revision: 2, uid: 'secret-uid' }));
  });
});
