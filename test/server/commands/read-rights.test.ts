import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { Act, Session } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import { readRights, refusalReason } from '@/server/commands/read-rights';
import { KubeApiError } from '@/server/kube';
import { ManualClock } from '@/test/support/manual-clock';
import { aRollout, SHOP } from './rig';

const session = { user: 'ada', groups: [], person: { user: 'ada', groups: [] } } as unknown as Session; // nothing else of it is asked

/** As much as rights are read with: what refuses an act, and what reading the rollout comes to. */
function depsOf({ refused, unread }: { readonly refused?: (act: Act) => Error | undefined; readonly unread?: Error } = {}): CommandDeps {
  const authorise = async (_session: Session, act: Act) => {
    const why = refused?.(act);
    if (why !== undefined) throw why;
  };
  const get = async () => {
    if (unread !== undefined) throw unread;
    return aRollout();
  };
  return { auth: { authorise }, cluster: { as: () => ({ get }) }, clock: new ManualClock() } as unknown as CommandDeps;
}
const forbidden = new KubeApiError({ code: 403, reason: 'Forbidden', message: 'may not read it' });
const gone = new KubeApiError({ code: 404, reason: 'NotFound', message: `${KINDS.rolloutOrchestrator.kind} web not found` });

describe('what a person may decide about a rollout', () => {
  it('[issue 10.1] wants the right to change the application of a rollback, and of nothing else', async () => {
    const refused = (kind: Act['kind']) => (act: Act) => (act.kind === kind ? new AppError('forbidden', `no ${kind}`) : undefined);
    const { rollback, ...others } = await readRights(depsOf({ refused: refused('change-application') }), session, SHOP);
    expect(rollback).toBe('no change-application');
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
    const none = await readRights(depsOf({ refused: refused('decide') }), session, SHOP);
    expect(new Set(Object.values(none))).toEqual(new Set(['no decide']));
  });

  it.each([
    { what: 'they may not read it', unread: forbidden },
    { what: 'it is gone', unread: gone },
  ])('[issue 10.1] is told by their rights alone where $what', async ({ unread }) => {
    const rights = await readRights(depsOf({ unread }), session, SHOP);
    expect(new Set(Object.values(rights))).toEqual(new Set([null]));
  });

  it.each([new AppError('unavailable', 'the cluster does not answer'), new TypeError('broken'), { code: 'not-found' }])(
    '[issue 10.1] is not told where reading the rollout fails with %s',
    async (unread) => {
      await expect(readRights(depsOf({ unread: unread as Error }), session, SHOP)).rejects.toBe(unread);
    },
  );

  it.each([new AppError('unavailable', 'no review is answered'), new TypeError('broken'), { code: 'forbidden' }])(
    '[issue 10.1] is not told where asking for a right fails with %s',
    async (failed) => {
      const deps = depsOf({ refused: () => failed as Error });
      await expect(readRights(deps, session, SHOP)).rejects.toBe(failed);
      await expect(refusalReason(deps, session, [{ kind: 'create-somewhere' }])).rejects.toBe(failed);
    },
  );
});
