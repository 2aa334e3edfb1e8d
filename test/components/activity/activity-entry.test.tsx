import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { ActivityEntryDialog } from '@/components/activity/activity-entry';
import { activityRows } from '@/test/support/fixture/system';
import { backFrom } from '@/test/support/fixture/times';
import { answerFetch, SCREEN_NOW, showScreen } from '@/test/support/screen';

const [row] = activityRows(backFrom(SCREEN_NOW));
const DIGEST = `sha256:${'ab12'.repeat(16)}`;

async function showEntry(action: string, noted: Readonly<Record<string, unknown>>, about: Readonly<Record<string, unknown>> = {}) {
  const entry = { ...row, action, actor: 'mara', seq: 7, data: { decision: 'd-1', ...noted }, shown: null, ...about };
  const log = answerFetch({ 'GET /api/v1/activity/entry': () => Response.json(entry) });
  await showScreen(<ActivityEntryDialog id="7" onClose={() => undefined} />);
  const seen = await screen.findByRole('region', { name: /^What mara saw/ });
  return {
    log,
    seen,
    facts: within(seen)
      .queryAllByRole('listitem')
      .map(({ textContent }) => textContent),
  };
}

describe('an entry of the record tells in words what the person saw before they acted', () => {
  it('[issue 14.3] about a rollout at its last gate', async () => {
    const { log, seen, facts } = await showEntry('decision.approve', {
      revision: 'checkout-v2',
      stage: 3,
      reason: 'error rate is flat',
      seen: { rollout: DIGEST, garbage: DIGEST },
      garbage: { count: 7, objects: ['PersistentVolumeClaim/shop/data'] },
    });
    using _log = log;
    expect(facts).toEqual([
      'The rollout to checkout-v2 after stage 3, with its phase, attempt and policy (digest ab12ab12ab12).',
      'The list of 7 objects to delete (digest ab12ab12ab12). Accepted by name: PersistentVolumeClaim/shop/data.',
    ]);
    expect(seen).toHaveTextContent('Slipway compared this again before it was carried out.');
    expect(screen.getByText('error rate is flat')).toBeInTheDocument();
  });

  it('[issue 14.3] about a rollout, with what its page said that the decision does', async () => {
    const consequences = ['Stage 3 starts: web-v4 goes from 4 to 6 replicas.'];
    const shown = { by: 'mara', at: '2026-01-01T09:00:00Z', consequences, preview: null };
    const { log, facts } = await showEntry('decision.advance', { revision: 'web-v4', stage: 2, seen: { rollout: DIGEST } }, { shown });
    using _log = log;
    expect(facts).toEqual([
      ...consequences,
      'The rollout to web-v4 after stage 2, with its phase, attempt and policy (digest ab12ab12ab12).',
    ]);
  });

  it('[issue 14.3] about an edited release, with the plan as its editor showed it', async () => {
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      ns: 'pay',
      name: 'ledger',
      change: 'changed',
      diff: [{ sign: '+', text: 'replicas: 3' }],
    };
    const parts = { chart: 'c', values: 'v', stored: 's', helm: 'h', account: 'a', objects: 'o' };
    const content = { values: [], valuesDiffer: false, hidesValues: false, notes: null, nondeterministic: [], left: [], parts };
    const release = { ...content, plan: DIGEST, from: 4, revision: 'ab'.repeat(20), objects: [object] };
    const shown = { by: 'mara', at: '2026-01-01T09:00:00Z', consequences: [], preview: null, release };
    const about = { kind: 'HelmRelease', data: { plan: DIGEST }, shown };
    const { log, seen } = await showEntry('release.edit', {}, about);
    using _log = log;
    expect(seen).toHaveTextContent(/Compared with stored revision 4/);
    expect(within(seen).getByRole('list', { name: 'What happens to objects' })).toHaveTextContent('1 Changed');
    expect(seen).toHaveTextContent('Deployment');
  });

  it('[issue 14.3] about a rollback whose preview is kept no more', async () => {
    const { log, facts } = await showEntry('decision.rollback', {
      revision: 'checkout-v1',
      seen: { rollout: DIGEST, plan: DIGEST, application: { uid: 'u', generation: 4 } },
    });
    using _log = log;
    expect(facts).toEqual([
      'The rollout before it was rolled back to checkout-v1, with its phase, attempt and policy (digest ab12ab12ab12).',
      'A preview that is no longer kept (digest ab12ab12ab12).',
      'The application at generation 4.',
    ]);
  });

  it.each([
    [{ revision: 2, seen: { stored: 3 } }, ['Revision 3, the newest that Helm had stored.']],
    [{ seen: { hold: 'notifier-x7' } }, ['The hold by decision notifier-x7.']],
    [{ commit: 'f'.repeat(40), seen: { chart: 'c0ffee'.repeat(6) } }, ['The chart with content c0ffeec0ffee.']],
    [{ digest: 'f'.repeat(64), seen: { chart: '1.2.3' } }, ['Version 1.2.3 of the chart.']],
    [
      { seen: { gate: '[2,[["leads"],["sre","ops"]]] [1,[]] 2026-01-01T00:00:00Z' } },
      ['The gate in force, 2 approvals by members of leads who are also in sre or ops, beside the looser one, 1 approval.'],
    ],
    [{ seen: { gate: 'unreadable' } }, ['The gate in force beside the looser one: unreadable.']],
  ])('[issue 14.3] about a release: %j', async (noted, told) => {
    const { log, facts } = await showEntry('decision.any', noted, { kind: 'HelmRelease', ns: 'ops', name: 'notifier' });
    using _log = log;
    expect(facts).toEqual(told);
    const link = screen.getByRole('link', { name: 'notifier' });
    expect(link).toHaveAttribute('href', '/releases/ops/helmrelease/notifier');
    // It stands between other words, from which its colour alone does not tell it.
    expect(link).toHaveClass('underline');
  });

  it('[issue 12.4] about a release of flux.weave.works leads to the page of that, not to one of its name', async () => {
    const { log } = await showEntry('decision.sync', {}, { kind: 'HelmRelease.flux.weave.works', ns: 'ops', name: 'notifier' });
    using _log = log;
    expect(screen.getByRole('link', { name: 'notifier' })).toHaveAttribute('href', '/releases/ops/helmrelease-v1beta1/notifier');
  });

  it('[issue 14.3] about what an act on an object does', async () => {
    const consequences = ['All pods of web-1 are replaced, one after another.'];
    const { log, facts } = await showEntry('object.restart', { uid: 'u', consequences });
    using _log = log;
    expect(facts).toEqual(consequences);
  });

  it('[issue 14.3] and says so where the decision names nothing', async () => {
    const { log, seen, facts } = await showEntry('decision.pause', { revision: 'checkout-v2' });
    using _log = log;
    expect(facts).toEqual([]);
    expect(seen).toHaveTextContent('The decision does not name what was seen.');
  });
});
