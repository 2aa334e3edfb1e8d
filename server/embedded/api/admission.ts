import { readList, readString } from '@/lib/kube/fields';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import { isMaster } from '../rights/caller';
import type { ApiContext, Call } from './context';
import { forbidden, notFound } from './failures';

const ROLLOUTS = { group: 'serving.knative.dev', resource: 'rolloutorchestrators' };
const APPLICATIONS = { group: 'core.oam.dev', resource: 'applications' };
const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' };
/** Members may write decisions in the name of others: they have checked who it is. */
const SERVERS = 'slipway:servers';

/** The namespace of a new object must be there and not be going. */
export function admitNamespace({ store }: ApiContext, resource: Resource, namespace: string, name: string): void {
  const held = store.get('namespaces', namespace);
  if (held === undefined) throw notFound(NAMESPACES, namespace);
  if (held.metadata.deletionTimestamp === undefined) return;
  const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' };
  throw forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [cause]);
}

/** A decision names whoever makes it, groups included, and a verb they may use, as the admission policy in deploy/ has it on other clusters. */
export function admitDecision({ rights }: ApiContext, resource: Resource, object: Draft, { caller }: Call): void {
  if (resource.storage !== 'stagedecisions.slipway.dev' || isMaster(caller) || caller.groups.includes(SERVERS)) return;
  const refuse = (sentence: string) => forbidden(resource, readString(object, 'metadata', 'name') ?? '', sentence);
  const actor = readString(object, 'spec', 'actor', 'user');
  if (actor !== caller.user) throw refuse(`spec.actor.user wants ${caller.user}, who makes the decision, found ${actor ?? 'nobody'}`);
  const foreign = readList(object, 'spec', 'actor', 'groups').find((group) => !caller.groups.includes(String(group)));
  if (foreign !== undefined) throw refuse(`spec.actor.groups wants groups of whoever makes the decision only, found ${String(foreign)}`);
  const verb = readString(object, 'spec', 'verb') ?? '';
  const onRollout = readString(object, 'spec', 'rolloutRef', 'name');
  const about = onRollout === undefined ? APPLICATIONS : ROLLOUTS;
  const name = onRollout ?? readString(object, 'spec', 'applicationRef', 'name') ?? '';
  const namespace = readString(object, 'metadata', 'namespace') ?? '';
  if (rights.reasonFor(caller, { verb, ...about, namespace, name }) === undefined) throw refuse(`${caller.user} has not the right to ${verb} here`);
}
