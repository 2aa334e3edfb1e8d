import { describe, expect, it } from 'vitest';
import { REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ActContext } from '@/server/application/act/context';
import type { RunPlan } from '@/server/application/decide/model';
import { findObstacle } from '@/server/application/observe/find-obstacle';
import type { Observation } from '@/server/application/observe/observe';
import { withPreviewedPlan } from '@/server/application/plan/previewed-plan';
import type { ServerAction } from '@/server/kube';
import { createFakeCluster } from '../auth/fake-cluster';
import { configMap, entry, holding, revisionOf, seenAfter } from './seen';
import { NOW, planned, tracker } from './staged-shop';

interface World {
  readonly isPermitted?: boolean;
  readonly ungranted?: string;
  readonly covers?: string;
  readonly unknown?: object;
  readonly live?: readonly KubeObject[];
  /** What is there of every object. */
  readonly there?: KubeObject;
}
const wanted = holding([configMap('a', { a: '1' })], {}, { annotations: { [REQUESTED_BY.user]: 'ada' } });

/** One look for what is in the way, in a world where nothing is but what is given; answers what was asked on the way as well. */
async function look(
  world: World,
  object: KubeObject = wanted,
  more: Partial<Observation> = {},
  change: (plan: RunPlan) => RunPlan = (plan) => plan,
) {
  const { isPermitted = true, ungranted, covers = 'held', unknown, live = [object], there } = world;
  const asked: string[] = [];
  const needed: string[] = [];
  const context = {
    deps: {
      cluster: createFakeCluster({ objects: live }),
      clock: {
        now: () => NOW,
        sleep: async () => undefined,
      },
    },
    permission: {
      unattributed: 'none',
      ownUser: async () => 'slipway',
      review: async () => {
        asked.push('right');
        return isPermitted;
      },
    },
    grants: {
      explain: async (_key: string, actions: () => readonly ServerAction[]) => {
        asked.push(`grant of ${actions().length}`);
        return ungranted;
      },
    },
    stores: {
      deployments: {
        covers: (namespace: string) => {
          asked.push(`workloads of ${namespace}`);
          return { kind: covers };
        },
      },
    },
    objects: {
      ensure: async (types: readonly { readonly kind: string }[], key: string) => {
        asked.push('kinds');
        needed.push(key, ...types.map(({ kind }) => kind));
        return unknown;
      },
      read: () => undefined,
      live: () => (there === undefined ? { kind: 'absent' } : { kind: 'present', object: there }),
    },
    signal: new AbortController().signal,
  } as unknown as ActContext; // looking for obstacles needs no more of what an act has
  const seen = seenAfter(more.revisions ?? [], object, more);
  const found = await findObstacle(context, change(planned(seen)), seen);
  return { found, asked, needed };
}

describe('what is in the way of a plan', () => {
  it('[issue 10.1] is first that whoever asked may not do it, before anything else is looked at', async () => {
    const { found, asked, needed } = await look({ isPermitted: false, ungranted: 'grant it', unknown: { againMs: 1 } });
    expect(found).toMatchObject({ kind: 'unpermitted', why: expect.stringContaining('ada') });
    expect([new Set(asked), needed]).toEqual([new Set(['right']), []]);
  });

  it('[issue 10.1] is that whoever asked may not delete what goes, also where nothing is written', async () => {
    const before = holding([configMap('a', { a: '1' }), configMap('b')], {}, wanted.metadata);
    const seen = {
      revisions: [revisionOf(before)],
      trackers: [tracker('web-v1-shop', { entries: [entry('ConfigMap', 'a'), entry('ConfigMap', 'b')] })],
    };
    const { found, asked } = await look({ isPermitted: false }, wanted, seen);
    expect([found.kind, new Set(asked)]).toEqual(['unpermitted', new Set(['right'])]);
    expect(found).toMatchObject({ why: expect.stringContaining('ada may not delete ConfigMap b in shop') });
    expect((await look({}, wanted, seen)).found.kind).toBe('clear');
  });

  it('[issue 10.1] is then that the server may not, and no kind is watched for that', async () => {
    const { found, asked, needed } = await look({ ungranted: 'grant it', covers: 'later' });
    expect([found, asked.at(-1), needed]).toEqual([{ kind: 'ungranted', why: 'grant it' }, 'grant of 2', []]);
  });

  it('[dispatch 13] are then copies that are not there: of workloads, of what is written and of what goes', async () => {
    expect((await look({ covers: 'later' })).found).toEqual({ kind: 'unread', againMs: 1000, why: undefined });
    const olds = [tracker('web-v0-shop', { entries: [entry('Secret', 'old')] })];
    const { found, needed, asked } = await look({ unknown: { againMs: 7, why: 'not listed' } }, wanted, {}, (plan) => ({ ...plan, olds }));
    expect([found, needed]).toEqual([{ kind: 'unread', againMs: 7, why: 'not listed' }, ['shop/web', 'ConfigMap', 'Secret']]);
    expect(asked).toContain('workloads of shop');
  });

  it('[dispatch R1] is then that the copies are behind, before a revision is made', async () => {
    const late = { kind: 'unread', againMs: 1000, why: 'the application changed while it was being reconciled; reconciling it again' };
    expect((await look({ live: [] })).found).toEqual(late);
    expect((await look({ live: [] }, wanted, { revisions: [revisionOf(wanted)] })).found.kind).toBe('clear');
    expect((await look({ unknown: { againMs: 7, why: 'x' } }, wanted, { revisions: [revisionOf(wanted)] })).found).toMatchObject({
      againMs: 7,
    });
  });

  it('[design 8] is then a value that is nowhere', async () => {
    const reference = { valueFrom: { secretKeyRef: { name: 'web-values-1', key: 'k' } } };
    const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'shop' }, data: { k: reference } };
    const { found } = await look({}, wanted, {}, (plan) => ({ ...plan, rendered: { ...plan.rendered, manifests: [manifest] } }));
    expect(found).toMatchObject({
      kind: 'valuesMissing',
      why: expect.stringContaining('is stored in Secret web-values-1 in shop, which does not exist'),
    });
  });

  it('[design 11] is last that it is not what was previewed', async () => {
    const seen = withPreviewedPlan(wanted, { digest: 'sha256:other', act: 'x' }, { user: 'ada', groups: [] });
    expect((await look({}, seen)).found.kind).toBe('planMoved');
  });

  it('[design 11] is last that the preview itself said that something is refused', async () => {
    const foreign = configMap('a', {}, { namespace: 'shop', uid: 'u' });
    const seen = (digest: string) => withPreviewedPlan(wanted, { digest, act: 'x' }, { user: 'ada', groups: [] });
    const { found } = await look({ there: foreign }, seen('sha256:other'));
    const now = found.kind === 'planMoved' ? (found.digests?.now ?? '') : '';
    expect((await look({ there: foreign }, seen(now))).found.kind).toBe('planBlocked');
  });

  it('[dispatch 13] is nothing otherwise', async () => {
    const { found } = await look({});
    expect(found).toMatchObject({ kind: 'clear', agreement: { kind: 'unseen' }, plan: { revision: { name: 'web-v1' } } });
  });
});
