import { describe, expect, it } from 'vitest';
import { AppError, messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { readString } from '@/lib/kube/fields';
import { HELM_FINALIZER, KINDS } from '@/lib/kube/kinds';
import type { Instant } from '@/lib/std/instant';
import { formatTerminating } from '@/lib/words/format-terminating';
import type { ExtendedDeletionDeps } from '@/server/chartsync/deletion/extended-deletion';
import { ExtendedDeletion } from '@/server/chartsync/deletion/extended-deletion';
import { NAMESPACE_DELETION_GRACE_MS } from '@/server/chartsync/deletion/finalizer-release';
import { UninstallFinalizer } from '@/server/chartsync/deletion/uninstall-finalizer';
import { releaseOwnerOf } from '@/server/chartsync/loops/claims';
import { KeyedMutex } from '@/server/chartsync/loops/keyed-mutex';
import type { ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { SyncReport } from '@/server/chartsync/ports';
import { ExtendedReleases } from '@/server/chartsync/sync/extended-releases';
import { isSlowRetry } from '@/server/framework/reconciler';
import { createRandom } from '@/server/platform';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const SPEC = { chart: { git: 'https://git.example/charts', path: 'ledger' } };

const anObject = (
  metadata: object = {},
  spec: object = SPEC,
  type: { readonly apiVersion: string; readonly kind: string } = KINDS.helmRelease,
) => ({
  ...type,
  metadata: {
    namespace: 'pay',
    name: 'ledger',
    uid: 'u',
    generation: 2,
    deletionTimestamp: '2026-01-01T09:00:00Z',
    finalizers: [HELM_FINALIZER],
    ...metadata,
  },
  spec,
});

interface Given {
  readonly spec?: object;
  /** What Helm answers an uninstall with. */
  readonly fails?: boolean;
  readonly ungranted?: boolean;
  readonly mark?: string;
  /** When its namespace was deleted. */
  readonly deletedAt?: Instant;
  readonly isStopped?: boolean;
}

/** One look at a deleted resource, and what came of it. */
async function finalized(
  { spec = SPEC, fails = false, ungranted = false, isStopped = false, mark, deletedAt }: Given,
  clock = new ManualClock(),
) {
  const resource = readDeclared(anObject({}, spec)) as ExtendedRelease;
  const ran: string[] = [];
  const told: Partial<SyncReport>[] = [];
  let status: Fields = {};
  const deps = {
    resources: {
      isStopped: () => isStopped,
      read: async () => resource,
      writeStatus: async (_: unknown, changes: Fields) => {
        status = { ...status, ...changes };
      },
      recordEvent: async () => undefined,
      removeFinalizer: async () => void ran.push('let go'),
    },
    helm: {
      readHistory: async () => [{ revision: 1, status: 'pending-upgrade' }],
      uninstall: async (_: unknown, { hooks }: { readonly hooks: boolean }) => {
        ran.push(hooks ? 'uninstall' : 'uninstall without hooks');
        if (fails) throw new AppError('rejected', 'a hook failed');
      },
    },
    objects: { readMark: async () => mark },
    refusalOf: async () => undefined,
    grants: { why: async () => (ungranted ? 'nobody granted pay' : undefined), forget: () => undefined },
    gate: { forget: () => undefined },
    charts: { forget: async () => undefined },
    exclusion: new KeyedMutex(),
    namespaceDeletedAt: (namespace: string) => (namespace === 'pay' ? deletedAt : undefined),
    clock,
    log: silentLog,
    notify: (one: SyncReport) => void told.push(one),
  } as unknown as ExtendedDeletionDeps;
  const result = await new ExtendedDeletion(deps).finalize(resource).catch(messageOf);
  return { result, ran, told: told.map(({ outcome, error }) => [outcome, error]), status };
}

describe('a deleted resource that its finalizer holds', () => {
  it('[issue 12.1] goes once its release is uninstalled, in whatever state that is; one of another resource is left', async () => {
    expect(await finalized({})).toMatchObject({ result: 'over', ran: ['uninstall', 'let go'], told: [['uninstalled', undefined]] });
    expect(await finalized({ mark: 'pay:helmrelease/other' })).toMatchObject({
      result: 'over',
      ran: ['let go'],
      told: [['left', "release appears to be managed by 'pay:helmrelease/other'"]],
    });
  });

  it('[issue 12.3] waits while its definition drops what must be remembered of it', async () => {
    expect(await finalized({ isStopped: true })).toMatchObject({ result: 'again', ran: [] });
  });

  it('[issue 12.1] is neither looked at nor released by anything that comes after', async () => {
    const asked: string[] = [];
    const resource = readDeclared(anObject()) as ExtendedRelease;
    const deps = {
      exclusion: new KeyedMutex(),
      resources: { isStopped: () => false, read: async () => resource },
      isHeld: () => {
        asked.push('held');
        return true;
      },
      notify: () => undefined,
      charts: { exports: { holding: (task: (holding: object) => unknown) => task({}) } },
    } as unknown as ExtendedDeletionDeps;
    await new ExtendedReleases(deps).sync(resource, 'schedule', new AbortController().signal);
    expect(asked).toEqual([]);
  });

  it('[issue 12.1] stays where the uninstall failed or nobody granted it, with the reason and the way out in its status', async () => {
    for (const [given, why, ran] of [
      [{ fails: true }, 'a hook failed', ['uninstall']],
      [{ ungranted: true }, 'nobody granted pay', []],
    ] as const) {
      const seen = await finalized(given);
      expect(seen).toMatchObject({ result: why, ran, told: [['failed', why]] });
      expect(readString(seen.status, 'phase')).toBe('UninstallFailed');
      expect(formatTerminating([HELM_FINALIZER])).toBe(
        `it is being deleted, held until Helm has uninstalled its release (${HELM_FINALIZER})`,
      );
      expect(JSON.stringify(seen.status)).toContain(
        `${why}; to delete the resource and leave its release as it is, remove finalizer ${HELM_FINALIZER}`,
      );
    }
  });

  it('[issue 12.1] keeps no namespace that is deleted waiting for longer than a minute, and not at all for rights that are gone', async () => {
    const clock = new ManualClock();
    const deletedAt = clock.now();
    expect(await finalized({ deletedAt }, clock)).toMatchObject({ result: 'over', ran: ['uninstall without hooks', 'let go'] });
    expect(await finalized({ deletedAt, fails: true }, clock)).toMatchObject({ result: 'a hook failed' });
    const ungranted = await finalized({ deletedAt, ungranted: true }, clock);
    expect(ungranted).toMatchObject({ result: 'over', ran: ['let go'] });
    expect(ungranted.told).toEqual([
      [
        'left',
        'namespace pay is being deleted, and release pay-ledger could not be uninstalled: nobody granted pay; its objects outside the namespace stay',
      ],
    ]);
    await clock.advance(NAMESPACE_DELETION_GRACE_MS);
    const late = await finalized({ deletedAt, fails: true, spec: { ...SPEC, targetNamespace: 'shop' } }, clock);
    // The namespace of its objects stays, and so do its hooks.
    expect(late).toMatchObject({ result: 'over', ran: ['uninstall', 'let go'] });
    expect(late.told[0]?.[1]).toMatch(/a hook failed; its objects in namespace shop and its stored revisions stay$/);
  });
});

describe('of those that declare one release', () => {
  it('[issue 12.1] one that is deleted leaves it to any that stays; of those that all go the first has it', () => {
    const [first, second] = ['first', 'second'].map((name, place) => ({
      name,
      uid: name,
      creationTimestamp: `2026-01-0${place + 1}T09:00:00Z`,
    }));
    const declared = (metadata: object, more: object = {}) =>
      readDeclared(anObject({ ...metadata, ...more }, { ...SPEC, releaseName: 'ledger' })) as ExtendedRelease;
    const [going, stays] = [declared(first ?? {}), declared(second ?? {}, { deletionTimestamp: undefined })];
    expect(releaseOwnerOf(going, [going, stays])).toBe(stays);
    expect(releaseOwnerOf(stays, [going, stays])).toBe(going);
    const goesToo = declared(second ?? {});
    expect([releaseOwnerOf(going, [going, goesToo]), releaseOwnerOf(goesToo, [going, goesToo])]).toEqual([undefined, undefined]);
  });
});

describe('the deleted resources that wait', () => {
  const endings = (clock: ManualClock, patched: object[] = [], deletedAt?: Instant) =>
    new UninstallFinalizer({
      cluster: {
        get: async () => anObject({ resourceVersion: '7' }),
        patch: async (_: unknown, patch: { readonly body: object }) => void patched.push(patch.body),
      } as never,
      clock,
      random: createRandom(1),
      log: silentLog,
      namespaceDeletedAt: () => deletedAt,
    });
  const lacks = { kind: 'lacks', why: 'no Helm was found', remedy: 'npm run helm' } as const;
  const declared = readDeclared(anObject()) as ExtendedRelease;

  it('[issue 12.1] say why while Helm is missing, once, and go with a namespace that is deleted a minute later', async () => {
    const clock = new ManualClock();
    const patched: object[] = [];
    await endings(clock, patched).look(declared, lacks);
    const says = `no Helm was found; run npm run helm; to delete the resource and leave its release as it is, remove finalizer ${HELM_FINALIZER}`;
    expect(patched).toEqual([{ status: expect.objectContaining({ conditions: [expect.objectContaining({ message: says })] }) }]);
    const [{ status }] = patched as [{ readonly status: object }];
    await endings(clock, patched).look(readDeclared({ ...anObject(), status }) as ExtendedRelease, lacks);
    expect(patched).toHaveLength(1);

    const deletedAt = clock.now();
    await clock.advance(NAMESPACE_DELETION_GRACE_MS);
    expect(await endings(clock, patched, deletedAt).look(declared, lacks)).toEqual({ kind: 'settled' });
    expect(patched[1]).toEqual([
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'replace', path: '/metadata/finalizers', value: [] },
    ]);
  });

  it("[issue 12.1] are the queue's to try again where the uninstall failed, and soon where the namespace goes or it was not their turn", async () => {
    const clock = new ManualClock();
    const running = (finalize: () => Promise<string>) => ({ kind: 'running', session: { sync: { finalize } } }) as never;
    const fails = running(async () => Promise.reject(new AppError('rejected', 'a hook failed')));
    const failed: unknown = await endings(clock)
      .look(declared, fails)
      .catch((error: unknown) => error);
    expect([messageOf(failed), isSlowRetry(failed)]).toEqual(['could not uninstall the release: a hook failed', true]);
    const soon = { kind: 'requeueAfter', ms: 2000 };
    expect(await endings(clock, [], clock.now()).look(declared, fails)).toEqual(soon);
    expect(
      await endings(clock).look(
        declared,
        running(async () => 'again'),
      ),
    ).toEqual(soon);
    expect(
      await endings(clock).look(
        declared,
        running(async () => 'over'),
      ),
    ).toEqual({ kind: 'settled' });
  });

  it('[issue 12.1] leave their release where somebody took the finalizer away; one that never had it is uninstalled', () => {
    const waiting = endings(new ManualClock());
    const held = anObject();
    const freed = anObject({ finalizers: [] });
    expect(waiting.hear({ before: held, after: freed })).toBeUndefined();
    expect(waiting.hear({ before: freed, after: undefined })).toBe('settled');
    expect(waiting.hear({ before: held, after: undefined })).toBe('settled');
    expect(waiting.hear({ before: freed, after: undefined })).toBeUndefined();
    // Of the base kind the finalizer means nothing (R-DEL).
    expect(waiting.hear({ before: anObject({}, { chartGitPath: 'ledger' }, KINDS.fluxHelmRelease), after: undefined })).toBeUndefined();
  });
});
