import { readString } from '@/lib/kube/fields';
import { isFinished, isReady, isTerminating, nodeOf } from '../controllers/pod-view';
import { FAILURE_STAGES } from './failure-stages';
import { containerStateOf } from './pod-status';
import type { Stage } from './stage';
import { ended, fails, failsAtStart, isCreating, isRunning, NEW_CONTAINER, STARTING, toRunning, toStatus, waiting } from './stage';

// Pods that start within a second show one step from creating to ready; slower ones are seen running first.
const SEEN_RUNNING_MS = 1000;

/** The life of a pod. The first stage that fits is the one that comes next. */
export const POD_STAGES: readonly Stage[] = [
  {
    name: 'gone',
    when: ({ pod }) => isTerminating(pod),
    delayMs: ({ script }) => script.stopMs,
    next: () => ({ kind: 'gone' }),
  },
  {
    name: 'accepted',
    when: ({ pod }) => nodeOf(pod) !== '' && !isFinished(pod) && readString(pod, 'status', 'startTime') === undefined,
    delayMs: () => 0,
    next: () => toStatus({ phase: 'Pending', addressed: false, containers: { ...NEW_CONTAINER, state: waiting('ContainerCreating') } }),
  },
  ...FAILURE_STAGES,
  {
    name: 'running',
    // A pod that turns unready later must be told from one on its way up, so it is never seen running and not ready before.
    when: (seen) => isCreating(seen.pod) && (fails(seen, 'never-ready') ? failsAtStart(seen, 'never-ready') : isSlow(seen.script.startMs)),
    delayMs: ({ script }) => script.startMs / 2,
    next: (_seen, time) => toRunning({ state: { running: { startedAt: time } } }, STARTING),
  },
  {
    name: 'ready',
    when: ({ pod }) => isCreating(pod),
    delayMs: ({ script }) => script.startMs,
    next: (_seen, time) => toRunning({ ready: true, state: { running: { startedAt: time } } }, STARTING),
  },
  {
    name: 'ready-late',
    when: (seen) => isRunning(seen.pod) && !isReady(seen.pod) && !fails(seen, 'never-ready'),
    delayMs: ({ script }) => script.startMs / 2,
    next: ({ pod }) => toRunning({ ready: true, state: containerStateOf(pod) }),
  },
  {
    name: 'succeeded',
    when: ({ pod, script }) => isRunning(pod) && isReady(pod) && script.runMs !== undefined,
    delayMs: ({ script }) => script.runMs ?? 0,
    next: ({ pod }, time) =>
      toStatus({ phase: 'Succeeded', addressed: true, containers: { ...NEW_CONTAINER, state: ended(pod, time, { code: 0 }) } }),
  },
];

function isSlow(startMs: number): boolean {
  return startMs >= SEEN_RUNNING_MS;
}
