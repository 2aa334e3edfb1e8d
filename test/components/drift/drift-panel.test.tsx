import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { ApplicationsScreen } from '@/components/applications/applications-screen';
import { liveKey } from '@/components/live/live-query';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WindowSnapshot } from '@/lib/contract/live';
import { objectDrift } from '@/test/support/fixture/drift';
import type { Scene } from '@/test/support/fixture/scene';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, showScreen } from '@/test/support/screen';

const LIVE = 'GET /api/v1/namespaces/shop/applications/storefront/drift';
const REPLACE = 'POST /api/v1/namespaces/shop/applications/storefront/replace';
const REFUSED = 'GET /api/v1/namespaces/shop/applications/storefront/refused-objects';
const PUT_BACK = 'POST /api/v1/namespaces/shop/applications/storefront/revert';

async function open(scene: Scene = 'full') {
  return await showScreen(<ApplicationScreen ns="shop" name="storefront" />, {
    scene,
    topics: ['application/shop/storefront', 'tree/shop/storefront'],
  });
}

async function openDeployment() {
  await userEvent.click(screen.getByRole('button', { name: 'Deployment web-v4', expanded: false }));
  await waitFor(() => expect(screen.getAllByText('kubectl-edit').length).toBeGreaterThan(0));
}

/** The application once somebody has put one field of the Deployment back. */
function withOneFieldLess(window: WindowSnapshot<ApplicationDetail> | undefined) {
  if (window === undefined) return undefined;
  const less = ({ drift, ...row }: ApplicationDetail): ApplicationDetail => ({
    ...row,
    drift: {
      ...drift,
      objects: drift.objects.map((one) =>
        one.name === 'web-v4' ? { ...one, fieldCount: one.fieldCount - 1, fields: one.fields.slice(1) } : one,
      ),
    },
  });
  return { ...window, rows: window.rows.map(less) };
}

/** The application while a rollout serves its former revision too. */
function withFormer(window: WindowSnapshot<ApplicationDetail> | undefined) {
  const beside = (row: ApplicationDetail): ApplicationDetail => ({ ...row, drift: { ...row.drift, beside: ['storefront-v3'] } });
  return window && { ...window, rows: window.rows.map(beside) };
}

/** The application once its newest revision could not be applied. */
function unapplied(window: WindowSnapshot<ApplicationDetail> | undefined) {
  if (window === undefined) return undefined;
  const failed = (row: ApplicationDetail): ApplicationDetail => ({
    ...row,
    revisions: row.revisions.map((one, at) => (at === 0 ? { ...one, state: 'unapplied' } : one)),
    drift: {
      ...row.drift,
      state: 'applying',
      why: 'refused',
      objects: [],
      repair: { when: 'waits', why: 'The last try failed: refused', failing: true },
    },
  });
  return { ...window, rows: window.rows.map(failed) };
}

describe('the drift of an application', () => {
  it('[dispatch 13] names how many objects differ, which fields, and what becomes of it', async () => {
    using _log = answerFetch({});
    await open();
    expect(screen.getByText('2 of 13 objects differ, 1 left by a policy, 1 unknown')).toBeDefined();
    expect(screen.getByText('spec.template.spec.containers[name=web].image')).toBeDefined();
    expect(screen.getByText('missing')).toBeDefined();
    expect(screen.getByText('left as it is')).toBeDefined();
    expect(screen.getByText(/reverts it within seconds/)).toBeDefined();
  });

  it('[dispatch 13] opened, an object is read live: wanted, found, by whom, since when, and when it is put back', async () => {
    using _log = answerFetch({ [LIVE]: () => Response.json(objectDrift(backFrom(Date.now()))) });
    await open();
    await openDeployment();
    expect(screen.getByText('kubectl', { selector: 'p *' }).closest('li')?.textContent).toMatch(
      /spec\.replicas.*apply-once leaves it.*desired4live6set by kubectl through scale.*1h ago, or earlier/,
    );
    expect(screen.getByText(/Kubernetes does not record who removes a field/)).toBeDefined();
    const diff = screen.getByRole('region', { name: /desired and live, side by side/ });
    expect(diff.textContent).toMatch(/hotfixkubectl-edit 3m ago/);
    // [issue 14.2] A line that is as it is wanted has an owner too.
    expect(diff.textContent).toMatch(/name: webslipway 2h ago/);
    const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } });
    expect(violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
  });

  it('[issue 9.4] opened when its revision is not applied any more, an object says why nothing is compared, and offers nothing', async () => {
    const why = 'storefront-v5 is not applied yet';
    using _log = answerFetch({ [LIVE]: () => Response.json({ state: 'uncompared', at: new Date().toISOString(), why }) });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Deployment web-v4', expanded: false }));
    const panel = (await screen.findByText(`The comparison is not possible: ${why}`)).closest('section') ?? document.body;
    expect(within(panel).queryByRole('button', { name: /Put back|Replace/ })).toBeNull();
    expect(within(panel).queryByRole('alert')).toBeNull();
  });

  it('[design 14] where no change brings it back it says why, and offers to replace it with what goes first', async () => {
    const replacement = {
      why: 'spec.selector: field is immutable',
      uid: 'u-1',
      blast: ['deletes 2 Pods with it: a, b'],
      waitsFor: [],
      refused: null,
    };
    const drift = { ...objectDrift(backFrom(Date.now())), replacement };
    using log = answerFetch({
      [LIVE]: () => Response.json(drift),
      [REPLACE]: () => Response.json({ accepted: { kind: 'Deployment', ns: 'shop', name: 'web-v4', uid: 'u-1' } }, { status: 202 }),
    });
    await open();
    await openDeployment();
    expect(screen.getByRole('button', { name: 'Revert now' }).getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(screen.getByRole('button', { name: 'Replace…' }));
    const dialog = screen.getByRole('dialog', { name: 'Replace Deployment web-v4' });
    expect(dialog.textContent).toMatch(/field is immutable.*Deployment web-v4 is deleted.*deletes 2 Pods with it: a, b.*created again/s);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete and create' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        ns: 'shop',
        name: 'web-v4',
        seen: drift.fields.map(({ path }) => path),
        uid: 'u-1',
        blast: replacement.blast,
        waitsFor: [],
      },
    ]);
  });

  it('[dispatch 13] requests a revert of back exactly what was seen, with what happens before the click', async () => {
    using log = answerFetch({
      [LIVE]: () => Response.json(objectDrift(backFrom(Date.now()))),
      [PUT_BACK]: () => Response.json({ accepted: { kind: 'Application', ns: 'shop', name: 'storefront', uid: 'u' } }, { status: 202 }),
    });
    await open();
    await openDeployment();
    await userEvent.click(screen.getByRole('button', { name: 'Revert now' }));
    const dialog = screen.getByRole('dialog');
    expect(within(dialog).getByText('spec.replicas changes from 6 to 4')).toBeDefined();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Revert now' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const seen = objectDrift(backFrom(0)).fields.map(({ path }) => path);
    const asked = log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(asked).toEqual([{ apiVersion: 'apps/v1', kind: 'Deployment', ns: 'shop', name: 'web-v4', seen }]);
  });

  it.each([
    ['Revert now', 'Revert now', {}],
    [
      'Replace…',
      'Delete and create',
      { replacement: { why: 'field is immutable', uid: 'u-1', blast: ['deletes 2 Pods with it: a, b'], waitsFor: [], refused: null } },
    ],
  ])(
    '[issue 9.6] a dialog opened by %s keeps what it showed while the object changes, and sends nothing any more',
    async (opens, confirms, more) => {
      const first = { ...objectDrift(backFrom(Date.now())), ...more };
      let answer = first;
      using log = answerFetch({ [LIVE]: () => Response.json(answer) });
      const { queries } = await open();
      await openDeployment();
      await userEvent.click(screen.getByRole('button', { name: opens }));
      const dialog = screen.getByRole('dialog');
      const shown = within(dialog).getByRole('region', { name: 'What happens' }).textContent;
      expect(within(dialog).getByRole('button', { name: confirms }).getAttribute('aria-disabled')).not.toBe('true');
      answer = { ...first, fields: first.fields.slice(1) };
      act(() => void queries.setQueryData(liveKey('application/shop/storefront'), withOneFieldLess));
      await waitFor(() => expect(within(dialog).getAllByText(/has changed since this was opened/).length).toBeGreaterThan(0));
      expect(within(dialog).getByRole('region', { name: 'What happens' }).textContent).toBe(shown);
      await userEvent.click(within(dialog).getByRole('button', { name: confirms }));
      expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
    },
  );

  it('[issue 14.2] a dialog whose object could not be read again says why, and sends nothing', async () => {
    let answer = () => Response.json(objectDrift(backFrom(Date.now())));
    using log = answerFetch({ [LIVE]: () => answer() });
    const { queries } = await open();
    await openDeployment();
    await userEvent.click(screen.getByRole('button', { name: 'Revert now' }));
    const dialog = screen.getByRole('dialog');
    answer = () => Response.json({ error: { code: 'unavailable', message: 'the cluster did not answer' } }, { status: 503 });
    act(() => void queries.setQueryData(liveKey('application/shop/storefront'), withOneFieldLess));
    const said = /could not be read again: The cluster did not answer\. Close this and read it again\./;
    await waitFor(() => expect(within(dialog).getAllByText(said).length).toBeGreaterThan(0));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Revert now' }));
    expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('[design 14] of a revision that could not be applied it does not say that it is being applied', async () => {
    using _log = answerFetch({ [REFUSED]: () => Response.json({ revision: 'storefront-v5', objects: [], more: 0 }) });
    const { queries } = await open();
    act(() => void queries.setQueryData(liveKey('application/shop/storefront'), unapplied));
    expect(await screen.findByText(/A dry run now succeeds for all objects; the engine retries/)).toBeDefined();
    expect(screen.getByText(/is not applied\./).textContent).toMatch(/The last try failed: refused$/);
    expect(screen.queryByText(/is being applied/)).toBeNull();
    expect(screen.getByText('not applied')).toBeDefined();
  });

  it('[issue 9.4] what the cluster refuses of such a revision is listed with why, and replaced only after the dialog said until when it is missing', async () => {
    const why = 'spec.selector: field is immutable';
    const one = { id: 'Deployment.apps/shop/web', apiVersion: 'apps/v1', kind: 'Deployment', ns: 'shop', name: 'web', component: null };
    const replacement = { why, uid: 'u-1', blast: ['deletes 2 Pods with it: a, b'], waitsFor: ['Job seed', 'Service web'], refused: null };
    const drift = { ...objectDrift(backFrom(Date.now())), revision: 'storefront-v5', isApplied: false, replacement };
    using log = answerFetch({
      [REFUSED]: () =>
        Response.json({ revision: 'storefront-v5', objects: [{ ...one, state: 'refused', why, fields: [], fieldCount: 0 }], more: 1 }),
      [LIVE]: () => Response.json(drift),
      [REPLACE]: () => Response.json({ accepted: { kind: 'Deployment', ns: 'shop', name: 'web', uid: 'u-1' } }, { status: 202 }),
    });
    const { queries } = await open();
    act(() => void queries.setQueryData(liveKey('application/shop/storefront'), unapplied));
    const list = await screen.findByRole('list', { name: 'Objects of storefront-v5 that the cluster refuses' });
    expect(list.textContent).toMatch(/Deployment web.*refused.*spec\.selector: field is immutable/);
    expect(screen.getByText(/is not applied: the cluster refuses 1 object\./).textContent).not.toContain('The last try failed');
    expect(screen.getByText(/^1 more object is refused/)).toBeDefined();
    await userEvent.click(within(list).getByRole('button', { name: 'Deployment web' }));
    await screen.findByRole('button', { name: 'Replace…' });
    // What its line says is not said again; nobody took away what the revision adds, and no record was edited.
    expect(list.textContent?.split(why)).toHaveLength(2);
    expect(list.textContent).toContain('Needs 3 fields changed: spec.template.spec.containers[name=web].image, ');
    expect(list.textContent).toMatch(/Changed\.desired.*Added\.desired/s);
    expect(list.textContent).not.toMatch(/notes who sets a field|was edited|Put back/);
    await userEvent.click(screen.getByRole('button', { name: 'Replace…' }));
    expect(screen.queryByRole('button', { name: 'Revert now' })).toBeNull();
    const dialog = screen.getByRole('dialog', { name: 'Replace Deployment web' });
    expect(dialog.textContent).toMatch(/stays missing until Job seed and Service web are replaced or corrected too/);
    expect(dialog.textContent).not.toMatch(/within seconds/);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete and create' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const sent = log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(sent).toMatchObject([{ name: 'web', uid: 'u-1', blast: replacement.blast, waitsFor: replacement.waitsFor }]);
  });

  it('[issue 9.4] of an object that is being deleted it says until when, once, and that it is created then', async () => {
    const terminating = 'it is being deleted, held until no Pod uses it (kubernetes.io/pvc-protection)';
    const claim = {
      id: 'PersistentVolumeClaim/shop/data',
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      ns: 'shop',
      name: 'data',
      component: null,
    };
    const [field] = objectDrift(backFrom(Date.now())).fields;
    const drift = {
      ...objectDrift(backFrom(Date.now())),
      revision: 'storefront-v5',
      isApplied: false,
      terminating,
      fields: [{ ...field, path: 'spec.size' }],
    };
    using _log = answerFetch({
      [REFUSED]: () =>
        Response.json({
          revision: 'storefront-v5',
          objects: [{ ...claim, state: 'terminating', why: terminating, fields: [], fieldCount: 0 }],
          more: 0,
        }),
      [LIVE]: () => Response.json(drift),
    });
    const { queries } = await open();
    act(() => void queries.setQueryData(liveKey('application/shop/storefront'), unapplied));
    expect(await screen.findByText(/is not applied: 1 object is still being deleted\./)).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: 'PersistentVolumeClaim data' }));
    const told = await screen.findByText(
      /^Needs 1 field changed: spec\.size\. Once it is gone, it is created as in storefront-v5\. Read from/,
    );
    expect(told.closest('li')?.textContent?.match(/held until no Pod uses it/g)).toHaveLength(1);
    expect(screen.queryByRole('button', { name: /Replace|Put back/ })).toBeNull();
  });

  it('[issue 9.4] the dialog tells plainly what data goes, and does not promise seconds where something holds the object', async () => {
    const blast = [
      'its PersistentVolume disk is deleted with the data on it (reclaim policy Delete)',
      'used by 1 Pod: db-0',
      'held until no Pod uses it (kubernetes.io/pvc-protection)',
      'the new PersistentVolumeClaim starts empty: no data is copied to it',
    ];
    const replacement = { why: 'spec: Forbidden: spec is immutable', uid: 'u-1', blast, waitsFor: [], refused: null };
    using _log = answerFetch({ [LIVE]: () => Response.json({ ...objectDrift(backFrom(Date.now())), replacement }) });
    await open();
    await openDeployment();
    await userEvent.click(screen.getByRole('button', { name: 'Replace…' }));
    const told = within(screen.getByRole('dialog'))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
    expect(told.slice(1, -1)).toEqual([
      'Its PersistentVolume disk is deleted with the data on it (reclaim policy Delete)',
      'It is used by 1 Pod: db-0',
      'It is held until no Pod uses it (kubernetes.io/pvc-protection)',
      'The new PersistentVolumeClaim starts empty: no data is copied to it',
      'It is created again as in storefront-v4, once it is gone',
    ]);
  });

  it('[design 8] who may not read the object sees its paths and the refusal, and no values', async () => {
    const message = 'operator may not do this: it requires the right "get" on deployments.apps';
    using _log = answerFetch({ [LIVE]: () => Response.json({ error: { code: 'forbidden', message } }, { status: 403 }) });
    await open();
    await userEvent.click(screen.getByRole('button', { name: 'Deployment web-v4', expanded: false }));
    await waitFor(() => expect(screen.getByText(message, { exact: false })).toBeDefined());
    expect(screen.queryByRole('button', { name: 'Revert now' })).toBeNull();
  });

  it('[dispatch 13] says that everything is as it is wanted, where it is', async () => {
    using _log = answerFetch({});
    const { queries } = await open('quiet');
    expect(screen.getByText('0 of 14 objects differ')).toBeDefined();
    expect(screen.getByText(/Everything matches storefront-v4/)).toBeDefined();
    act(() => void queries.setQueryData(liveKey('application/shop/storefront'), withFormer));
    expect(await screen.findByText(/Everything matches storefront-v4 and storefront-v3/)).toBeDefined();
  });

  it('[dispatch 13] of thousands it lists the first and counts the rest', async () => {
    using _log = answerFetch({});
    await open('many');
    expect(screen.getByText('3,000 of 3,000 objects differ')).toBeDefined();
    expect(screen.getByText(/The first 100 are listed; 2,900 more follow/)).toBeDefined();
  });
});

describe('the list of applications', () => {
  it('[dispatch 13] counts what drifted, and shows what drifted alone when asked', async () => {
    using _log = answerFetch({});
    await showScreen(<ApplicationsScreen />, { topics: ['applications', 'applications?drifted=1'], search: 'drifted=1' });
    expect(screen.getAllByText('2 drifted').length).toBeGreaterThan(0);
    expect(screen.queryByText('mailer')).toBeNull();
    expect(screen.getByRole('combobox', { name: 'Drift' })).toHaveProperty('value', '1');
  });
});
