import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { CommitGate } from '@/server/chartsync/gate/commit-gate';
import { readDeclared } from '@/server/chartsync/model/declared';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const COMMIT = 'c'.repeat(40);

/** What a look at a held release finds of its commit; `facts` undefined for a mirror that cannot be asked. */
async function lost(told: string | undefined, facts: { readonly isOnBranch: boolean } | undefined) {
  const mirror = {
    revision: async () => {
      if (facts === undefined) throw new Error('no mirror');
      return COMMIT;
    },
    facts: async () => facts,
    isGone: () => false,
  };
  const fakes = {
    gates: { of: () => undefined },
    sources: { mirrorOf: () => mirror },
    releasedAt: async () => COMMIT,
    clock: new ManualClock(),
    log: silentLog,
    branch: 'main',
    chartsPath: 'charts',
  };
  const gate = new CommitGate(fakes as unknown as ConstructorParameters<typeof CommitGate>[0]);
  const resource = readDeclared({
    ...KINDS.helmRelease,
    metadata: { namespace: 'pay', name: 'web', uid: 'uid-web' },
    spec: { chart: { git: 'https://git.example.com/charts.git', ref: 'main', path: 'charts/web' } },
    ...(told === undefined ? {} : { status: { lostCommit: { commit: told } } }),
  });
  return gate.lostWhileHeld(resource, new AbortController().signal);
}

it('[issue 12.3] that its branch lost the commit of a held release stands while nobody can look, and ends where it is found again', async () => {
  expect(await lost(undefined, { isOnBranch: false })).toBe(COMMIT);
  expect(await lost(COMMIT, undefined)).toBe(COMMIT);
  expect(await lost(undefined, undefined)).toBe(undefined);
  expect(await lost(COMMIT, { isOnBranch: true })).toBe(undefined);
});
