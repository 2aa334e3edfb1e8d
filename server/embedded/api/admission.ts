import { readField, readFields, readList, readString } from '@/lib/kube/fields';
import { LABELLED_BY, PLAN, PUT_BACK, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { NoteNames } from '@/lib/kube/person-note';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import type { Caller } from '../rights/caller';
import { isMaster } from '../rights/caller';
import { admitGrant } from '../rights/escalation';
import type { ApiContext, Call, Target } from './context';
import { metadataOf } from './decode-body';
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

const { user: BY, groups: BY_GROUPS } = REQUESTED_BY;

/** What is admitted about every new or changed object beside its schema; subresources are not looked at. */
export function admitWrite(context: ApiContext, { resource, subresource }: Target, object: Draft, previous: KubeObject | undefined, call: Call): void {
  if (subresource !== undefined) return;
  if (resource.storage === 'applications.core.oam.dev') {
    noteRequester(resource, object, previous, call);
    noteLabeller(object, previous, call);
    dropVoidPlan(object, previous);
    noteBeside({ ...PUT_BACK, asking: PUT_BACK.asked }, { object, previous }, call);
    noteBeside({ ...PLAN, asking: PLAN.seen }, { object, previous }, call);
  }
  if (resource.storage === 'applicationrevisions.core.oam.dev') admitRevision(context, resource, object, previous, call);
  if (resource.storage === 'rolloutorchestrators.serving.knative.dev') admitRollout(context, resource, object, previous, call);
  admitGrant(context, resource, object, previous, call);
}

/** Whoever changes the spec of an application is noted as having asked for it; a change of anything else keeps the note. */
function noteRequester(resource: Resource, object: Draft, previous: KubeObject | undefined, { caller }: Call): void {
  const changed = previous === undefined || !deepEqual(object.spec, previous.spec);
  const metadata = metadataOf(object);
  const held = previous?.metadata.annotations;
  const note = changed ? { [BY]: caller.user, [BY_GROUPS]: linesOf(caller) } : { [BY]: held?.[BY] ?? '', [BY_GROUPS]: held?.[BY_GROUPS] ?? '' };
  if (note[BY] !== '') metadata.annotations = { ...(metadata.annotations as object | undefined), ...note };
  else if (readString(object, 'metadata', 'annotations', BY) !== undefined)
    throw forbidden(resource, readString(object, 'metadata', 'name') ?? '', `${BY} and its groups change with the spec only`);
}

const NEITHER_OURS_NOR_KUBECTLS = /^(?!slipway\.dev\/|kubectl\.kubernetes\.io\/)/;

/** Whoever changes labels or annotations of an application is noted as well; ours and those of kubectl reach nothing and do not count. */
function noteLabeller(object: Draft, previous: KubeObject | undefined, { caller }: Call): void {
  const metadata = metadataOf(object);
  const words = (of: Draft | KubeObject | undefined) =>
    ['labels', 'annotations'].map((member) =>
      Object.fromEntries(Object.entries(readFields(of, 'metadata', member)).filter(([name]) => NEITHER_OURS_NOR_KUBECTLS.test(name))),
    );
  const isOther = !deepEqual(words(object), words(previous));
  const held = previous?.metadata.annotations ?? {};
  const { [LABELLED_BY.user]: _user, [LABELLED_BY.groups]: _groups, ...rest } = { ...readFields(object, 'metadata', 'annotations') };
  const [user, groups] = isOther ? [caller.user, linesOf(caller)] : [held[LABELLED_BY.user] ?? '', held[LABELLED_BY.groups] ?? ''];
  if (user !== '') metadata.annotations = { ...rest, [LABELLED_BY.user]: user, [LABELLED_BY.groups]: groups };
  else if (metadata.annotations !== undefined) metadata.annotations = rest;
}

/** A plan that was seen of one spec is void for any other. */
function dropVoidPlan(object: Draft, previous: KubeObject | undefined): void {
  const metadata = metadataOf(object);
  const seen = previous?.metadata.annotations?.[PLAN.seen];
  if (seen === undefined || readString(metadata, 'annotations', PLAN.seen) !== seen || deepEqual(object.spec, previous?.spec)) return;
  const { [PLAN.seen]: _void, ...rest } = { ...readFields(metadata, 'annotations') };
  metadata.annotations = rest;
}

interface Written {
  readonly object: Draft;
  readonly previous: KubeObject | undefined;
}

/** Whoever sets an annotation by which something is asked for is noted beside it; the note goes with it. */
function noteBeside({ asking, ...note }: NoteNames & { readonly asking: string }, { object, previous }: Written, { caller }: Call): void {
  const { [note.user]: _user, [note.groups]: _groups, ...rest } = { ...readFields(object, 'metadata', 'annotations') };
  const held = previous?.metadata.annotations ?? {};
  const asked = rest[asking] ?? '';
  const metadata = metadataOf(object);
  if (metadata.annotations === undefined) return;
  const isNew = asked !== (held[asking] ?? '');
  const [user, groups] = isNew ? [caller.user, linesOf(caller)] : [held[note.user] ?? '', held[note.groups] ?? ''];
  metadata.annotations = asked === '' || user === '' ? rest : { ...rest, [note.user]: user, [note.groups]: groups };
}

const linesOf = ({ groups }: Caller) => groups.filter((group) => !group.includes('\n')).join('\n');

/** Revisions are made by engines, which are those who may create trackers; whose they are and what they hold is theirs to say. */
function admitRevision(context: ApiContext, resource: Resource, object: Draft, previous: KubeObject | undefined, { caller }: Call): void {
  const said = ({ spec, metadata }: Draft | KubeObject) => [
    spec,
    readField(metadata, 'labels'),
    readField(metadata, 'annotations'),
    readField(metadata, 'ownerReferences'),
  ];
  if ((previous !== undefined && deepEqual(said(object), said(previous))) || isEngine(context, caller)) return;
  throw notAnEngine(resource, readString(object, 'metadata', 'name') ?? '', caller);
}

/** Whoever took the newest revision away would have the one before vouch for what is written next. */
export function admitDelete(context: ApiContext, { resource, name }: Target, { caller }: Call): void {
  if (resource.storage !== 'applicationrevisions.core.oam.dev' || isEngine(context, caller)) return;
  throw notAnEngine(resource, name ?? '', caller);
}

const notAnEngine = (resource: Resource, name: string, { user }: Caller) =>
  forbidden(resource, name, `${user} may not write ApplicationRevisions, which engines make: it wants the right to create resourcetrackers.core.oam.dev`);

function admitRollout(context: ApiContext, resource: Resource, object: Draft, previous: KubeObject | undefined, { caller }: Call): void {
  if (readString(object, 'metadata', 'annotations', BY) === previous?.metadata.annotations?.[BY] || isEngine(context, caller)) return;
  const sentence = `${BY} of a rollout is written by its engine; ${caller.user} may not change it`;
  throw forbidden(resource, readString(object, 'metadata', 'name') ?? '', sentence);
}

const isEngine = ({ rights }: ApiContext, caller: Caller) =>
  rights.reasonFor(caller, { verb: 'create', group: APPLICATIONS.group, resource: 'resourcetrackers' }) !== undefined;
