import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { aboutOf, lastSeen, toEventLines } from '@/server/commands/objects/events';
import { toPodRow } from '@/server/commands/objects/pod-row';

describe('[issue 14.1] an event', () => {
  const anEvent = (more: object): KubeObject => ({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', uid: 'e' }, ...more });

  it('is about what it says, as far as it says it', () => {
    expect(aboutOf(anEvent({}))).toStrictEqual({ apiVersion: 'v1', kind: '', ns: undefined, name: '', uid: '' });
    const about = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' };
    expect(aboutOf(anEvent({ involvedObject: about }))).toStrictEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      ns: 'shop',
      name: 'web',
      uid: 'u',
    });
    expect(aboutOf(anEvent({ involvedObject: { ...about, namespace: '' } })).ns).toBeUndefined();
  });

  it('was seen when it says so last', () => {
    const times = { lastTimestamp: 'b', eventTime: 'a' };
    expect([
      lastSeen(anEvent({ ...times, series: { lastObservedTime: 'c' } })),
      lastSeen(anEvent(times)),
      lastSeen(anEvent({ eventTime: 'a' })),
      lastSeen(anEvent({})),
    ]).toEqual(['c', 'b', 'a', '']);
  });

  it('is told with its type, who reports it and what it is about', () => {
    const involvedObject = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const lines = toEventLines([
      anEvent({
        type: 'Warning',
        reportingComponent: 'kubelet',
        source: { component: 'old' },
        eventTime: '2026-01-01T08:00:00Z',
        series: { count: 2 },
      }),
      anEvent({ involvedObject, source: { component: 'old' }, lastTimestamp: '2026-01-01T09:00:00Z' }),
      anEvent({ reason: 'B', lastTimestamp: '2026-01-01T07:00:00Z' }),
      anEvent({ reason: 'A', lastTimestamp: '2026-01-01T07:00:00Z' }),
    ]).events;
    expect(lines.map(({ type, reason, by, series, about, count }) => [type, reason, by, series, about.ns, about.name, count])).toEqual([
      ['Normal', '', 'old', false, null, 'web', 1],
      ['Warning', '', 'kubelet', true, null, '', 2],
      ['Normal', 'A', '', false, null, '', 1],
      ['Normal', 'B', '', false, null, '', 1],
    ]);
  });

  it('of several that say the same is as new as the newest of them, and a series where one is', () => {
    const same = (lastTimestamp: string, more: object = {}) =>
      anEvent({ lastTimestamp, firstTimestamp: lastTimestamp, message: 'm', ...more });
    const [older, newer] = [same('2026-01-01T07:00:00Z'), same('2026-01-01T09:00:00Z')];
    for (const order of [
      [older, newer],
      [newer, older],
    ])
      expect(toEventLines(order).events).toMatchObject([
        { at: '2026-01-01T09:00:00Z', since: '2026-01-01T07:00:00Z', count: 2, series: false },
      ]);
    expect(
      toEventLines([older, same('2026-01-01T08:00:00Z', { series: { count: 4 }, eventTime: '2026-01-01T08:00:00Z' })]).events,
    ).toMatchObject([{ series: true, count: 4 }]);
    expect(
      toEventLines([same('2026-01-01T08:00:00Z', { eventTime: 'x', count: 2 }), same('2026-01-01T08:00:00Z', { eventTime: 'x', count: 3 })])
        .events,
    ).toMatchObject([{ count: 5 }]);
  });
});

describe('[issue 14.1] the row of a pod', () => {
  const health = { health: 'Current', message: '' } as const;

  it('tells how it stands and runs, and nothing that it does not say', () => {
    const bare: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'a' }] } };
    expect(toPodRow(bare, health, undefined)).toMatchObject({
      ...{
        key: 'p',
        ns: '',
        name: 'p',
        phase: 'Unknown',
        reason: '',
        message: '',
        node: null,
        address: null,
        createdAt: null,
        deletingSince: null,
      },
      containers: [
        {
          name: 'a',
          image: '',
          ready: false,
          startedAt: null,
          waits: 'not started yet',
          exit: null,
          exitedAt: null,
          exitBefore: null,
          usage: null,
        },
      ],
    });
    const metadata = { name: 'p', namespace: 'shop', creationTimestamp: '2026-01-01T08:00:00Z', deletionTimestamp: '2026-01-01T09:00:00Z' };
    const running = { name: 'a', ready: true, state: { running: { startedAt: '2026-01-01T08:30:00Z' } } };
    const ended = { name: 'b', state: { terminated: { exitCode: 3, finishedAt: '2026-01-01T08:45:00Z' } } };
    const full = {
      ...bare,
      metadata,
      spec: { nodeName: 'n', containers: [{ name: 'a' }, { name: 'b' }] },
      status: {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'of https://ann:hunter2@example.com',
        podIP: '10.0.0.1',
        containerStatuses: [running, ended],
      },
    };
    expect(toPodRow(full, health, new Map([['a', { cpu: 1, memory: 2 }]]))).toMatchObject({
      ...{
        key: 'shop/p',
        ns: 'shop',
        phase: 'Failed',
        reason: 'Evicted',
        message: 'of https://••••••••@example.com',
        node: 'n',
        address: '10.0.0.1',
      },
      ...{ createdAt: '2026-01-01T08:00:00Z', deletingSince: '2026-01-01T09:00:00Z' },
      containers: [
        { ready: true, startedAt: '2026-01-01T08:30:00Z', waits: '', exit: null, usage: { cpu: 1, memory: 2 } },
        { ready: false, startedAt: null, waits: '', exit: 'exit code 3', exitedAt: '2026-01-01T08:45:00Z', usage: null },
      ],
    });
    expect(toPodRow(full, { ...health, message: 'it was evicted' }, undefined).message).toBe('it was evicted');
  });
});
