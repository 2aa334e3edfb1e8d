import { isFields } from '@/lib/kube/fields';
import type { FieldError } from '../../api/failures';
import { duplicate, invalidValue, required } from '../../api/failures';
import type { Draft } from '../draft';
import { each, fill, peek, within } from '../draft';
import { checkLabels } from '../metadata';
import { labelName } from '../names';

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'];
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const FILE_MODE = 0o644;

/** Completes a pod's spec, alone or in a template. */
export function completePodSpec(spec: Draft): void {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  if (typeof spec.serviceAccountName === 'string') spec.serviceAccount ??= spec.serviceAccountName;
  else if (typeof spec.serviceAccount === 'string') spec.serviceAccountName = spec.serviceAccount;
  for (const list of CONTAINER_LISTS) for (const container of each(spec, list)) completeContainer(container);
  for (const volume of each(spec, 'volumes')) completeVolume(volume);
}

function completeContainer(container: Draft): void {
  fill(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest(String(container.image ?? '')) ? 'Always' : 'IfNotPresent',
    resources: {},
  });
  for (const port of each(container, 'ports')) fill(port, { protocol: 'TCP' });
  for (const variable of each(container, 'env')) {
    const field = peek(variable, 'valueFrom', 'fieldRef');
    if (field) fill(field, { apiVersion: 'v1' });
  }
  for (const name of PROBES) {
    const probe = peek(container, name);
    if (probe) fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
    if (probe) completeHttpGet(probe);
  }
  for (const hook of ['postStart', 'preStop']) {
    const handler = peek(container, 'lifecycle', hook);
    if (handler) completeHttpGet(handler);
  }
  const { limits, requests } = within(container, 'resources');
  // What is limited and not requested is requested in full.
  if (isFields(limits)) within(container, 'resources').requests = { ...limits, ...(isFields(requests) ? requests : {}) };
}

function completeHttpGet(handler: Draft): void {
  const get = peek(handler, 'httpGet');
  if (get) fill(get, { path: '/', scheme: 'HTTP' });
}

function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const tag = image.slice(image.lastIndexOf('/') + 1).split(':')[1];
  return tag === undefined || tag === 'latest';
}

function completeVolume(volume: Draft): void {
  for (const source of ['configMap', 'secret', 'projected', 'downwardAPI']) {
    const found = peek(volume, source);
    if (found) fill(found, { defaultMode: FILE_MODE });
  }
  const hostPath = peek(volume, 'hostPath');
  if (hostPath) fill(hostPath, { type: '' });
  for (const source of each(volume, 'projected', 'sources')) {
    const token = peek(source, 'serviceAccountToken');
    if (token) fill(token, { expirationSeconds: 3600 });
  }
  for (const item of [
    ...each(volume, 'downwardAPI', 'items'),
    ...each(volume, 'projected', 'sources').flatMap((source) => each(source, 'downwardAPI', 'items')),
  ]) {
    const field = peek(item, 'fieldRef');
    if (field) fill(field, { apiVersion: 'v1' });
  }
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
}

/** Defaults that a template does not get from its kind: limits stay limits there. */
export function completeTemplate(template: Draft): void {
  const spec = within(template, 'spec');
  const requested = CONTAINER_LISTS.flatMap((list) => each(spec, list)).map(
    (container) => [container, peek(container, 'resources', 'requests')] as const,
  );
  completePodSpec(spec);
  for (const [container, requests] of requested) {
    const resources = within(container, 'resources');
    if (requests === undefined) delete resources.requests;
    else resources.requests = requests;
  }
}

/** What is wrong with a pod's spec at a path. */
export function checkPodSpec(field: string, spec: Draft | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const containers = each(spec, 'containers');
  if (containers.length === 0) errors.push(required(`${field}.containers`));
  const names = new Set<unknown>();
  for (const list of ['containers', 'initContainers']) {
    for (const [at, container] of each(spec, list).entries()) {
      errors.push(...checkContainer(`${field}.${list}[${at}]`, container, new Set(each(spec, 'volumes').map(({ name }) => name))));
      if (names.has(container.name)) errors.push(duplicate(`${field}.${list}[${at}].name`, container.name));
      names.add(container.name);
    }
  }
  return errors;
}

function checkContainer(field: string, container: Draft, volumes: ReadonlySet<unknown>): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { name, image } = container;
  if (typeof name !== 'string' || name === '') errors.push(required(`${field}.name`));
  else errors.push(...labelName(name).map((text) => invalidValue(`${field}.name`, name, text)));
  if (typeof image !== 'string' || image === '') errors.push(required(`${field}.image`));
  else if (image.trim() !== image) errors.push(invalidValue(`${field}.image`, image, 'must not have leading or trailing whitespace'));
  for (const [at, port] of each(container, 'ports').entries())
    errors.push(...checkPort(`${field}.ports[${at}].containerPort`, port.containerPort));
  for (const [at, variable] of each(container, 'env').entries()) if (!variable.name) errors.push(required(`${field}.env[${at}].name`));
  for (const [at, mount] of each(container, 'volumeMounts').entries()) {
    if (!volumes.has(mount.name)) {
      errors.push({
        reason: 'FieldValueNotFound',
        field: `${field}.volumeMounts[${at}].name`,
        message: `Not found: ${JSON.stringify(mount.name)}`,
      });
    }
  }
  return errors;
}

/** What is wrong with a port number. */
export function checkPort(field: string, port: unknown): readonly FieldError[] {
  if (port === 0 || port === undefined) return [required(field)];
  return typeof port === 'number' && port >= 1 && port <= 65_535
    ? []
    : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];
}

/** What is wrong with a workload's template, given its selector. */
export function checkTemplate(spec: Draft | undefined, restartPolicies: readonly string[]): readonly FieldError[] {
  const template = peek(spec, 'template');
  const labels = peek(template, 'metadata', 'labels');
  const policy = peek(template, 'spec')?.restartPolicy;
  const errors: FieldError[] = [
    ...checkLabels('spec.template.labels', labels as Record<string, string> | undefined),
    ...checkPodSpec('spec.template.spec', peek(template, 'spec')),
  ];
  if (!restartPolicies.includes(String(policy))) {
    const allowed = restartPolicies.map((word) => JSON.stringify(word)).join(', ');
    errors.push({
      reason: 'FieldValueNotSupported',
      field: 'spec.template.spec.restartPolicy',
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: ${allowed}`,
    });
  }
  return errors;
} // prettier-ignore
