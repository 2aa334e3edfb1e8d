import { act, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { liveKey } from '@/components/live/live-query';
import { RolloutScreen } from '@/components/rollouts/rollout-screen';
import type { WindowSnapshot } from '@/lib/contract/live';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { answerFetch, showScreen } from '@/test/support/screen';

const KEPT_UNTIL = '2099-01-01T00:00:00Z';
const RETURN = 'the abort must be at most 0 replicas of web-v4, has 2';

/** The page of the rollout once its abort is under way. */
async function showAborting(over: Partial<RolloutDetail>): Promise<void> {
  const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: ['rollout/shop/web'] });
  const abort = { rejected: 'web-v4', stable: ['web-v3'], reason: 'errors', at: null, isReturned: false, keptUntil: null };
  act(() =>
    queries.setQueryData<WindowSnapshot<RolloutDetail>>(
      liveKey('rollout/shop/web'),
      (window) => window && { ...window, rows: window.rows.map((row) => ({ ...row, activity: 'aborting', abort, ...over })) },
    ),
  );
  await screen.findByText('Aborting');
}

const answers = { 'GET /api/v1/namespaces/shop/rollouts/web/rights': () => Response.json({}) };
const why = () => within(screen.getByRole('region', { name: 'What is happening' }));

describe('what waits for approval', () => {
  it('[issue 10.2] says who requested the change, and that of what GitOps applies it is the service account', async () => {
    using _log = answerFetch(answers);
    const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: ['rollout/shop/web'] });
    expect(await screen.findByText('Requested by tom, who may not approve it.')).toBeInTheDocument();
    const requester = 'system:serviceaccount:flux-system:kustomize-controller';
    act(() =>
      queries.setQueryData<WindowSnapshot<RolloutDetail>>(
        liveKey('rollout/shop/web'),
        (window) => window && { ...window, rows: window.rows.map((row) => ({ ...row, approvals: { ...row.approvals, requester } })) },
      ),
    );
    expect(
      await screen.findByText(/^Requested by service account kustomize-controller in flux-system, which may not approve it/),
    ).toBeInTheDocument();
  });
});

describe('what happens while an abort moves', () => {
  it('[design 9] says what it waits for once, and beneath it only what else there is', async () => {
    using _log = answerFetch(answers);
    const clauses = [
      { text: RETURN, met: false },
      { text: 'no pod of web-v4 is terminating', met: true },
    ];
    await showAborting({ wait: { sentence: RETURN, clauses } });
    expect(why().getAllByText(RETURN)).toHaveLength(1);
    expect(
      why()
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toContain('no pod of web-v4 is terminating (met)');
  });

  it('[issue 9.3] of a rejected revision that is kept says once that it still serves, until when, and how long is left', async () => {
    using _log = answerFetch(answers);
    const sentence = `web-v4 still serves: its pods are kept until ${KEPT_UNTIL}`;
    const abort = { rejected: 'web-v4', stable: ['web-v3'], reason: 'errors', at: null, isReturned: false, keptUntil: KEPT_UNTIL };
    await showAborting({ abort, wait: { sentence, clauses: [{ text: sentence, met: false }] } });
    expect(why().getAllByText(/still serves/)).toHaveLength(1);
    expect(why().getByText(/^left$/)).toHaveTextContent(/^\d+d .*left$/);
  });

  it('[issue 9.3] does not go on promising what the end of the rollout would have deleted', async () => {
    using _log = answerFetch(answers);
    await showAborting({});
    expect(screen.queryByRole('heading', { name: 'At the end' })).toBeNull();
  });
});

describe('a looser policy that waits', () => {
  const sentence = 'a looser policy (control.gates) is waiting for 2 decisions to loosen; until then the stricter one applies';
  const loosening = { fields: [{ field: 'control.gates', inForce: 'every-stage', requested: 'none' }], given: [] };

  async function show(over: Partial<RolloutDetail>): Promise<void> {
    const { queries } = await showScreen(<RolloutScreen ns="shop" name="web" />, { topics: ['rollout/shop/web'] });
    act(() =>
      queries.setQueryData<WindowSnapshot<RolloutDetail>>(
        liveKey('rollout/shop/web'),
        (window) => window && { ...window, rows: window.rows.map((row) => ({ ...row, loosening, ...over })) },
      ),
    );
    await screen.findByRole('table', { name: 'What the policy loosens' });
  }

  it.each(['idle', 'aborted'] as const)('[design 14] at rest (%s) is what the rollout waits for, and is told once', async (activity) => {
    using _log = answerFetch(answers);
    await show({ activity, wait: { sentence, clauses: [{ text: sentence, met: false }] } });
    const panel = within(screen.getByRole('region', { name: 'Why it is waiting' }));
    expect(panel.getByText('Waiting')).toBeVisible();
    expect(panel.getAllByText(/the stricter one applies/)).toHaveLength(1);
    expect(panel.getByRole('row', { name: 'control.gates every-stage none' })).toBeVisible();
  });

  it('[design 14] beside a gate is told beneath what that waits for', async () => {
    using _log = answerFetch(answers);
    await show({ activity: 'waiting' });
    expect(screen.getByRole('region', { name: /^A looser policy waits for 2 people$/ })).toHaveTextContent(
      'Until then the stricter one applies.',
    );
  });
});
