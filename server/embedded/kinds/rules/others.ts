import { deepEqual } from '@/lib/std/deep-equal';
import type { FieldError } from '../../api/failures';
import { forbiddenField, invalidValue, notSupported, required } from '../../api/failures';
import type { Draft } from '../draft';
import { each, fill, peek, within } from '../draft';
import { pathName } from '../names';
import type { KindRules } from './rules';

const EVERY_15_SECONDS = 15;

export const autoscalerRules: KindRules = {
  newStatus: () => ({ desiredReplicas: 0, currentMetrics: null }),
  defaults(object) {
    const spec = fill(within(object, 'spec'), { minReplicas: 1 });
    if (each(spec, 'metrics').length === 0) {
      spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
    }
    // The original writes an empty list of it as null.
    const status = peek(object, 'status');
    if (status) fill(status, { currentMetrics: null });
    const behavior = peek(spec, 'behavior');
    if (behavior === undefined) return;
    const percent = { type: 'Percent', value: 100, periodSeconds: EVERY_15_SECONDS };
    const up = {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [{ type: 'Pods', value: 4, periodSeconds: EVERY_15_SECONDS }, percent],
    };
    fill(within(behavior, 'scaleUp'), up);
    fill(within(behavior, 'scaleDown'), { selectPolicy: 'Max', policies: [{ ...percent }] });
  },
  validate(object) {
    const spec = peek(object, 'spec');
    const most = Number(spec?.maxReplicas ?? 0);
    const least = Number(spec?.minReplicas ?? 1);
    const errors = [];
    if (least < 1) errors.push(invalidValue('spec.minReplicas', least, 'must be greater than or equal to 1'));
    if (most < 1) errors.push(invalidValue('spec.maxReplicas', most, 'must be greater than 0'));
    else if (most < least) errors.push(invalidValue('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
    if (!peek(spec, 'scaleTargetRef')?.kind) errors.push(required('spec.scaleTargetRef.kind'));
    if (!peek(spec, 'scaleTargetRef')?.name) errors.push(required('spec.scaleTargetRef.name'));
    if (least === 0 && !each(spec, 'metrics').some(({ type }) => type === 'Object' || type === 'External')) {
      errors.push(
        forbiddenField('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas'),
      );
    }
    return errors;
  },
};

export const ingressRules: KindRules = {
  countsGeneration: true,
  newStatus: () => ({ loadBalancer: {} }),
  validate(object) {
    const spec = peek(object, 'spec');
    if (each(spec, 'rules').length > 0 || peek(spec, 'defaultBackend')) return [];
    return [{ ...invalidValue('spec', [], ''), message: 'Invalid value: [] : either `defaultBackend` or `rules` must be specified' }];
  },
};

export const networkPolicyRules: KindRules = {
  countsGeneration: true,
  defaults(object) {
    const spec = within(object, 'spec');
    for (const rule of [...each(spec, 'ingress'), ...each(spec, 'egress')])
      for (const port of each(rule, 'ports')) fill(port, { protocol: 'TCP' });
    fill(spec, { policyTypes: ['Ingress', ...(each(spec, 'egress').length > 0 ? ['Egress'] : [])] });
  },
};

export const budgetRules: KindRules = {
  countsGeneration: true,
  needsVersion: true,
  newStatus: () => ({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
};

export const nodeRules: KindRules = {
  newStatus: 'kept',
  prepare(object) {
    const status = within(object, 'status');
    const capacity = peek(status, 'capacity');
    if (capacity) fill(status, { allocatable: { ...capacity } });
  },
};

export const volumeRules: KindRules = {
  newStatus: () => ({ phase: 'Pending' }),
  defaults: (object) => void fill(within(object, 'spec'), { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain' }),
};

export const storageClassRules: KindRules = {
  defaults: (object) => void fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
};

export const priorityClassRules: KindRules = {
  defaults: (object) => void fill(object, { preemptionPolicy: 'PreemptLowerPriority' }),
};

export const endpointSliceRules: KindRules = {
  countsGeneration: true,
  needsVersion: true,
  defaults(object) {
    for (const port of each(object, 'ports')) fill(port, { name: '', protocol: 'TCP' });
  },
};

export const endpointsRules: KindRules = {
  defaults(object) {
    for (const subset of each(object, 'subsets')) for (const port of each(subset, 'ports')) fill(port, { protocol: 'TCP' });
  },
};

export const leaseRules: KindRules = { needsVersion: true };

const completeSubjects = (object: Draft) => {
  for (const subject of each(object, 'subjects')) {
    if (subject.kind !== 'ServiceAccount') fill(subject, { apiGroup: 'rbac.authorization.k8s.io' });
  }
  fill(within(object, 'roleRef'), { apiGroup: 'rbac.authorization.k8s.io' });
};

const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

// An account of no namespace is one of the namespace of its binding.
function checkSubject(subject: Draft, field: string, isNamespaced: boolean): readonly FieldError[] {
  if (!subject.name) return [required(`${field}.name`)];
  if (!SUBJECTS.includes(String(subject.kind))) return [notSupported(`${field}.kind`, subject.kind, SUBJECTS)];
  return subject.kind === 'ServiceAccount' && !isNamespaced && !subject.namespace ? [required(`${field}.namespace`)] : [];
}

export const roleRules: KindRules = { names: pathName, validate: checkRole };

function checkRole(object: Draft): readonly FieldError[] {
  return each(object, 'rules').flatMap((rule, at) => {
    const field = `rules[${at}]`;
    const isEmpty = (member: string) => !Array.isArray(rule[member]) || rule[member].length === 0;
    const verbs = isEmpty('verbs') ? [required(`${field}.verbs`, 'verbs must contain at least one value')] : [];
    if (!isEmpty('nonResourceURLs')) {
      if (object.kind === 'ClusterRole') return verbs;
      return [
        ...verbs,
        invalidValue(`${field}.nonResourceURLs`, rule.nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'),
      ];
    }
    if (isEmpty('apiGroups')) verbs.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
    if (isEmpty('resources')) verbs.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
    return verbs;
  });
}

export const bindingRules: KindRules = {
  names: pathName,
  defaults: completeSubjects,
  validate(object, previous) {
    const roleRef = peek(object, 'roleRef');
    if (!roleRef?.name) return [required('roleRef.name')];
    if (previous && !deepEqual(previous.roleRef, roleRef)) return [invalidValue('roleRef', roleRef, 'cannot change roleRef')];
    const isNamespaced = object.kind === 'RoleBinding';
    const roles = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
    const wrong = roles.includes(String(roleRef.kind)) ? [] : [notSupported('roleRef.kind', roleRef.kind, roles)];
    return [...wrong, ...each(object, 'subjects').flatMap((subject, at) => checkSubject(subject, `subjects[${at}]`, isNamespaced))];
  },
};

export const admissionPolicyRules: KindRules = {
  countsGeneration: true,
  defaults: (object) => void fill(within(object, 'spec'), { failurePolicy: 'Fail' }),
};

export const eventRules: KindRules = {
  validate(object) {
    const namespace = peek(object, 'metadata')?.namespace;
    const involved = peek(object, 'involvedObject')?.namespace;
    const fits =
      involved === undefined || involved === '' ? namespace === 'default' || namespace === 'kube-system' : involved === namespace;
    return fits ? [] : [forbiddenField('involvedObject.namespace', 'does not match event.namespace')];
  },
};
