import { describe, expect, it } from 'vitest';
import type { BaseObservation, ObservedBase } from '@/server/chartsync/base/decide-base';
import { decideBase } from '@/server/chartsync/base/decide-base';
import { decideSync } from '@/server/chartsync/sync/decide-sync';
import type { SyncObservation, SyncObstacle } from '@/server/chartsync/sync/sync-observation';

const sentence = 'because of this';

describe('what keeps a release of a later kind', () => {
  it.each<[SyncObstacle, ReturnType<typeof decideSync>]>([
    [{ kind: 'suspended' }, { kind: 'pass-over', tell: undefined }],
    [
      { kind: 'held', lostCommit: undefined },
      { kind: 'pass-over', tell: { outcome: 'held' } },
    ],
    [
      { kind: 'held', lostCommit: 'c1' },
      { kind: 'pass-over', tell: { outcome: 'held', lostCommit: 'c1' } },
    ],
    [{ kind: 'unapproved' }, { kind: 'pass-over', tell: { outcome: 'gated' } }],
    [
      { kind: 'undetermined', error: sentence },
      { kind: 'pass-over', tell: { outcome: 'failed', error: sentence } },
    ],
    [
      { kind: 'ungranted', sentence },
      { kind: 'fail', phase: 'NotGranted', sentence },
    ],
    [
      { kind: 'dependency', sentence },
      { kind: 'wait', phase: 'DependencyNotReady', sentence },
    ],
    [
      { kind: 'chart', sentence },
      { kind: 'fail', phase: 'ChartFetchFailed', sentence },
    ],
    [
      { kind: 'archive', sentence },
      { kind: 'wait', phase: 'ApprovalRequired', sentence },
    ],
    [
      { kind: 'unknown', sentence },
      { kind: 'fail', phase: undefined, sentence },
    ],
    [
      { kind: 'failed', sentence },
      { kind: 'fail', phase: 'Failed', sentence },
    ],
  ])('[issue 11.1] %o leads to one decision', (obstacle, decision) => {
    expect(decideSync({ obstacle } as SyncObservation)).toEqual(decision);
  });
});

describe('a release of the base kind', () => {
  const copy = { revision: 'c2' } as ObservedBase['copy'];
  const deployed = { status: 'deployed', revision: 3 } as ObservedBase['newest'];
  const failed = { status: 'failed', revision: 3 } as ObservedBase['newest'];
  const decided = (seen: Partial<ObservedBase>) => {
    const { kind, ...more } = decideBase({ copy, isApprovalDue: false, ...seen } as BaseObservation);
    return ['rule' in more ? `${kind} ${more.rule}` : kind, 'copy' in more ? more.copy : undefined];
  };

  it.each<[Partial<ObservedBase>, string]>([
    [{ cause: 'resource', newest: undefined }, 'install R-1A-1'],
    [{ cause: 'resource', newest: 'unreadable' }, 'install R-1A-2'],
    [{ cause: 'resource', newest: failed }, 'install R-1A-3'],
    [{ cause: 'resource', newest: failed, isApprovalDue: true }, 'upgrade'],
    [{ cause: 'resource', newest: deployed, isApprovalDue: true }, 'compare'],
    [{ cause: 'commit', newest: 'not asked' }, 'upgrade R-2-2'],
    [{ cause: 'commit', newest: 'unreadable' }, 'upgrade R-2-2'],
    [{ cause: 'commit', newest: undefined }, 'upgrade R-2-2'],
    [{ cause: 'commit', newest: deployed }, 'compare'],
    [{ cause: 'approval', newest: undefined }, 'install'],
    [{ cause: 'approval', newest: failed }, 'upgrade'],
    [{ cause: 'approval', newest: deployed }, 'upgrade'],
  ])('[issue 11.1] seen as %o is decided: %s', (seen, decision) => {
    expect(decided(seen)).toEqual([decision, copy]);
  });

  it('[issue 11.1] that is held, gated or refused is passed over, and that is told', () => {
    const tell = (obstacle: Extract<BaseObservation, { readonly obstacle: unknown }>['obstacle']) =>
      decideBase({ obstacle } as BaseObservation);
    expect(tell({ kind: 'held', lostCommit: 'c1' })).toEqual({ kind: 'pass-over', tell: { outcome: 'held', lostCommit: 'c1' } });
    expect(tell({ kind: 'gated' })).toEqual({ kind: 'pass-over', tell: { outcome: 'gated' } });
    expect(tell({ kind: 'refused', error: sentence })).toEqual({ kind: 'pass-over', tell: { outcome: 'failed', error: sentence } });
  });
});
