import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatOutcome, formatReconcile } from '@/lib/words/format-reconcile';
import { outcomeWord } from '@/lib/words/releases/outcome-words';
import type { SyncReport } from '@/server/chartsync/ports';

/** Everything that a look may come to; one that is added is missing here until it is named. */
const OUTCOMES: Readonly<Record<SyncReport['outcome'], true>> = {
  installed: true,
  upgraded: true,
  equal: true,
  unmoved: true,
  'rolled-back': true,
  remediated: true,
  'put-back': true,
  dropped: true,
  'plan-moved': true,
  held: true,
  gated: true,
  waits: true,
  uninstalled: true,
  left: true,
  failed: true,
};

/** Where looks are decided. */
const DECIDED_IN = [
  'server/chartsync/base/act-base.ts',
  'server/chartsync/base/decide-base.ts',
  'server/chartsync/sync/decide-sync.ts',
  'server/chartsync/sync/run-release.ts',
];
const rules = new Set(DECIDED_IN.flatMap((file) => readFileSync(file, 'utf8').match(/'(?:R|X)-[A-Z0-9]+-\d+'/g) ?? []).values());

describe('why a look came to what it came to', () => {
  it('[issue 12.4] names what it came to in words', () => {
    expect(['put-back', 'rolled-back', 'upgraded'].map(formatOutcome)).toEqual(['reverted', 'rolled back', 'upgraded']);
  });

  it.each(Object.keys(OUTCOMES))('[issue 12.4] has a word for what it came to: %s', (outcome) => {
    expect(outcomeWord(outcome)).not.toBe(outcome);
  });

  it.each([...rules].map((quoted) => quoted.slice(1, -1)))(
    '[issue 12.4] is said for rule %s: what was compared, and what that decided',
    (rule) => {
      // What R-1B-4 decides is that nothing is done.
      const outcome = rule === 'R-1B-4' ? 'equal' : 'upgraded';
      expect(formatReconcile({ rule, outcome })).toMatch(/^[a-z].*[a-z]: [a-z]|: nothing to do$/i);
    },
  );

  it('[issue 12.4] is said of what no comparison decided, and tells a dry run from one that was spared', () => {
    expect(rules.size).toBeGreaterThan(12);
    expect(formatReconcile({ rule: null, outcome: 'held' })).toBe('held by a person: not compared');
    expect(formatReconcile({ rule: null, outcome: 'gated' })).toBe('its commits need approval: what is not approved is not released');
    expect(formatReconcile({ rule: 'X-SYNC-5', outcome: 'dropped' })).toBe(
      'the resource changed during the comparison: it is reconciled again',
    );
    expect(formatReconcile({ rule: 'X-SYNC-5', outcome: 'unmoved' })).toBe(
      'nothing changed since the last dry run without a difference: nothing to do',
    );
    expect(formatReconcile({ rule: 'X-SYNC-5', outcome: 'equal' })).toBe(
      'a dry run found no difference from the stored revision: nothing to do',
    );
    expect(formatReconcile({ rule: 'X-SYNC-5', outcome: 'failed' })).toBe(
      'the dry run failed, or the upgrade that it decided, or the test after that',
    );
    expect(formatReconcile({ rule: 'X-RB-2', outcome: 'equal' })).toBe(
      'it was rolled back, and its chart still renders the revision that failed: not retried',
    );
    expect(formatReconcile({ rule: null, outcome: 'uninstalled' })).toBeNull();
  });
});
