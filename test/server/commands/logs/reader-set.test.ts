import { describe, expect, it } from 'vitest';
import { Channel } from '@/lib/std/channel';
import type { OwnedPod } from '@/server/commands/logs/pod-source';
import type { ReaderSet } from '@/server/commands/logs/reader-set';
import { aPod, owned, readPodsOf } from './played-logs';

const textsOf = (set: ReaderSet) =>
  [...set.feeds()].flatMap((feed) => {
    const lines: string[] = [];
    for (let line = feed.take(); line !== undefined; line = feed.take()) lines.push(`${line.from} ${line.text}`);
    return lines;
  });
const podsOfAsked = (asked: readonly { readonly pod: string }[]) => asked.map(({ pod }) => pod.split('/')[6]);
const ready = (pod: ReturnType<typeof aPod>) => ({
  ...pod,
  status: { ...(pod.status as object), conditions: [{ type: 'Ready', status: 'True' }] },
});

describe('[issue 14.1] the logs of several containers', () => {
  it('are read of what is not ready first, then of the newest, then by name', async () => {
    const at = (hour: number) => ({ creationTimestamp: `2026-01-01T0${hour}:00:00Z` });
    const pods = [
      ready(aPod('ready', undefined, at(9))),
      aPod('old', undefined, at(1)),
      aPod('b', undefined, at(2)),
      aPod('a', undefined, at(2)),
    ];
    const { asked, clock, changed, set } = readPodsOf(
      pods.map((pod) => owned(pod)),
      [''],
    );
    expect([set.hasNews(), changed()?.map(([pod]) => pod), changed()]).toEqual([true, ['a', 'b', 'old', 'ready'], undefined]);
    await clock.settle();
    expect(podsOfAsked(asked)).toEqual(['a', 'b', 'old', 'ready']);
  });

  it('are those of containers that are wanted', async () => {
    const pods = [owned(aPod('a'), { revision: 'v1', component: 'front' }), owned(aPod('b'))];
    const { set } = readPodsOf(pods, [''], { wants: ({ revision }, { name }) => revision === 'v1' && name === 'app' });
    expect(set.takeChanged()).toEqual({
      sources: [
        {
          id: 0,
          ns: 'shop',
          pod: 'a',
          container: 'app',
          kind: 'container',
          revision: 'v1',
          component: 'front',
          state: 'opening',
          note: null,
        },
      ],
      unlisted: 0,
    });
  });

  it('are listed of five hundred at most, with how many others there are', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => owned(aPod(`p${at}`)));
    const held = readPodsOf(many(503), [new Channel<Uint8Array>(1)]).set.takeChanged();
    expect([held?.sources.length, held?.unlisted]).toEqual([500, 3]);
    const all = readPodsOf(many(500), [new Channel<Uint8Array>(1)]).set.takeChanged();
    expect([all?.sources.length, all?.unlisted]).toEqual([500, 0]);
  });

  it('tell when fewer are left out', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => owned(aPod(`p${String(at).padStart(3, '0')}`, { state: { waiting: { reason: 'x' } } })));
    const { set, have } = readPodsOf(many(503), ['']);
    await have(...many(503));
    set.takeChanged();
    await have(...many(501));
    expect(set.takeChanged()?.unlisted).toBe(1);
  });

  it('begin with those of a pod that comes, from its beginning, and say that it joined', async () => {
    const { set, have, asked, clock, held } = readPodsOf([owned(aPod('a'))], ['2026-01-01T09:00:00Z x\n', new Channel<Uint8Array>(1)]);
    await clock.settle();
    const two = { ...aPod('b'), spec: { containers: [{ name: 'app' }, { name: 'side' }] } };
    await have(owned(aPod('a')), owned(two));
    expect([podsOfAsked(asked).sort(), asked.map(({ query }) => query.tailLines)]).toEqual([
      ['a', 'b'],
      ['10', undefined],
    ]);
    expect(textsOf(set)).toEqual(['0 x', '1 pod b joined']);
    expect(held.released).toBe(0);
  });

  it('look at what comes at once together, and not at all once they are released', async () => {
    let looks = 0;
    const pods: readonly OwnedPod[] = [];
    const count = () => {
      looks++;
      return pods;
    };
    const { set, clock, held } = readPodsOf(pods, [''], { source: { pods: count, onChange: () => () => undefined } });
    for (let at = 0; at < 5; at++) set.look();
    await clock.advance(199);
    expect(looks).toBe(1);
    await clock.advance(1);
    expect(looks).toBe(2);
    set.look();
    set.release();
    set.look();
    await clock.advance(1000);
    expect([looks, clock.waiting(), held.released]).toEqual([2, 0, 0]);
    const other = readPodsOf(pods, ['']);
    other.set.release();
    other.set.look();
    expect([other.held.released, other.clock.waiting()]).toEqual([1, 0]);
  });

  it('of a pod that is gone are forgotten once all of theirs was told', async () => {
    const { set, have, changed, clock } = readPodsOf(
      [owned(aPod('a')), owned(aPod('b', { state: { waiting: { reason: 'x' } } }))],
      ['2026-01-01T09:00:00Z last\n'],
    );
    await clock.settle();
    changed();
    await have();
    expect([changed()?.map(([pod, , state]) => [pod, state]), textsOf(set)]).toEqual([
      [
        ['a', 'gone'],
        ['b', 'gone'],
      ],
      ['0 last', '0 pod a is gone'],
    ]);
    await have(owned(aPod('c')));
    await have();
    expect([textsOf(set), set.feeds().size]).toEqual([['2 pod c joined', '2 last', '2 pod c is gone'], 1]);
  });

  it('[issue 10.7] of pods that are gone are held no longer, whether or not they were being read', async () => {
    for (const follow of [true, false]) {
      const wish = { follow, previous: false, tail: 1, since: undefined };
      const { set, have, changed, clock } = readPodsOf([owned(aPod('a'))], [''], { wish });
      await clock.settle();
      await have();
      changed();
      set.refuse('shop', 'tells of each that is held');
      expect(changed()).toBeUndefined();
    }
  });

  it('[issue 10.7] that have ended are read no second time while their pod is there', async () => {
    const ended = owned(aPod('a', { state: { terminated: { exitCode: 0 } } }));
    const { asked, clock, have, changed } = readPodsOf([ended], ['2026-01-01T09:00:00Z x\n'], {
      wish: { follow: false, previous: false, tail: 1, since: undefined },
    });
    await clock.settle();
    const before = asked.length;
    await have(ended);
    expect([asked.length - before, changed()?.length]).toEqual([0, 1]);
  });

  it('are over once nothing runs and none may come', async () => {
    const waiting = owned(aPod('a', { state: { waiting: { reason: 'x' } } }));
    const over = async (wish: object, isOver?: () => boolean, pods = [waiting]) => {
      const base = readPodsOf(pods, [''], { wish: { follow: true, previous: false, tail: 10, since: undefined, ...wish } });
      const { set, clock } =
        isOver === undefined ? base : readPodsOf(pods, [''], { source: { pods: () => pods, onChange: () => () => undefined, isOver } });
      const before = set.isOver();
      await clock.settle();
      return [before, set.isOver(), set.formatOver()];
    };
    expect(await over({ follow: false })).toEqual([false, true, 'everything was read']);
    expect(await over({ follow: true })).toEqual([false, false, 'everything was read']);
    expect(await over({ follow: true }, undefined, [])).toEqual([false, false, 'there is no container to read']);
    expect(await over({ previous: true }, undefined, [])).toEqual([true, true, 'there is no container to read']);
    expect(await over({ follow: true }, () => true, [])).toEqual([true, true, 'there is no container to read']);
    expect(await over({ follow: true }, () => false, [])).toEqual([false, false, 'there is no container to read']);
  });

  it('fail by themselves, and say how', async () => {
    const { changed, clock, set } = readPodsOf([owned(aPod('a'))], [''], {
      cluster: () => {
        throw new Error('it broke');
      },
    });
    await clock.settle();
    expect([changed(), set.hasNews()]).toEqual([[['a', 'app', 'broken', 'it broke']], false]);
  });
});

describe('[design 8] the logs of a namespace that may not be read', () => {
  const elsewhere = (name: string) => owned(aPod(name, undefined, { namespace: 'labs' }));

  it('are not asked for while nobody knows, and listed as refused once it is known', async () => {
    const why: { labs: string | null | undefined } = { labs: undefined };
    const { set, asked, changed, clock } = readPodsOf([owned(aPod('a')), elsewhere('b')], ['', ''], {
      refusalReason: (ns) => (ns === 'labs' ? why.labs : null),
    });
    await clock.settle();
    expect([podsOfAsked(asked), changed()?.map(([pod]) => pod)]).toEqual([['a'], ['a']]);
    why.labs = 'ann may not';
    set.look();
    await clock.advance(200);
    expect([podsOfAsked(asked), changed(), set.feeds().size]).toEqual([['a'], [['b', 'app', 'refused', 'ann may not']], 1]);
  });

  it('end at once, and nothing that waits of them is told', async () => {
    const body = new Channel<Uint8Array>(5);
    const { set, asked, changed, clock } = readPodsOf([elsewhere('b'), owned(aPod('a'))], [body]);
    await clock.settle();
    await body.send(Buffer.from('2026-01-01T09:00:00Z secret\n'));
    await clock.settle();
    changed();
    set.refuse('labs', 'ann may not any more');
    expect([changed(), textsOf(set), set.feeds().size]).toEqual([[['b', 'app', 'refused', 'ann may not any more']], [], 1]);
    expect(asked.find(({ pod }) => pod.includes('/labs/'))?.signal?.aborted).toBe(true);
    expect(asked.find(({ pod }) => pod.includes('/shop/'))?.signal?.aborted).toBe(false);
  });

  it('[issue 10.7] are told as refused, and not as broken, also where their reader is about to look again', async () => {
    const waiting = owned(aPod('w', { state: { waiting: { reason: 'x' } } }, { namespace: 'labs' }));
    const { set, changed, clock } = readPodsOf([elsewhere('b'), waiting], ['']);
    await clock.settle();
    changed();
    set.refuse('labs', 'ann may not any more');
    await clock.advance(10_000);
    expect([changed()?.map(([pod, , state]) => [pod, state]), changed()]).toEqual([
      [
        ['b', 'refused'],
        ['w', 'refused'],
      ],
      undefined,
    ]);
  });

  it('[issue 10.7] end at once also where the pod is gone and its last words are being read', async () => {
    const body = new Channel<Uint8Array>(5);
    const { set, asked, have, clock } = readPodsOf([elsewhere('b')], [body]);
    await clock.settle();
    await have();
    set.refuse('labs', 'ann may not any more');
    await body.send(Buffer.from('2026-01-01T09:00:00Z secret\n'));
    await clock.settle();
    expect([asked[0]?.signal?.aborted, textsOf(set)]).toEqual([true, []]);
  });

  it('wake who waits for news, and for a place', async () => {
    let heard = 0;
    let places = 0;
    const { set, asked, clock } = readPodsOf([owned(aPod('a'))], [new Channel<Uint8Array>(1)], {
      takePlace: () => (places === 0 ? undefined : () => undefined),
    });
    const unlisten = set.onNews(() => heard++);
    await clock.settle();
    expect(asked).toEqual([]);
    places = 1;
    set.wakeAll();
    await clock.settle();
    expect([asked.length, heard > 0]).toEqual([1, true]);
    const before = heard;
    unlisten();
    set.refuse('shop', 'no');
    expect(heard).toBe(before);
  });
});
