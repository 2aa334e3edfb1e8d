import { expect, it } from 'vitest';
import type { KeptGate } from '@/lib/contract/release-gate';
import { KINDS } from '@/lib/kube/kinds';
import { CommitGate } from '@/server/chartsync/gate/commit-gate';
import { readDeclared } from '@/server/chartsync/model/declared';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const RESOURCE = readDeclared({
  ...KINDS.helmRelease,
  metadata: { namespace: 'pay', name: 'web', uid: 'uid-web' },
  spec: { chart: { git: 'https://git.example.com/charts.git', ref: 'main', path: 'charts/web' } },
});
const COMMIT = 'c'.repeat(40);
const MOVED = [{ name: 'cache', version: '1.1.0', repository: 'https://charts.example.com', digest: 'sha256:bb' }];
const WAITING = { commit: COMMIT, chart: 'tree+moved', subject: 'cache', author: 'ada', at: '2026-01-01T00:00:00.000Z' };

it('[issue 12.1] what a session finds of a commit while it ends changes nothing that the next one found', async () => {
  const approved = { commit: COMMIT, chart: 'tree', at: '2026-01-01T00:00:00.000Z', by: ['ada'], dependencies: [] };
  let gate = { required: 1, groups: [], approved, waiting: WAITING, lost: null } as unknown as KeptGate;
  const look = async (dependenciesOf: (ending: AbortController) => Promise<typeof MOVED>) => {
    const ending = new AbortController();
    const facts = { isOnBranch: true, chart: 'tree', last: { commit: COMMIT, subject: 'cache', author: 'ada', at: WAITING.at } };
    const mirror = {
      revision: async () => COMMIT,
      facts: async () => facts,
      kept: async () => COMMIT,
      keep: async () => undefined,
      isGone: () => false,
    };
    const change = async (_of: unknown, next: (held: KeptGate) => KeptGate) => {
      gate = next(gate);
      return gate;
    };
    const fakes = {
      gates: { enter: async () => gate, of: () => gate, change },
      sources: { mirrorOf: () => mirror },
      dependenciesOf: () => dependenciesOf(ending),
      releasedAt: async () => COMMIT,
      clock: new ManualClock(),
      log: silentLog,
      branch: 'main',
      chartsPath: 'charts',
    };
    const looking = new CommitGate(fakes as unknown as ConstructorParameters<typeof CommitGate>[0]);
    await looking.commitFor(RESOURCE, ending.signal).catch(() => undefined);
  };
  await look(async () => MOVED);
  const found = gate;
  expect(found.waiting).toMatchObject({ commit: COMMIT, dependencies: MOVED });
  for (const end of [() => Promise.reject(new Error('the session ends')), async () => []]) {
    await look(async (ending) => {
      ending.abort(new Error('the session ends'));
      return end();
    });
    expect(gate).toEqual(found);
  }
});
