import { describe, expect, it } from 'vitest';
import { refusalWhileAway, refusalWhileStale, stalenessOf } from '@/components/live/staleness';
import type { Freshness } from '@/lib/contract/live';
import type { StatusRow } from '@/lib/contract/system-rows';

const fresh: Freshness = { observedAt: '2026-11-20T09:00:00.000Z', source: 'watch', stale: null };
const stale: Freshness = { ...fresh, stale: { since: '2026-11-20T08:59:00.000Z', reason: 'The watch on Pod was lost.' } };
const status = (trouble: StatusRow['trouble']): StatusRow => ({
  key: 'status',
  cluster: { kind: 'embedded', name: 'embedded', version: null, id: null },
  reachable: trouble === null,
  trouble,
  counts: { waits: 0, failing: 0, moving: 0, applications: 0 },
  waiting: '',
  namespaces: [],
  engines: {},
  record: null,
});
const trouble = { since: '2026-11-20T08:58:00.000Z', sentence: 'The API server does not answer.' };

describe('how old what is shown may be', () => {
  it.each([
    ['fresh and connected', fresh, null, { kind: 'live' }, null],
    ['catching up is not stale', fresh, null, { kind: 'catching-up', since: 0 }, null],
    ['its own watch is lost', stale, null, { kind: 'live' }, 'The watch on Pod was lost.'],
    ['the cluster is in trouble', fresh, trouble, { kind: 'live' }, 'The API server does not answer.'],
    [
      'this page is cut off, which comes before all else',
      stale,
      trouble,
      { kind: 'offline', since: 0, reason: 'The connection to the server was lost.' },
      'The connection to the server was lost.',
    ],
    ['the session ended', fresh, null, { kind: 'ended', reason: 'You were signed out.' }, 'You were signed out.'],
  ] as const)('[design 7] %s', (_title, freshness, troubled, connection, reason) => {
    expect(stalenessOf(freshness, status(troubled), connection)?.reason ?? null).toBe(reason);
  });

  it.each([
    ['a watch that only this page needs', stale, null, { kind: 'live' }, false],
    [
      'the trouble of the whole cluster',
      { ...fresh, stale: { since: trouble.since, reason: trouble.sentence } },
      trouble,
      { kind: 'live' },
      true,
    ],
    ['a page that is cut off', stale, null, { kind: 'offline', since: 0, reason: 'The connection to the server was lost.' }, true],
  ] as const)('[design 9] the reason is said once, by the banner or by the page: %s', (_title, freshness, troubled, connection, above) => {
    expect(stalenessOf(freshness, status(troubled), connection)?.isShownAbove).toBe(above);
  });

  it.each([
    [
      'nobody answers',
      trouble,
      { kind: 'offline', since: 0, reason: 'The server does not answer.' },
      'Actions are blocked: The server does not answer.',
    ],
    ['the session ended', null, { kind: 'ended', reason: 'You were signed out.' }, 'Actions are blocked: You were signed out.'],
    ['only the socket fails', null, { kind: 'offline', since: 0, reason: 'The server answers.', answers: true }, null],
    ['the cluster is in trouble', trouble, { kind: 'live' }, null],
    ['it is live', null, { kind: 'live' }, null],
  ] as const)('[issue 14.3] stops nothing that stops something, unless nobody answers: %s', (_title, troubled, connection, refusal) => {
    expect(refusalWhileAway(stalenessOf(stale, status(troubled), connection))).toBe(refusal);
  });

  it('[design 7] refuses decisions with the reason while it is stale', () => {
    expect(refusalWhileStale(null)).toBeNull();
    expect(refusalWhileStale({ since: '', reason: 'The watch on Pod was lost.' })).toContain('The watch on Pod was lost.');
  });
});
