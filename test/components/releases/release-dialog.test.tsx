import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { Toaster } from '@/components/ui/overlay/toast';
import { RELEASE_RIGHTS } from '@/lib/contract/release-rows';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const back = backFrom(SCREEN_NOW);
const RELEASE = '/api/v1/namespaces/pay/releases/ledger';
const rights = (sentence: string | null) => () => Response.json(Object.fromEntries(RELEASE_RIGHTS.map((verb) => [verb, sentence])));
const revision = (number: number, status: string) => ({
  revision: number,
  status,
  storedAt: null,
  chart: 'ledger',
  chartVersion: '1.4.0',
  appVersion: null,
  description: null,
  cause: null,
});
const object = (name: string, change: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', ns: 'pay', name, change });
const answers = {
  [`GET ${RELEASE}/rights`]: rights(null),
  [`GET ${RELEASE}/history`]: () => Response.json({ revisions: [revision(4, 'deployed'), revision(3, 'superseded')] }),
  [`GET ${RELEASE}/rollback`]: () =>
    Response.json({ from: 4, to: 3, objects: [object('ledger', 'changed'), object('worker', 'deleted'), object('api', 'same')] }),
  [`POST ${RELEASE}/decisions`]: () =>
    Response.json({ accepted: { kind: 'ReleaseDecision', ns: 'pay', name: 'ledger-x', uid: null } }, { status: 202 }),
};

const show = () =>
  showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, { topics: ['release/pay/helmrelease/ledger'] });

describe('a decision about a release', () => {
  it('[issue 12.4] offers each revision that is stored by now, also where it was opened a moment ago', async () => {
    const stored = [revision(4, 'deployed'), revision(3, 'superseded')];
    using _log = answerFetch({ ...answers, [`GET ${RELEASE}/history`]: () => Response.json({ revisions: stored }) });
    await show();
    const user = userEvent.setup();
    const offered = async () => {
      await user.click(await screen.findByRole('button', { name: 'Roll back' }));
      const dialog = await screen.findByRole('dialog', { name: 'Roll back: ledger' });
      const choice = await within(dialog).findByRole('combobox', { name: 'Revision to roll back to' });
      return within(choice)
        .getAllByRole('option')
        .map((option) => option.textContent)
        .slice(1);
    };
    expect(await offered()).toEqual(['Revision 3, superseded, chart 1.4.0']);
    await user.keyboard('{Escape}');
    stored.unshift(revision(5, 'deployed'));
    expect(await offered()).toEqual(['Revision 4, deployed, chart 1.4.0', 'Revision 3, superseded, chart 1.4.0']);
  });

  it('[issue 14] says where Helm has stored nothing to go back to, in place of an empty choice', async () => {
    using _log = answerFetch({ ...answers, [`GET ${RELEASE}/history`]: () => Response.json({ revisions: [revision(1, 'deployed')] }) });
    await show();
    await userEvent.click(await screen.findByRole('button', { name: 'Roll back' }));
    const dialog = await screen.findByRole('dialog', { name: 'Roll back: ledger' });
    expect(await within(dialog).findByText('Helm has stored no earlier revision to roll back to.')).toBeVisible();
    expect(within(dialog).queryByRole('combobox')).toBeNull();
  });

  it('[issue 12.4] goes back only to a revision that was chosen, after what that does to each object was shown, with a reason', async () => {
    using log = answerFetch(answers);
    await show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Roll back' }));
    const dialog = await screen.findByRole('dialog', { name: 'Roll back: ledger' });
    // It is another element once it is not blocked any more.
    const send = () => within(dialog).getByRole('button', { name: 'Roll back' });
    await user.click(send());
    expect(log.sent.some(({ method }) => method === 'POST')).toBe(false);
    await user.selectOptions(await within(dialog).findByRole('combobox', { name: 'Revision to roll back to' }), '3');
    const changes = await within(dialog).findByRole('region', { name: 'What the rollback does to each object' });
    expect(within(changes).getByRole('heading')).toHaveTextContent('From revision 4 to 3: 2 objects of 3');
    expect(
      within(changes)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['changedDeploymentledgerpay', 'deletedDeploymentworkerpay']);
    await user.click(send());
    expect(log.sent.some(({ method }) => method === 'POST')).toBe(false);
    await user.type(within(dialog).getByRole('textbox'), 'errors since 1.4');
    await user.click(send());
    expect(log.sent.find(({ method }) => method === 'POST')?.body).toEqual({
      kind: 'helmrelease',
      verb: 'rollback',
      uid: 'u-ledger',
      revision: 3,
      reason: 'errors since 1.4',
      seen: { stored: 4 },
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('[issue 14.3] a hold is undone by the notice after it, which lifts that very hold', async () => {
    using log = answerFetch(answers);
    const screenOfIt = <ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />;
    await showScreen(
      <>
        {screenOfIt}
        <Toaster />
      </>,
      { topics: ['release/pay/helmrelease/ledger'] },
    );
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Hold' }));
    const dialog = await screen.findByRole('dialog', { name: 'Hold: ledger' });
    await user.type(within(dialog).getByRole('textbox'), 'errors since 1.4');
    await user.click(within(dialog).getByRole('button', { name: 'Hold' }));
    await user.click(await screen.findByRole('button', { name: 'Undo' }));
    await expect
      .poll(() => log.sent.filter(({ method }) => method === 'POST').map(({ body }) => body))
      .toEqual([
        { kind: 'helmrelease', verb: 'hold', uid: 'u-ledger', reason: 'errors since 1.4' },
        { kind: 'helmrelease', verb: 'lift', uid: 'u-ledger', seen: { hold: 'ledger-x' } },
      ]);
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });

  it('[design 8] is not offered to whoever may not make it, and says which right is missing', async () => {
    using _log = answerFetch({ ...answers, [`GET ${RELEASE}/rights`]: rights('bob may not do this: it requires the right to hold') });
    await show();
    await expect.poll(() => screen.getByRole('button', { name: 'Hold' }).getAttribute('aria-disabled')).toBe('true');
    expect(screen.queryByRole('button', { name: 'Lift the hold' })).toBeNull();
  });

  it('[issue 12.1] approves the commit that was shown when it was opened, also when another one comes meanwhile', async () => {
    using log = answerFetch(answers);
    const { queries } = await show();
    const key = liveKey('release/pay/helmrelease/ledger');
    const waiting = (letter: string) => ({
      commit: letter.repeat(40),
      chart: letter.repeat(40),
      subject: `change ${letter}`,
      author: 'Bob',
      at: back(60),
    });
    const gate = {
      required: 2,
      groups: [],
      sentence: 'Each commit needs 2 approvals',
      approvers: ['carol'],
      given: '1 of 2 approvals: carol; needs 1 more',
      loosening: null,
      looser: null,
    };
    const approve = { verb: 'approve', why: null, consequences: ['With the last approval it goes there.'], needsReason: false } as const;
    const waitFor = (letter: string, told: object = gate) =>
      act(() =>
        queries.setQueryData(key, (held: { readonly rows: readonly object[] } | undefined) => ({
          ...held,
          rows: held?.rows.map((row) => ({ ...row, gate: { ...told, waiting: waiting(letter) }, actions: [approve] })),
        })),
      );
    const { given, ...older } = gate;
    waitFor('a', older); // a server that does not tell the words
    const user = userEvent.setup();
    const panel = (await screen.findByText(given)).closest('dl');
    expect(panel).toHaveTextContent('change a');
    await user.click(screen.getByRole('button', { name: 'Approve commit' }));
    const dialog = await screen.findByRole('dialog', { name: 'Approve commit: ledger' });
    expect(within(dialog).getByText(given)).toBeVisible();
    waitFor('b');
    expect(within(dialog).getByRole('region', { name: 'The commit' })).toHaveTextContent('change a');
    await user.click(within(dialog).getByRole('button', { name: 'Approve commit' }));
    expect(log.sent.find(({ method }) => method === 'POST')?.body).toEqual({
      kind: 'helmrelease',
      verb: 'approve',
      uid: 'u-ledger',
      commit: 'a'.repeat(40),
      seen: { chart: 'a'.repeat(40) },
    });
  });

  it('[issue 12.1] approves of a chart that is pulled the archive that was shown, by its digest', async () => {
    const digest = 'd'.repeat(64);
    const gate = {
      required: 1,
      groups: [['ops']],
      sentence: 'Each archive needs 1 approval',
      approvers: [],
      loosening: null,
      looser: null,
      archive: { current: null, waiting: { revision: '1.1.0', digest, at: back(60) } },
    };
    const origin = { kind: 'repository', url: 'https://charts.example', name: 'ledger', version: '^1.0.0' };
    const approve = { verb: 'approve', why: null, consequences: ['It goes there.'], needsReason: false } as const;
    using log = answerFetch(answers);
    const { queries } = await show();
    act(() =>
      queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
        ...held,
        rows: held?.rows.map((row) => ({ ...row, gate, origin, actions: [approve] })),
      })),
    );
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Approve archive' }));
    const dialog = await screen.findByRole('dialog', { name: 'Approve archive: ledger' });
    expect(within(dialog).getByRole('region', { name: 'The archive' })).toHaveTextContent(
      `1.1.0sha256:${digest}0 of 1 approval by a member of ops`,
    );
    await user.click(within(dialog).getByRole('button', { name: 'Approve archive' }));
    const sent = log.sent.find(({ method }) => method === 'POST')?.body;
    expect(sent).toMatchObject({ verb: 'approve', digest, seen: { chart: '1.1.0' } });
  });

  it.each([
    [{ killedBy: null, isInherited: false }, 'helm upgrade has ended;'],
    [{ killedBy: 'SIGKILL', isInherited: false }, 'helm upgrade was killed (SIGKILL);'],
    [{ killedBy: null, isInherited: true }, 'helm upgrade was started before this server, which did not see it end;'],
  ])('[issue 12.4] unlocks only after it told how long the release is pending and whether Helm is at work on it: %j', async (how, said) => {
    using log = answerFetch({
      ...answers,
      [`GET ${RELEASE}/history`]: () => Response.json({ revisions: [revision(5, 'pending-upgrade')] }),
    });
    const { queries } = await show();
    const unlock = { verb: 'unlock', why: null, consequences: ['The pending revision is marked failed.'], needsReason: true } as const;
    const work = {
      kind: 'here',
      command: 'upgrade',
      isWaiting: false,
      since: back(600),
      until: back(500),
      ...how,
      line: 'waiting for hook',
    };
    act(() =>
      queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
        ...held,
        rows: held?.rows.map((row) => ({ ...row, stored: 'pending-upgrade', work, actions: [unlock] })),
      })),
    );
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Unlock' }));
    const dialog = await screen.findByRole('dialog', { name: 'Unlock: ledger' });
    const evidence = await within(dialog).findByRole('region', { name: 'What is known about it' });
    expect(evidence).toHaveTextContent('Revision 5 is pending-upgrade');
    expect(evidence).toHaveTextContent(`${said} Helm is not running on it nowIts last line: waiting for hook`);
    await user.type(within(dialog).getByRole('textbox'), 'the node died');
    await user.click(within(dialog).getByRole('button', { name: 'Unlock' }));
    expect(log.sent.find(({ method }) => method === 'POST')?.body).toMatchObject({
      verb: 'unlock',
      reason: 'the node died',
      seen: { stored: 5 },
    });
  });

  it('[issue 12.1] uninstalls by deleting the resource that was seen, after it told what follows', async () => {
    const uninstalled = { accepted: { kind: 'HelmRelease', ns: 'pay', name: 'ledger', uid: 'u-ledger' } };
    using log = answerFetch({ ...answers, [`POST ${RELEASE}/uninstall`]: () => Response.json(uninstalled, { status: 202 }) });
    await show();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Uninstall' }));
    const dialog = await screen.findByRole('dialog', { name: 'Uninstall: ledger' });
    expect(dialog).toHaveTextContent("Helm's uninstall follows");
    expect(log.sent.some(({ method }) => method === 'POST')).toBe(false);
    await user.click(within(dialog).getByRole('button', { name: 'Uninstall' }));
    expect(log.sent.find(({ method }) => method === 'POST')).toMatchObject({ body: { kind: 'helmrelease', uid: 'u-ledger' } });
  });

  it('[issue 12.1] uninstalls one of flux.weave.works as such, and says whose it is', async () => {
    const place = { ns: 'pay', kind: 'helmrelease-v1beta1', name: 'ledger' } as const;
    const topic = 'release/pay/helmrelease-v1beta1/ledger';
    using log = answerFetch(answers);
    const { queries } = await showScreen(<ReleaseScreen place={place} />, { topics: ['release/pay/helmrelease/ledger'] });
    const held = queries.getQueryData<{ readonly rows: readonly object[] }>(liveKey('release/pay/helmrelease/ledger'));
    act(() => queries.setQueryData(liveKey(topic), { ...held, rows: held?.rows.map((row) => ({ ...row, kind: place.kind })) }));
    expect(await screen.findByText(/^HelmRelease\.flux\.weave\.works/)).toBeVisible();
    const user = userEvent.setup();
    await user.click(await screen.findByRole('button', { name: 'Uninstall' }));
    const dialog = await screen.findByRole('dialog', { name: 'Uninstall: ledger' });
    expect(dialog).toHaveTextContent('The HelmRelease stays until Helm has uninstalled the release.');
    await user.click(within(dialog).getByRole('button', { name: 'Uninstall' }));
    expect(log.sent.find(({ method }) => method === 'POST')).toMatchObject({ body: { kind: 'helmrelease-v1beta1', uid: 'u-ledger' } });
  });

  it('[issue 12.1] says of one that another resource declares too that Helm does not uninstall it, and of a commit whose attempt failed that it is not released', async () => {
    using _log = answerFetch(answers);
    const { queries } = await show();
    expect(screen.queryByText(', attempted but not released')).toBeNull();
    act(() =>
      queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
        ...held,
        rows: held?.rows.map((row) => ({ ...row, keptBy: 'HelmRelease twin in pay', state: 'failed', onlyAttempted: true })),
      })),
    );
    expect(await screen.findByText(', attempted but not released')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Uninstall' }));
    const dialog = await screen.findByRole('dialog', { name: 'Uninstall: ledger' });
    expect(dialog).toHaveTextContent('Helm does not uninstall the release, since HelmRelease twin in pay declares it too');
    expect(dialog).not.toHaveTextContent(/Helm's uninstall|it deletes/);
  });

  it('[issue 12.4] says of one of which Helm has stored nothing that only its resource is deleted', async () => {
    using _log = answerFetch({ ...answers, [`GET ${RELEASE}/history`]: () => Response.json({ revisions: [] }) });
    const { queries } = await show();
    act(() =>
      queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
        ...held,
        rows: held?.rows.map((row) => ({ ...row, stored: null, storedRevision: null, lastAct: null, work: null })),
      })),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Uninstall' }));
    const dialog = await screen.findByRole('dialog', { name: 'Uninstall: ledger' });
    await within(dialog).findByText('Helm has stored no revision, so nothing is installed: only the resource is deleted.');
    expect(dialog).not.toHaveTextContent(/Helm's uninstall|it deletes|resource-policy/);
  });
});
