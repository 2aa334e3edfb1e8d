import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { ReleaseMessage } from '@/lib/words/release-message';
import type { Answers } from '@/server/chartsync/decisions/answers';
import type { SessionComponents } from '@/server/chartsync/session/session-components';
import { readUninstall, Uninstalls } from '@/server/chartsync/undeclared/uninstalls';
import type { Cluster, Store } from '@/server/kube';
import { KubeApiError } from '@/server/kube';
import { systemIds } from '@/server/platform';
import { ManualClock } from '@/test/support/manual-clock';

const DECISION = {
  ...KINDS.releaseDecision,
  metadata: { namespace: 'pay', name: 'by-hand-1', uid: 'd' },
  spec: { releaseRef: { kind: 'Secret', name: 'sh.helm.release.v1.by-hand.v3', uid: 's' }, verb: 'uninstall', actor: { user: 'ann' } },
};

const NOT_THERE = new KubeApiError({ code: 404, reason: 'NotFound', message: 'not found' });

/** Uninstalls of a Helm and a record that may fail, and what was told of them. */
function open({
  uninstall = async () => {},
  record = async () => {},
  store,
  isDefined = true,
}: {
  readonly uninstall?: () => Promise<void>;
  readonly record?: () => Promise<void>;
  /** The copy of a kind that declares releases. */
  readonly store?: Store;
  /** Whether the cluster has a definition of it, served or not. */
  readonly isDefined?: boolean;
}) {
  const told: string[] = [];
  const answers = {
    write: async (object: object, { phase }: { readonly phase: string }) => {
      told.push(phase);
      return { ...object, status: { phase } };
    },
    end: async (_object: object, says: ReleaseMessage) => void told.push(says.id),
  } as unknown as Answers;
  const noted: string[] = [];
  const uninstalls = new Uninstalls({
    answers,
    cluster: { get: (async () => (isDefined ? {} : Promise.reject(NOT_THERE))) as unknown as Cluster['get'] },
    stores: store === undefined ? [] : [store],
    works: { of: () => undefined },
    record: ({ action }) => record().then(() => void noted.push(action)),
    ids: systemIds,
    clock: new ManualClock(),
  });
  const undeclared = {
    ungranted: async () => undefined,
    findNewest: async () => ({ entry: { revision: 3, status: 'deployed' }, uid: 's' }),
    declaredByFlux: async () => undefined,
    missingRollbackRight: async () => undefined,
    account: () => null,
    uninstall,
  };
  const parts = { sync: { alone: (_release: object, task: () => Promise<void>) => task() }, undeclared } as unknown as SessionComponents; // no more of them is asked for
  const decided = readUninstall(DECISION);
  if (decided === undefined) throw new Error('the decision cannot be read');
  return { carryOut: () => uninstalls.carryOut(decided, parts), endInterrupted: () => uninstalls.endInterrupted(DECISION), told, noted };
}

describe('an uninstall of what no resource declares', () => {
  const copy = (state: object) =>
    ({ scope: KINDS.helmRelease, health: () => ({ synced: true, objects: 1, state }), byIndex: () => [] }) as unknown as Store; // no more of it is asked for

  it('[issue 10.2] waits while a copy tells nothing new, since one may declare it by now, and is done by one that is watched', async () => {
    const since = new ManualClock().now() - 5000;
    const lost = open({ store: copy({ kind: 'retrying', reason: 'the watch was cut', since }) });
    await expect(lost.carryOut()).rejects.toThrow(
      /^HelmReleases are known as of .*, so it is not known what is declared now: the watch was cut$/,
    );
    expect(lost.told).toEqual([]);
    const watched = open({ store: copy({ kind: 'watching' }) });
    await watched.carryOut();
    expect(watched.told).toEqual(['Accepted', 'decided.uninstalled']);
  });

  it('[issue 12.1] is not done while a kind that may declare it is defined and not served, and is by one that is not defined any more', async () => {
    const gone = copy({ kind: 'retrying', reason: 'the server serves no such kind', since: 0, isMissing: true });
    const store = { ...gone, health: () => ({ ...gone.health(), synced: false, objects: 0 }) };
    const unserved = open({ store });
    await expect(unserved.carryOut()).rejects.toThrow(
      'HelmReleases are defined, and the cluster serves no version of them, so it is not known what they declare',
    );
    expect(unserved.told).toEqual([]);
    const undefinedKind = open({ store, isDefined: false });
    await undefinedKind.carryOut();
    expect(undefinedKind.told).toEqual(['Accepted', 'decided.uninstalled']);
  });
});

describe('what became of an uninstall', () => {
  it('[issue 12.1] is on record before the decision says that it is over, whether Helm did it or not', async () => {
    const { carryOut, told, noted } = open({});
    await carryOut();
    expect([told, noted]).toEqual([['Accepted', 'decided.uninstalled'], ['release.uninstalled']]);
    const failed = open({ uninstall: () => Promise.reject(new Error('a hook failed')) });
    await failed.carryOut();
    expect([failed.told, failed.noted]).toEqual([['Accepted', 'decided.uninstall-failed'], ['release.failed']]);
  });

  it('[issue 12.1] is told where the record takes nothing, and not as interrupted, which is told of one whose process died', async () => {
    const { carryOut, endInterrupted, told } = open({ record: () => Promise.reject(new Error('the disk is full')) });
    await expect(carryOut()).rejects.toThrow('the disk is full');
    expect(told).toEqual(['Accepted', 'decided.uninstalled']);
    told.length = 0;
    await endInterrupted();
    expect(told).toEqual(['decided.uninstall-interrupted']);
  });
});
