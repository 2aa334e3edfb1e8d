import { readFields, readList, readString } from '@/lib/kube/fields';
import { KINDS, LABELLED_NAMES, PLAN, PUT_BACK, REQUESTED_BY } from '@/lib/kube/kinds';
import { changedLabelsOf, hasSeparator, MAX_LABEL_AUTHORS, toLabelAuthorAnnotations } from '@/lib/kube/labels/label-authors';
import type { KubeObject } from '@/lib/kube/object';
import { inlinePlaces } from '@/lib/kube/sensitive';
import type { UserAnnotations } from '@/lib/kube/user-annotations';
import { deepEqual } from '@/lib/std/deep-equal';
import type { Draft } from '../kinds/draft';
import type { Resource } from '../kinds/resource';
import { rulesOf } from '../kinds/rules/table';
import { hasLineBreak, linesOf, SERVERS } from '../rights/caller';
import { admitToEngines, isEngine } from '../rights/engine-kinds';
import { admitGrant } from '../rights/escalation';
import { admitOwners } from '../rights/owners';
import { admitGrowth } from './claim-growth';
import type { ApiContext, Call, Target } from './context';
import { metadataOf } from './decode-body';
import { forbidden, forbiddenField, invalid, notFound } from './failures';

const ROLLOUTS = { group: 'serving.knative.dev', resource: 'rolloutorchestrators' };
const APPLICATIONS = { group: 'core.oam.dev', resource: 'applications' };
const BASE_RELEASES = { group: 'helm.integrations.flux.weave.works', resource: 'fluxhelmreleases' };
const LATER_RELEASES = { group: 'helm.fluxcd.io', resource: 'helmreleases' };
const OLDER_RELEASES = { group: 'flux.weave.works', resource: 'helmreleases' };
const STORED_RELEASES = { group: '', resource: 'secrets', verb: 'update' };
const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' };

interface About {
  readonly group: string;
  readonly resource: string;
  readonly name?: string;
  /** The right that it requires where that is not the verb of the decision. */
  readonly verb?: string;
}

/** What the decisions of each kind are about. */
const DECISIONS: Readonly<Record<string, (object: Draft) => About>> = {
  'stagedecisions.slipway.dev': (object) => {
    const onRollout = readString(object, 'spec', 'rolloutRef', 'name');
    return onRollout === undefined
      ? { ...APPLICATIONS, name: readString(object, 'spec', 'applicationRef', 'name') ?? '' }
      : { ...ROLLOUTS, name: onRollout };
  },
  'releasedecisions.slipway.dev': (object) => {
    const [kind, group, name = ''] = ['kind', 'group', 'name'].map((member) => readString(object, 'spec', 'releaseRef', member));
    if (kind === 'Secret') return STORED_RELEASES;
    if (kind !== 'HelmRelease') return { ...BASE_RELEASES, name };
    return { ...(group === OLDER_RELEASES.group ? OLDER_RELEASES : LATER_RELEASES), name };
  },
};

/** The namespace of a new object must be there and not be going. */
export function admitNamespace({ store }: ApiContext, resource: Resource, namespace: string, name: string): void {
  const held = store.get('namespaces', namespace);
  if (held === undefined) throw notFound(NAMESPACES, namespace);
  if (held.metadata.deletionTimestamp === undefined) return;
  const cause = { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' };
  throw forbidden(resource, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [cause]);
}

/** A decision names whoever makes it, groups included, and a verb they may use, as the admission policy in deploy/ has it on other clusters. */
export function admitDecision(context: ApiContext, resource: Resource, object: Draft, { caller }: Call): void {
  const { rights } = context;
  if (!(resource.storage in DECISIONS)) return;
  const verb = readString(object, 'spec', 'verb') ?? '';
  const refuse = (sentence: string) => forbidden(resource, readString(object, 'metadata', 'name') ?? '', sentence);
  const actor = readString(object, 'spec', 'actor', 'user');
  if (actor !== undefined && hasLineBreak(actor))
    throw refuse('spec.actor.user must not contain a line break, since notes list one person per line');
  if (caller.groups.includes(SERVERS)) return;
  const isOfEngine = verb === 'gate' && isEngine(context, caller);
  if (actor !== caller.user && !isOfEngine)
    throw refuse(`spec.actor.user must be ${caller.user}, who makes the decision, found ${actor ?? 'nobody'}`);
  const foreign = readList(object, 'spec', 'actor', 'groups').find((group) => !caller.groups.includes(String(group)));
  if (foreign !== undefined) throw refuse(`spec.actor.groups must only be groups of whoever makes the decision, found ${String(foreign)}`);
  const { verb: right = verb, ...about } = DECISIONS[resource.storage]?.(object) ?? { ...APPLICATIONS, name: '' };
  const namespace = readString(object, 'metadata', 'namespace') ?? '';
  if (rights.reasonFor(caller, { verb: right, ...about, namespace }) === undefined)
    throw refuse(
      `${caller.user} does not have the right to ${right === verb ? `${verb} here` : `${right} ${about.resource} here, which ${verb} requires`}`,
    );
  if (verb === 'gate' && !isOfEngine)
    throw refuse(`${caller.user} may not keep a gate, which engines do: it requires the right to create resourcetrackers.core.oam.dev`);
}

const { user: BY, groups: BY_GROUPS, uid: BY_UID } = REQUESTED_BY;
const OF_PARTS =
  'the user name of whoever changes labels or annotations must not contain a line break or a tab, since notes list one person per line';
const tooManyNotes = (lines: number) =>
  forbiddenField(
    'metadata',
    `at most ${MAX_LABEL_AUTHORS} labels and annotations of an Application can be changed one by one, since who changed each is noted; found ${lines}`,
  );
const OF_LINES = 'the user name of whoever changes the spec must not contain a line break, since notes list one person per line';

/** What is admitted about every new or changed object beside its schema; of subresources only the status of what engines keep is looked at. */
export function admitWrite(context: ApiContext, target: Target, object: Draft, previous: KubeObject | undefined, call: Call): void {
  const { resource, subresource } = target;
  admitToEngines(context, target, { object, previous }, call);
  if (subresource !== undefined) return;
  admitOwners(context, call, { resource, object, previous });
  if (resource.storage === 'applications.core.oam.dev') {
    noteRequester(resource, object, previous, call);
    noteLabeller(resource, { object, previous }, call);
    dropVoidPlan(object, previous);
    noteBeside({ ...PUT_BACK, asking: PUT_BACK.asked }, { object, previous }, call);
    noteBeside({ ...PLAN, asking: PLAN.seen }, { object, previous }, call);
    warnOfInlineValues(object, call);
  }
  for (const text of rulesOf(resource.storage).warnings?.(object, previous) ?? []) call.warn(text);
  admitGrowth(context, resource, object, previous);
  admitGrant(context, resource, object, previous, call);
}

/** As the policy in deploy/admission-values.yaml has it on other clusters. */
function warnOfInlineValues(object: Draft, { warn }: Call): void {
  const application = { ...KINDS.application, metadata: readFields(object, 'metadata'), spec: object.spec };
  if (inlinePlaces(application).length > 0) warn(`Validation failed for ValidatingAdmissionPolicy 'values.slipway.dev': ${INLINE_VALUES}`);
}

const INLINE_VALUES =
  'values of Secrets, or of sensitive variables, stand in this Application: whoever may read it reads them; write them through the console, which puts them into a Secret, or refer to a Secret of your own';

/** Whoever changes the spec of an application is noted as having asked for it; a change of anything else keeps the note. */
function noteRequester(resource: Resource, object: Draft, previous: KubeObject | undefined, { caller }: Call): void {
  const changed = previous === undefined || !deepEqual(object.spec, previous.spec);
  if (changed && hasLineBreak(caller.user)) throw forbidden(resource, readString(object, 'metadata', 'name') ?? '', OF_LINES);
  const metadata = metadataOf(object);
  const held = previous?.metadata.annotations;
  const [user, groups, uid] = changed
    ? [caller.user, linesOf(caller), caller.uid ?? '']
    : [held?.[BY] ?? '', held?.[BY_GROUPS] ?? '', held?.[BY_UID] ?? ''];
  const { [BY_UID]: _uid, ...rest } = { ...readFields(metadata, 'annotations') };
  if (user !== '') metadata.annotations = { ...rest, [BY]: user, [BY_GROUPS]: groups, ...(uid === '' ? {} : { [BY_UID]: uid }) };
  else if (readString(object, 'metadata', 'annotations', BY) !== undefined)
    throw forbidden(resource, readString(object, 'metadata', 'name') ?? '', `${BY}, its groups and uid change with the spec only`);
}

/** Whoever changes labels or annotations of an application is noted as well, for each name; ours and those of kubectl reach nothing and do not count. */
function noteLabeller(resource: Resource, { object, previous }: Written, { caller }: Call): void {
  if (hasSeparator(caller.user) && changedLabelsOf(previous, object).length > 0)
    throw forbidden(resource, readString(object, 'metadata', 'name') ?? '', OF_PARTS);
  const annotations = toLabelAuthorAnnotations(object, previous, caller);
  if (annotations === undefined) return;
  const lines = annotations[LABELLED_NAMES.names]?.split('\n').length ?? 0;
  if (lines > MAX_LABEL_AUTHORS) throw invalid(resource, readString(object, 'metadata', 'name') ?? '', [tooManyNotes(lines)]);
  metadataOf(object).annotations = annotations;
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
function noteBeside(
  { asking, ...note }: UserAnnotations & { readonly asking: string },
  { object, previous }: Written,
  { caller }: Call,
): void {
  const { [note.user]: _user, [note.groups]: _groups, ...rest } = { ...readFields(object, 'metadata', 'annotations') };
  const held = previous?.metadata.annotations ?? {};
  const asked = rest[asking] ?? '';
  const metadata = metadataOf(object);
  if (metadata.annotations === undefined) return;
  const isNew = asked !== (held[asking] ?? '');
  const [user, groups] = isNew ? [caller.user, linesOf(caller)] : [held[note.user] ?? '', held[note.groups] ?? ''];
  metadata.annotations = asked === '' || user === '' ? rest : { ...rest, [note.user]: user, [note.groups]: groups };
}
