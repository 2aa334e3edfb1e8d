import { readField } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Resource } from '../kinds/resource';
import { badRequest } from './failures';

const EVENT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
  (member) => `involvedObject.${member}`,
);

// Fields beside name and namespace that a kind can be chosen by.
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
  secrets: ['type'],
  services: ['spec.clusterIP', 'spec.type'],
  events: [...EVENT_FIELDS, 'reason', 'reportingComponent', 'source', 'type'],
  replicationcontrollers: ['status.replicas'],
  'replicasets.apps': ['status.replicas'],
  'jobs.batch': ['status.successful'],
}; // prettier-ignore

// Kinds whose refusal of an unknown field is worded in an older way.
const OLD_WORDS = new Set(['pods', 'nodes', 'namespaces', 'secrets', 'services', 'events', 'replicationcontrollers']);

interface Requirement {
  readonly field: string;
  readonly value: string;
  readonly isEqual: boolean;
}

/** Reads a field selector for a resource; refuses a bad one in the API server's words. */
export function parseFieldSelector(resource: Resource, text: string | undefined): (object: KubeObject) => boolean {
  if (text === undefined || text === '') return () => true;
  const requirements = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => parseRequirement(text, part));
  for (const { field } of requirements) checkField(resource, field);
  return (object) => requirements.every(({ field, value, isEqual }) => (fieldText(object, field) === value) === isEqual);
}

/** The name, when the selector leaves only one. */
export function nameSelected(text: string | undefined): string | undefined {
  return /^metadata\.name==?([^,=!]+)$/.exec(text ?? '')?.[1];
}

function parseRequirement(whole: string, part: string): Requirement {
  const found = /^([^=!]+)(!=|==|=)(.*)$/.exec(part);
  if (!found) throw badRequest(`invalid selector: '${whole}'; can't understand '${part}'`);
  return { field: found[1] ?? '', value: found[3] ?? '', isEqual: found[2] !== '!=' };
}

function checkField(resource: Resource, field: string): void {
  if (field === 'metadata.name' || (field === 'metadata.namespace' && (resource.namespaced || !resource.custom))) return;
  if (resource.custom?.selectableFields.includes(`.${field}`) || FIELDS[resource.storage]?.includes(field)) return;
  if (OLD_WORDS.has(resource.storage)) throw badRequest(`field label not supported: ${field}`);
  if (resource.custom || FIELDS[resource.storage]) throw badRequest(`field label not supported: ${field}`);
  throw badRequest(`"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

const SPECIAL: Readonly<Record<string, (object: KubeObject) => unknown>> = {
  'status.successful': (object) => readField(object, 'status', 'succeeded') ?? 0,
  'status.replicas': (object) => readField(object, 'status', 'replicas') ?? 0,
  'spec.unschedulable': (object) => readField(object, 'spec', 'unschedulable') ?? false,
  'spec.hostNetwork': (object) => readField(object, 'spec', 'hostNetwork') ?? false,
  source: (object) => readField(object, 'source', 'component') ?? readField(object, 'reportingComponent'),
};

function fieldText(object: KubeObject, field: string): string {
  const read = SPECIAL[field];
  return String((read ? read(object) : readField(object, ...field.split('.'))) ?? '');
}
