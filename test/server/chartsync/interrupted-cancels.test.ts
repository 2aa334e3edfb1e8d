import { describe, expect, it } from 'vitest';
import { messageOf } from '@/lib/contract/app-error';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toInstant, toIso } from '@/lib/std/instant';
import { ReleaseDecisions } from '@/server/chartsync/decisions/decisions';
import { HelmOperations, inheritedSince } from '@/server/chartsync/describe/helm-operations';
import type { SessionComponents } from '@/server/chartsync/session/session-components';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const at = { namespace: 'pay', name: 'ledger' };
const RESOURCE = { ...KINDS.fluxHelmRelease, metadata: { ...at, uid: 'u' }, spec: { chartGitPath: 'ledger', values: {} } };
const INTERRUPTED = { phase: 'Accepted', message: "interrupted; check Helm's storage" };

interface Given {
  readonly acceptedAt: Instant;
  /** When a Helm began that an earlier process left at work. */
  readonly since?: Instant;
  readonly expiresAt?: Instant;
  readonly hasParts?: boolean;
  readonly verb?: ReleaseVerb;
  /** Why what Helm stored cannot be read. */
  readonly unread?: string;
  readonly clock: ManualClock;
}

/** A look at a cancel that an earlier process accepted, what it ended, and what the decision says then. */
async function lookAtCancel({ acceptedAt, since, expiresAt, hasParts = true, verb = 'cancel', unread, clock }: Given) {
  const works = new HelmOperations(clock);
  if (since !== undefined) works.begin(at, { command: 'upgrade', purpose: 'change', since, isInherited: true });
  const ended: string[] = [];
  let status: Fields = {};
  const parts = {
    inheritedSince: () => inheritedSince(works.of(at)),
    cancel: async (_resource: object, by: string) => {
      ended.push(by);
      return 'upgrade';
    },
    readHistory: async () => {
      if (unread !== undefined) throw new Error(unread);
      return [{ revision: 2, status: 'pending-upgrade' }];
    },
  };
  const decisions = new ReleaseDecisions({
    cluster: {
      update: async (object: KubeObject) => {
        status = object.status as Fields;
        return object;
      },
    },
    stores: [{ scope: KINDS.fluxHelmRelease, get: () => RESOURCE }],
    holds: { answered: () => undefined },
    record: async () => undefined,
    parts: () => (hasParts ? (parts as unknown as SessionComponents) : undefined),
    works,
    clock,
    log: silentLog,
  } as unknown as ConstructorParameters<typeof ReleaseDecisions>[0]); // no more of them is asked for
  const releaseRef = { kind: KINDS.fluxHelmRelease.kind, name: 'ledger', uid: 'u' };
  const object = {
    ...KINDS.releaseDecision,
    metadata: { namespace: 'pay', name: 'left', uid: 'd' },
    spec: { releaseRef, verb, actor: { user: 'ada' }, ...(expiresAt === undefined ? {} : { expiresAt: toIso(expiresAt) }) },
    status: { phase: 'Accepted', at: toIso(acceptedAt) },
  };
  const outcome = await decisions.reconcile('pay/left' as Parameters<ReleaseDecisions['reconcile']>[0], object).catch(messageOf);
  return { outcome, ended, status };
}

describe('a cancel that an earlier process accepted', () => {
  const clock = new ManualClock();
  const ago = (ms: number) => toInstant(clock.now() - ms);

  it('[issue 12.1] ends the Helm that ran then, and none that was begun after it', async () => {
    const meant = await lookAtCancel({ acceptedAt: ago(1000), since: ago(1001), clock });
    expect([meant.ended, meant.status.message]).toEqual([
      ['ada'],
      "helm upgrade was stopped; Helm's storage says pending-upgrade at revision 2",
    ]);
    const unread = await lookAtCancel({ acceptedAt: ago(1000), since: ago(1001), unread: 'too many requests', clock });
    expect(unread.status.message).toBe('helm upgrade was stopped; what Helm stored cannot be read: too many requests');
    const later = await lookAtCancel({ acceptedAt: ago(1000), since: ago(999), clock });
    expect(later.ended).toEqual([]);
    expect(later.status.message).toMatch(/^the server stopped while it cancelled; /);
  });

  it('[issue 12.1] waits for somebody who can carry it out as long as it counts, and what was accepted about a gate for ever', async () => {
    const given = { acceptedAt: ago(1000), hasParts: false, clock };
    const waiting = await lookAtCancel({ ...given, expiresAt: toInstant(clock.now() + 1) });
    expect(waiting).toMatchObject({ outcome: { kind: 'requeueAfter' }, status: {} });
    const over = await lookAtCancel({ ...given, expiresAt: clock.now() });
    expect(over).toMatchObject({ outcome: { kind: 'settled' }, status: INTERRUPTED });
    expect(over.status.finishedAt).toBeDefined();
    const gate = await lookAtCancel({ ...given, verb: 'loosen', expiresAt: clock.now() });
    expect(gate).toMatchObject({ outcome: { kind: 'requeueAfter' }, status: {} });
  });
});
