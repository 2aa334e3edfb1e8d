import { isFields } from '@/lib/kube/fields';
import { matchesSelector } from '@/lib/kube/label-selector';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../../api/failures';
import { forbiddenField, invalidValue, required } from '../../api/failures';
import type { Draft } from '../draft';
import { each, fill, peek, within } from '../draft';
import { checkTemplate, completePodSpec, completeTemplate } from './pod-template';
import type { KindRules } from './rules';

const NEVER_NEGATIVE = 'must be greater than or equal to 0';

function completeReplicated(object: Draft, values: Draft): Draft {
  const spec = within(object, 'spec');
  fill(spec, values);
  completeTemplate(within(spec, 'template'));
  return spec;
}

function checkReplicated(object: Draft, previous: KubeObject | undefined): readonly FieldError[] {
  const spec = peek(object, 'spec');
  const selector = peek(spec, 'selector');
  const labels = peek(spec, 'template', 'metadata', 'labels');
  const errors: FieldError[] = [];
  if (Number(spec?.replicas ?? 0) < 0) errors.push(invalidValue('spec.replicas', spec?.replicas, NEVER_NEGATIVE));
  if (!selector || Object.keys(selector).length === 0)
    errors.push(selector ? invalidValue('spec.selector', selector, 'empty selector is invalid for deployment') : required('spec.selector'));
  if (!selector || !matchesSelector(selector, (labels ?? {}) as Record<string, string>)) {
    errors.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  errors.push(...checkTemplate(spec, ['Always']));
  // What an update may not change is looked at last.
  const before = previous && peek(previous as Draft, 'spec', 'selector');
  if (before && selector && Object.keys(selector).length > 0 && !deepEqual(selector, before))
    errors.push(invalidValue('spec.selector', selector, 'field is immutable'));
  return errors;
} // prettier-ignore

function checkStrategy(object: Draft): readonly FieldError[] {
  const strategy = peek(object, 'spec', 'strategy');
  const rolling = peek(strategy, 'rollingUpdate');
  if (strategy?.type === 'Recreate' && rolling)
    return [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")];
  if (rolling && isNone(rolling.maxSurge) && isNone(rolling.maxUnavailable)) {
    return [invalidValue('spec.strategy.rollingUpdate.maxUnavailable', rolling.maxUnavailable, 'may not be 0 when `maxSurge` is 0')];
  }
  return [];
}

const isNone = (amount: unknown) => amount === 0 || amount === '0' || amount === '0%';

export const deploymentRules: KindRules = {
  countsGeneration: true,
  countsAnnotations: true,
  statusKeeps: 'labels',
  newStatus: () => ({}),
  defaults(object) {
    const spec = completeReplicated(object, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = fill(within(spec, 'strategy'), { type: 'RollingUpdate' });
    if (strategy.type === 'RollingUpdate') fill(within(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  validate: (object, previous) => [...checkReplicated(object, previous), ...checkStrategy(object)],
};

export const replicaSetRules: KindRules = {
  countsGeneration: true,
  newStatus: () => ({ replicas: 0 }),
  defaults(object) {
    completeReplicated(object, { replicas: 1 });
  },
  validate: checkReplicated,
};

export const statefulSetRules: KindRules = {
  countsGeneration: true,
  newStatus: () => ({ replicas: 0, availableReplicas: 0 }),
  defaults(object) {
    const spec = completeReplicated(object, { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10 });
    fill(within(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
    const strategy = fill(within(spec, 'updateStrategy'), { type: 'RollingUpdate' });
    if (strategy.type === 'RollingUpdate') fill(within(strategy, 'rollingUpdate'), { partition: 0 });
    for (const claim of each(spec, 'volumeClaimTemplates')) {
      fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
      fill(within(claim, 'spec'), { volumeMode: 'Filesystem' });
      fill(within(claim, 'status'), { phase: 'Pending' });
    }
  },
  validate(object, previous) {
    const errors = checkReplicated(object, undefined);
    if (previous === undefined) return errors;
    const changed = (member: string) => !deepEqual(peek(object, 'spec')?.[member], peek(previous as Draft, 'spec')?.[member]);
    const fixed = ['serviceName', 'podManagementPolicy', 'volumeClaimTemplates', 'selector'].some(changed);
    const why =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    return fixed ? [...errors, forbiddenField('spec', why)] : errors;
  },
}; // prettier-ignore

export const daemonSetRules: KindRules = {
  countsGeneration: true,
  newStatus: () => ({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }),
  defaults(object) {
    const spec = completeReplicated(object, { revisionHistoryLimit: 10 });
    const strategy = fill(within(spec, 'updateStrategy'), { type: 'RollingUpdate' });
    if (strategy.type === 'RollingUpdate') fill(within(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
  },
  validate: checkReplicated,
};

export const replicationControllerRules: KindRules = {
  countsGeneration: true,
  newStatus: () => ({ replicas: 0 }),
  defaults(object) {
    const spec = completeReplicated(object, { replicas: 1 });
    const labels = peek(spec, 'template', 'metadata', 'labels');
    if (labels) fill(spec, { selector: { ...labels } });
  },
};

function completeJobSpec(spec: Draft): void {
  fill(spec, {
    completionMode: 'NonIndexed',
    backoffLimit: 6,
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    manualSelector: false,
  });
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  fill(spec, { parallelism: 1 });
  completeTemplate(within(spec, 'template'));
}

export const jobRules: KindRules = {
  countsGeneration: true,
  newStatus: () => ({}),
  defaults: (object) => completeJobSpec(within(object, 'spec')),
  prepare(object, previous) {
    const spec = within(object, 'spec');
    if (previous !== undefined || spec.manualSelector === true) return;
    const { uid, name } = within(object, 'metadata');
    const labels = within(within(within(spec, 'template'), 'metadata'), 'labels');
    fill(labels, {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    });
    fill(spec, { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } } });
  },
  validate(object, previous) {
    const spec = peek(object, 'spec');
    const errors = [...checkTemplate(spec, ['OnFailure', 'Never'])];
    const before = peek(previous as Draft | undefined, 'spec');
    for (const member of ['completions', 'selector', 'template']) {
      if (before && !deepEqual(before[member], spec?.[member]))
        errors.push(invalidValue(`spec.${member}`, spec?.[member], 'field is immutable'));
    }
    return errors;
  },
};

export const cronJobRules: KindRules = {
  countsGeneration: true,
  newStatus: () => ({}),
  defaults(object) {
    const spec = within(object, 'spec');
    fill(spec, { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
    const template = within(within(within(spec, 'jobTemplate'), 'spec'), 'template');
    completeTemplate(template);
  },
  validate(object) {
    const spec = peek(object, 'spec');
    const schedule = spec?.schedule;
    return typeof schedule === 'string' && schedule !== '' ? [] : [required('spec.schedule')];
  },
};

export const podTemplateRules: KindRules = { defaults: (object) => completeTemplate(within(object, 'template')) };

/** Completes a pod itself, where limits become requests. */
export function completePod(object: Draft): void {
  const spec = within(object, 'spec');
  completePodSpec(spec);
  fill(spec, { enableServiceLinks: true });
  if (isFields(spec.nodeSelector) && Object.keys(spec.nodeSelector).length === 0) delete spec.nodeSelector;
}
