import { describe, expect, it } from 'vitest';
import type { PodContainer, PodRow } from '@/lib/contract/pod-rows';
import { formatCpu, formatMemory, formatPodState, formatReady, lastExitOf, restartsOf, sumOf } from '@/lib/words/format-pod';

const NOTHING = { cpu: null, memory: null };
const container = (over: Partial<PodContainer> = {}): PodContainer => ({
  name: 'main',
  kind: 'container',
  image: 'main:1',
  phase: 'running',
  ready: true,
  restarts: 0,
  startedAt: null,
  waits: '',
  exit: null,
  exitedAt: null,
  exitBefore: null,
  requests: NOTHING,
  limits: NOTHING,
  usage: null,
  ...over,
});
const pod = (containers: PodContainer[], over: Partial<PodRow> = {}): PodRow => ({
  key: 'shop/web',
  ns: 'shop',
  name: 'web',
  phase: 'Running',
  reason: '',
  health: 'Current',
  message: '',
  node: null,
  address: null,
  createdAt: null,
  deletingSince: null,
  containers,
  ...over,
});

describe('words about pods', () => {
  it('[issue 14.1] say amounts as kubectl does', () => {
    expect([0.0004, 0.25, 1.5, 16].map(formatCpu)).toEqual(['<1m', '250m', '1,500m', '16']);
    expect([500, 1536, 64 * 2 ** 20, 1.5 * 2 ** 30].map(formatMemory)).toEqual(['500', '1.5Ki', '64Mi', '1.5Gi']);
  });

  it('[issue 14.1] say what keeps a pod before its phase, and that it is on its way out before that', () => {
    const held = container({ phase: 'waiting', waits: 'CrashLoopBackOff: back-off 40s' });
    expect(formatPodState(pod([held]))).toBe('CrashLoopBackOff');
    expect(formatPodState(pod([held], { deletingSince: '2026-11-20T09:00:00Z' }))).toBe('Terminating');
    expect(formatPodState(pod([container()], { phase: 'Failed', reason: 'Evicted' }))).toBe('Evicted');
    expect(formatPodState(pod([container({ phase: 'waiting', waits: 'not started yet' })], { phase: 'Pending' }))).toBe('Pending');
  });

  it('[issue 14.1] count restarts of all containers, and those ready of the ones that stay', () => {
    const one = pod([
      container({ kind: 'init', ready: false, restarts: 2 }),
      container({ restarts: 3 }),
      container({ name: 'side', ready: false }),
    ]);
    expect([restartsOf(one), formatReady(one)]).toEqual([5, '1/2']);
  });

  it('[issue 14.1] tell the newest of the exits, and add up what is said alone', () => {
    const first = container({ exitBefore: { how: 'exit code 1', at: '2026-11-20T09:00:00Z' } });
    const second = container({ phase: 'ended', exit: 'exit code 137, OOMKilled', exitedAt: '2026-11-20T09:05:00Z' });
    expect(lastExitOf([first, second])?.how).toBe('exit code 137, OOMKilled');
    expect(lastExitOf([container()])).toBeNull();
    expect(
      sumOf([container({ requests: { cpu: 0.5, memory: null } }), container({ requests: { cpu: 1, memory: null } })], 'requests'),
    ).toEqual({
      cpu: 1.5,
      memory: null,
    });
  });
});
