import { focusManager } from '@tanstack/react-query';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { ReleaseScreen } from '@/components/releases/release-screen';
import { answerFetch, showScreen } from '@/test/support/screen';

describe('what the loops did', () => {
  it('[issue 12.4] stands on one time line: which loop, at which revision, by which rule, what it compared and what that decided', async () => {
    using _answers = answerFetch({});
    await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
      topics: ['release/pay/helmrelease/ledger'],
    });
    const panel = await screen.findByRole('tabpanel', { name: /^Reconciliations/ });
    const texts = within(panel)
      .getAllByRole('listitem')
      .map((item) => item.textContent);
    expect(texts).toEqual([
      expect.stringMatching(
        /^Nothing changedthe periodic check01234567X-SYNC-53 times.*Nothing changed since the last dry run without a difference: nothing to do$/,
      ),
      expect.stringMatching(
        /^Faileda new commit01234567X-SYNC-4.*The chart changed since the last attempt: upgrade without a comparisontimed out$/,
      ),
    ]);
  });
});

describe('what Helm stores', () => {
  it('[issue 12.4] is followed at once by its objects and its log, and not when they are asked for again by the clock', async () => {
    let installed = false;
    const path = '/api/v1/namespaces/pay/releases/ledger';
    const object = {
      group: '',
      kind: 'ConfigMap',
      ns: 'pay',
      name: 'made',
      status: 'Current',
      message: '',
      rule: null,
      source: 'watch',
      ageSeconds: 0,
      generated: [],
    };
    const statuses = () => ({
      status: 'Current',
      message: '',
      observedAt: '2026-11-20T09:29:00Z',
      source: 'watch',
      stale: null,
      objects: installed ? [object] : [],
    });
    const written = { command: 'install', since: '2026-11-20T09:29:00Z', until: '2026-11-20T09:29:30Z', lines: [], earlier: 0 };
    using _answers = answerFetch({
      [`GET ${path}/status`]: () => Response.json(statuses()),
      [`GET ${path}/log`]: () => Response.json({ log: installed ? written : null, isElsewhere: false }),
    });
    const { queries } = await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
      topics: ['release/pay/helmrelease/ledger'],
    });
    await userEvent.setup().click(await screen.findByRole('tab', { name: 'Helm log' }));
    expect(await screen.findByText(/Helm has not changed this release/)).toBeVisible();
    expect(await screen.findByText(/Helm has stored no revision/)).toBeVisible();
    installed = true;
    focusManager.setFocused(false); // then nothing is asked for again by the clock
    using _focus = { [Symbol.dispose]: () => focusManager.setFocused(undefined) };
    act(() =>
      queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
        ...held,
        rows: held?.rows.map((row) => ({ ...row, stored: 'deployed', storedRevision: 9 })),
      })),
    );
    expect(await screen.findByText('helm install')).toBeVisible();
    expect(await screen.findByText('made')).toBeVisible();
  });

  it('[issue 12.4] is not asked for any more while its resource is deleted, until the uninstall has failed', async () => {
    using answers = answerFetch({});
    const { queries } = await showScreen(<ReleaseScreen place={{ ns: 'pay', kind: 'helmrelease', name: 'ledger' }} />, {
      topics: ['release/pay/helmrelease/ledger'],
    });
    await userEvent.setup().click(await screen.findByRole('tab', { name: 'Commits' }));
    const push = (change: object) =>
      act(() =>
        queries.setQueryData(liveKey('release/pay/helmrelease/ledger'), (held: { readonly rows: readonly object[] } | undefined) => ({
          ...held,
          rows: held?.rows.map((row) => ({ ...row, ...change })),
        })),
      );
    const asked = () => answers.sent.map(({ url }) => url.split('/').at(-1));
    await screen.findByText(/commits.* is not answered here/);
    const before = asked();
    push({ deleting: true, state: 'changing', generation: 8, stored: 'uninstalling' });
    push({ stored: null, storedRevision: null, sentence: 'Uninstalled' });
    expect(await screen.findByText('Uninstalled')).toBeVisible();
    expect(asked()).toEqual(before);
    push({ state: 'failed', sentence: 'The uninstall failed' });
    expect(await screen.findByText('The uninstall failed')).toBeVisible();
    expect(asked().slice(before.length)).toEqual(expect.arrayContaining(['log?kind=helmrelease', 'commits?kind=helmrelease']));
  });
});
