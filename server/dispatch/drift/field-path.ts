import type { PathStep } from '@/lib/kube/field-owners';
import { isFields } from '@/lib/kube/fields';
import { deepEqual } from '@/lib/std/deep-equal';

/** The place in a list that a step leads to; -1 when there is none. */
export function indexOfStep(list: readonly unknown[], step: Exclude<PathStep, string>): number {
  if (typeof step === 'number') return step < list.length ? step : -1;
  return list.findIndex((entry) => ('key' in step ? isFields(entry) && entry[step.key] === step.value : deepEqual(entry, step.item)));
}

const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** A path as people read it: `spec.template.spec.containers[name=web].image`, `metadata.labels["app.oam.dev/name"]`. */
export function formatPath(steps: readonly PathStep[]): string {
  return steps.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (typeof step === 'object') return 'key' in step ? `${text}[${step.key}=${plain(step.value)}]` : `${text}[${plain(step.item)}]`;
    if (!PLAIN.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
