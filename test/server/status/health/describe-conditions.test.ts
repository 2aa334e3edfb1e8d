import { expect, it } from 'vitest';
import { describeConditions } from '@/server/status';

const states = (...conditions: readonly (readonly [type: string, status: string, reason?: string, message?: string])[]) =>
  describeConditions({
    status: { conditions: conditions.map(([type, status, reason, message]) => ({ type, status, reason, message })) },
  }).map(({ type, status, state }) => `${type} ${status}: ${state}`);

it('[issue 9] conditions are told by the polarity of their names: what is not so may be what is wished for', () => {
  expect(states(['Drifted', 'False', 'NoDrift'], ['Drifted', 'True', 'Edited'], ['Stalled', 'False'], ['Stalled', 'True'])).toEqual([
    'Drifted False: good',
    'Drifted True: odd',
    'Stalled False: good',
    'Stalled True: failed',
  ]);
  expect(
    states(
      ['Released', 'True', 'Succeeded'],
      ['Released', 'False', 'HelmUpgradeFailed'],
      ['Ready', 'True'],
      ['Ready', 'False', 'RollingOut'],
    ),
  ).toEqual(['Released True: good', 'Released False: failed', 'Ready True: good', 'Ready False: under-way']);
  expect(
    states(['Ready', 'False', 'Refused', 'the cluster refused Service web: it is invalid'], ['Ready', 'Unknown'], ['Reconciling', 'True']),
  ).toEqual(['Ready False: failed', 'Ready Unknown: odd', 'Reconciling True: under-way']);
  expect(states(['Progressing', 'False', 'ProgressDeadlineExceeded'], ['Canary', 'False'])).toEqual([
    'Progressing False: failed',
    'Canary False: none',
  ]);
});

it('[issue 9] conditions are told with each part filled in, and what is none is left out', () => {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }, { type: 'Ready' }, 7];
  expect(describeConditions({ status: { conditions } })).toEqual([
    { type: 'Ready', status: 'True', reason: '', message: '', at: '2026-01-01T00:00:00Z', state: 'good' },
  ]);
  expect(describeConditions({})).toEqual([]);
});
