import type { z } from 'zod';
import { explainIssue, formatPath, toStep } from '@/lib/kube/explain-issue';
import { formatDuration } from '@/lib/std/duration';
import { formatCount, formatList, formatPercent } from '@/lib/words/figures';
import type { ControlInput } from './control-policy';
import { controlPolicy } from './control-policy';
import { rolloutPolicy } from './rollout-policy';

const STRATEGY: Readonly<Record<string, string>> = {
  availability: 'new replicas come up before old ones go',
  resourceutil: 'old replicas go before new ones come up',
};

/** A rollout policy in a few words, in the order in which it matters; what it leaves to defaults is left out. */
export function summarisePolicy(properties: unknown): readonly string[] {
  const read = rolloutPolicy.partial().safeParse(properties);
  if (!read.success) return [`cannot be read: ${read.error.issues.map((issue) => formatIssue(issue, properties)).join(', ')}`];
  const given = properties as Readonly<Record<string, unknown>>; // defaults of the schema are nothing that somebody wrote
  const { component, strategy = 'availability', ratio, overlap, stageTimeoutMinutes } = read.data;
  return [
    component === undefined ? 'in stages' : `${component} in stages`,
    (Object.hasOwn(STRATEGY, strategy) ? STRATEGY[strategy] : undefined) ?? strategy,
    ...(given.ratio === undefined || ratio === undefined ? [] : [`${formatPercent(ratio)} at a time`]),
    ...(overlap === false ? ['a stage waits until old pods are gone'] : []),
    ...summariseControl(controlPolicy.parse(given.control ?? {})),
    ...(given.stageTimeoutMinutes === undefined || stageTimeoutMinutes === undefined
      ? []
      : [`a stage has ${formatCount(stageTimeoutMinutes, 'minute')}`]),
  ];
}

function formatIssue(issue: z.core.$ZodIssue, properties: unknown): string {
  return `${formatPath(issue.path.map(toStep))} ${explainIssue(issue, { value: properties, schema: rolloutPolicy })}`.trimStart();
}

function summariseControl(control: ControlInput): readonly string[] {
  return [
    ...gates(control.gates),
    ...(control.autoPromotionEnabled === false ? ['it waits for a person before stage 1'] : []),
    ...approvals(control.approvals),
    ...waits(control.requiredSoakTime, (time) => `a stage soaks for ${time}`),
    ...waits(control.pause?.duration, (time) => `a gate opens automatically after ${time}`),
    ...waits(control.scaleDownDelaySeconds, (time) => `old pods stay ${time} after the end`),
    ...waits(control.abortScaleDownDelaySeconds, (time) => `rejected pods stay ${time} after an abort`),
    ...(control.progressDeadlineAbort === true ? ['aborts automatically when a stage makes no progress'] : []),
    ...(control.autoAbort?.failureLimit === undefined ? [] : ['aborts automatically when the new revision fails']),
    ...(control.paused === true ? ['paused'] : []),
  ];
}

function gates(value: ControlInput['gates']): readonly string[] {
  if (value === undefined) return [];
  if (value === 'every-stage') return ['a gate after every stage'];
  if (value === 'none') return ['no gates'];
  const percents = value.map(({ atPercent }) => formatPercent(atPercent));
  return percents.length === 0 ? [] : [`${percents.length === 1 ? 'a gate' : 'gates'} at ${formatList(percents)}`];
}

function approvals(value: ControlInput['approvals']): readonly string[] {
  if (value === undefined) return [];
  const { required, groups = [], allowSelf } = value;
  return [
    ...(required === undefined ? [] : [`${formatCount(required, 'approval')} a gate`]),
    ...(groups.length === 0 ? [] : [`approved by ${formatList(groups)}`]),
    ...(allowSelf === false ? ['not by who requested the change'] : []),
  ];
}

/** A duration as operators write it: text as it is, a number in seconds. */
function waits(value: string | number | undefined, say: (time: string) => string): readonly string[] {
  if (value === undefined) return [];
  return [say(typeof value === 'number' ? formatDuration(value * 1000) : value)];
}
