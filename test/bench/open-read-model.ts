import { toIso } from '@/lib/std/instant';
import { ReconcileHistory } from '@/server/chartsync';
import type { Informers } from '@/server/kube';
import { realClock } from '@/server/platform';
import type { OpenReadModel } from '@/server/readmodel';
import { createReadModel } from '@/server/readmodel';
import { liveStatusOf } from '../support/live-status';
import { silentLog } from '../support/silent-log';

/** A read model over informers, without history and with nobody who acts. */
export function openReadModel(informers: Informers, status = liveStatusOf(informers, realClock)): OpenReadModel {
  return createReadModel({
    bootId: 'bench',
    informers,
    discovery: { resolveKind: async () => Promise.reject(new Error('nobody serves it')) },
    ownUser: async () => undefined,
    clock: realClock,
    log: silentLog,
    status,
    loops: new ReconcileHistory(realClock),
    reachability: () => ({ reachable: true, since: undefined, reason: '' }),
    samples: Promise.resolve({ readRecent: async () => [], append: async () => undefined }),
    record: Promise.resolve([]),
    readEntries: async () => [],
    facts: {
      cluster: { kind: 'remote', name: 'bench', version: null },
      engines: () => ({}),
      dropped: () => null,
      findings: () => [],
      startedAt: toIso(realClock.now()),
      leader: () => true,
      controllers: () => [],
    },
  });
}
