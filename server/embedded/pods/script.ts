import { readNumber, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { controllerOf } from '@/lib/kube/object';
import { parseDurationMs } from '@/lib/std/duration';

export const START = 'sim.slipway.dev/start';
export const FAIL = 'sim.slipway.dev/fail';

/** Ways in which a simulated pod can fail. */
export const FAILURES = [
  'image-pull',
  'crash-loop',
  'never-ready',
  'flapping',
  'oom',
  'config-missing',
  'unschedulable',
  'evicted',
] as const;
export type Failure = (typeof FAILURES)[number];

/** Durations of a pod that says nothing about itself. */
export interface PodDefaults {
  /** Scheduled to ready. */
  readonly startMs: number;
  /** From the delete to the end. */
  readonly stopMs: number;
  /** Running to succeeded, for pods of Jobs, and for those of nobody that are not to be started again. */
  readonly runMs: number;
}

export const POD_DEFAULTS: PodDefaults = { startMs: 200, stopMs: 100, runMs: 300 };

/** How the life of one pod goes: read from its annotations, the same at every look. */
export interface Script {
  readonly startMs: number;
  readonly stopMs: number;
  /** When the pod ends well by itself; absent for one that serves for ever. */
  readonly runMs: number | undefined;
  readonly failure: { readonly kind: Failure; readonly afterMs: number; readonly everyMs: number | undefined } | undefined;
}

/** Reads the script of a pod. Words that make no sense are as good as absent: a bad annotation must not stop a cluster. */
export function toScript(pod: KubeObject, defaults: PodDefaults): Script {
  const annotations = pod.metadata.annotations ?? {};
  const delay = readNumber(firstProbe(pod), 'initialDelaySeconds') ?? 0;
  const controller = controllerOf(pod);
  const isTask = controller ? controller.kind === 'Job' : readString(pod, 'spec', 'restartPolicy') === 'Never';
  return {
    startMs: parseDurationMs(annotations[START] ?? '') ?? defaults.startMs + delay * 1000,
    stopMs: defaults.stopMs,
    runMs: isTask ? defaults.runMs : undefined,
    failure: parseFailure(annotations[FAIL] ?? '', pod.metadata.uid ?? ''),
  };
}

// kind, `:30s` how often, `@30%` of the pods, `+60s` after they became ready
const FAIL_FORM = /^([a-z-]+)(?::([^@+\s]+))?(?:@(\d+(?:\.\d+)?)%)?(?:\+(\S+))?$/;

function parseFailure(text: string, uid: string): Script['failure'] {
  const [, name, every, share, after] = FAIL_FORM.exec(text.trim()) ?? [];
  const kind = FAILURES.find((failure) => failure === name);
  const afterMs = after === undefined ? 0 : parseDurationMs(after);
  const everyMs = every === undefined ? undefined : parseDurationMs(every);
  if (kind === undefined || afterMs === undefined || (every !== undefined && everyMs === undefined)) return undefined;
  return share !== undefined && fractionOf(uid) * 100 >= Number(share) ? undefined : { kind, afterMs, everyMs };
}

/** True for a pod whose script says that no node takes it. */
export function isUnschedulable(pod: KubeObject): boolean {
  return parseFailure(pod.metadata.annotations?.[FAIL] ?? '', pod.metadata.uid ?? '')?.kind === 'unschedulable';
}

/** A number in [0, 1) that belongs to the uid, so that a pod stays good or bad across restarts. */
function fractionOf(uid: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(uid)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash / 2 ** 32;
}

function firstProbe(pod: KubeObject): unknown {
  const spec = pod.spec as { readonly containers?: readonly { readonly readinessProbe?: unknown }[] } | undefined;
  return spec?.containers?.find((container) => container.readinessProbe !== undefined)?.readinessProbe;
}
