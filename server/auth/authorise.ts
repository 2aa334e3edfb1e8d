import { AppError } from '@/lib/contract/app-error';
import { FLUX_KIND_NAMES, FLUX_SOURCE_NAMES } from '@/lib/contract/flux-kind';
import type { Topic } from '@/lib/contract/topic';
import type { TypeRef } from '@/lib/kube/object';
import { assertNever } from '@/lib/std/exhaustive';
import { inParallel } from '@/lib/std/in-parallel';
import type { Instant } from '@/lib/std/instant';
import { sayList } from '@/lib/words/figures';
import type { Cluster } from '@/server/kube';
import { describeRight, findResource, isNoMatch, toKindRef } from '@/server/kube';
import type { AccessReviews } from './access-review';
import type { Act, Grant, Right, Visibility } from './act';
import { FLUX_RESOURCES, RESOURCES } from './act';
import { decisionRights } from './rights/decision-rights';
import { refusal, refusedAsError } from './rights/refusal';
import { releasesOf, uninstallRights } from './rights/release-rights';
import { rightsInto } from './rights/rights-into';
import type { Session } from './session';

/** What Kubernetes calls what is done to an object. */
const RIGHT_TO = { edit: 'update', restart: 'patch', scale: 'patch', delete: 'delete' } as const;

const AT_ONCE = 8;
const EVERYTHING: Grant = { visibility: 'all' };

/** Decides whether a session may act; throws unauthenticated or forbidden with a sentence, else tells what it may see. No answer from before an instant will do where one is given. */
export type Authorise = (session: Session | undefined, act: Act, notBefore?: Instant) => Promise<Grant>;

/** The one function that every route, topic and command passes. */
export function createAuthorise(cluster: Cluster, reviews: AccessReviews, servesFlux: () => boolean = () => false): Authorise {
  return async (session, act, notBefore) => {
    if (act.kind === 'enter' || act.kind === 'call-hook' || (act.kind === 'measure' && act.fromLoopback)) return EVERYTHING;
    if (session === undefined) throw new AppError('unauthenticated', 'you are not signed in, or the session ended; sign in again');
    return evaluate(
      {
        session,
        may: (right) => reviews.may(session, right, notBefore),
        namespacesWith: (right) => reviews.namespacesWith(session, right, notBefore),
        cluster,
        servesFlux,
      },
      act,
    );
  };
}

/** Who asks, and whom to ask about them. */
interface Asking {
  readonly session: Session;
  readonly may: (right: Right) => Promise<boolean>;
  readonly namespacesWith: (right: Right) => Promise<readonly string[]>;
  readonly cluster: Cluster;
  /** Whether the cluster has the kinds of Flux: rights to what nobody has are not asked for. */
  readonly servesFlux: () => boolean;
}

async function evaluate(asking: Asking, act: Exclude<Act, { readonly kind: 'enter' | 'call-hook' }>): Promise<Grant> {
  switch (act.kind) {
    case 'measure':
    case 'see-self':
      return EVERYTHING;
    case 'invite':
      return mayInvite(asking.session);
    case 'see-sessions':
    case 'end-session':
      return demand(asking, { verb: act.kind === 'see-sessions' ? 'list' : 'delete', ...RESOURCES.sessions });
    case 'view-topic':
      return viewTopic(asking, act.topic);
    case 'view-object':
      return viewObject(asking, act);
    case 'view-status':
      return viewStatus(asking, act);
    case 'view-logs':
      return viewLogs(asking, act);
    case 'open-terminal':
    case 'forward-ports':
      return demand(asking, ...rightsInto(act));
    case 'view-kind':
      return viewKind(asking, act);
    case 'view-record':
      return see(asking, list(RESOURCES.applications), act.ns);
    case 'decide':
    case 'decide-release':
      return demand(asking, ...decisionRights(act));
    case 'change-release':
    case 'delete-release':
      return demand(asking, { verb: act.kind === 'change-release' ? 'update' : 'delete', ...releasesOf(act.of), namespace: act.ns, name: act.name });
    case 'uninstall-undeclared':
      return demand(asking, ...uninstallRights(act.ns));
    case 'ask-flux':
      return demand(asking, { verb: 'patch', ...FLUX_RESOURCES[act.of], namespace: act.ns, name: act.name });
    case 'create-application':
      return demand(asking, { verb: 'create', ...RESOURCES.applications, namespace: act.ns });
    case 'create-somewhere':
      return see(asking, { verb: 'create', ...RESOURCES.applications }, undefined);
    case 'change-application':
    case 'delete-application':
      return demand(asking, { verb: act.kind === 'change-application' ? 'update' : 'delete', ...RESOURCES.applications, namespace: act.ns, name: act.name });
    case 'act-on-object':
      return demand(asking, { ...(await rightToGet(asking, act)), verb: RIGHT_TO[act.verb], name: act.name });
    case 'write-object':
      return demand(asking, act.right);
    default:
      return assertNever(act);
  }
}

async function viewTopic(asking: Asking, topic: Topic): Promise<Grant> {
  switch (topic.kind) {
    case 'status':
      // The frame of every page: whoever is signed in sees whether the cluster answers, and counts of what they may see.
      return withReleases(asking, await narrow(asking, list(RESOURCES.applications), undefined));
    case 'inbox':
      return withReleases(asking, await see(asking, list(RESOURCES.applications), undefined));
    case 'applications':
    case 'activity':
      return see(asking, list(RESOURCES.applications), topic.query.ns);
    case 'rollouts':
      return see(asking, list(RESOURCES.rollouts), topic.query.ns);
    case 'releases':
      return seeReleases(asking, topic.query.ns);
    case 'flux':
      return demandOne(asking, { verb: 'get', ...FLUX_RESOURCES[topic.of], namespace: topic.ns }, topic.name);
    case 'flux-sources':
      return seeEach(
        asking,
        FLUX_SOURCE_NAMES.map((name) => ({ verb: 'list', ...FLUX_RESOURCES[name] })),
        topic.query.ns,
      );
    case 'facets':
      return viewTopic(asking, { kind: topic.of, query: {} });
    case 'trackers':
    case 'strays':
      return see(asking, list(RESOURCES.trackers), topic.query.ns);
    case 'engine':
      return demand(asking, list(RESOURCES.applications));
    case 'application':
    case 'tree':
    case 'tree-spot':
    case 'tree-facets':
    case 'graph':
    case 'ledger':
    case 'ledger-page':
      return demandOne(asking, { verb: 'get', ...RESOURCES.applications, namespace: topic.ns }, topic.name);
    case 'rollout':
      return demandOne(asking, { verb: 'get', ...RESOURCES.rollouts, namespace: topic.ns }, topic.name);
    case 'release':
      return demandOne(asking, { verb: 'get', ...releasesOf(topic.of), namespace: topic.ns }, topic.name);
    case 'tracker':
      return demandOne(asking, { verb: 'get', ...RESOURCES.trackers }, topic.name);
  }
}

async function viewLogs(asking: Asking, { ns, pod, application }: Act & { readonly kind: 'view-logs' }): Promise<Grant> {
  const pods = { group: '', resource: 'pods', namespace: ns };
  const log = { verb: 'get', ...pods, subresource: 'log' };
  if (application !== undefined) await viewTopic(asking, { kind: 'application', ns, name: application });
  if (pod === undefined) return demand(asking, { verb: 'list', ...pods }, log);
  await demandOne(asking, { verb: 'get', ...pods }, pod);
  return demandOne(asking, log, pod);
}

async function viewObject(asking: Asking, act: Act & { readonly kind: 'view-object' }): Promise<Grant> {
  return demand(asking, { ...(await rightToGet(asking, act)), name: act.name });
}

const viewStatus = async (asking: Asking, act: Act & { readonly kind: 'view-status' }): Promise<Grant> =>
  demandOne(asking, await rightToGet(asking, act), act.name);

async function viewKind(asking: Asking, { verb, of, ns, name }: Act & { readonly kind: 'view-kind' }): Promise<Grant> {
  const { group, plural, namespaced } = await findResource(asking.cluster.discovery, of).catch((error: unknown) => {
    if (!isNoMatch(error)) throw error;
    throw new AppError('not-found', `the cluster serves no ${of.named}${of.group === '' ? '' : ` in ${of.group}`}`);
  });
  if (namespaced && name !== undefined && ns === undefined) throw new AppError('invalid', `one of the ${plural} is named with its namespace`);
  const everywhere = { verb, group, resource: plural };
  if (await asking.may(everywhere)) return EVERYTHING;
  const right = namespaced && ns !== undefined ? { ...everywhere, namespace: ns } : everywhere;
  return name === undefined ? demand(asking, right) : demandOne(asking, right, name);
}

/** Wants a right to one of many: the one to all of them is asked for first, so that many are one question. */
async function demandOne(asking: Asking, right: Right, name: string): Promise<Grant> {
  return (await asking.may(right)) ? EVERYTHING : demand(asking, { ...right, name });
}

/** What is wanted for all objects of a kind where the act is about one of them. */
async function rightToGet({ cluster }: Asking, { type, ns }: { readonly type: TypeRef; readonly ns: string | undefined }): Promise<Right> {
  const resource = await cluster.discovery.resolveKind(toKindRef(type)).catch((error: unknown) => {
    if (isNoMatch(error)) throw new AppError('not-found', `the cluster serves no kind ${type.kind} in ${type.apiVersion}, nor at another version`);
    throw error;
  });
  const right = { verb: 'get', group: resource.group, resource: resource.plural };
  return resource.namespaced ? { ...right, namespace: ns ?? 'default' } : right;
}

function mayInvite(session: Session): Grant {
  if (session.mayInvite) return EVERYTHING;
  throw new AppError('forbidden', `links for other roles are made by the first session of the demonstration only, not by ${session.user}`);
}

const list = (resource: (typeof RESOURCES)[keyof typeof RESOURCES]): Right => ({ verb: 'list', ...resource });

/** Wants every one of these rights. */
async function demand({ session, may }: Asking, ...rights: readonly Right[]): Promise<Grant> {
  for (const right of rights) {
    if (!(await may(right))) throw refusal(session, describeRight(right), [right]);
  }
  return EVERYTHING;
}

/** The namespaces that an act is about; undefined of all. */
type Namespaces = readonly string[] | undefined;

/** All namespaces where a right is held; where the act is about some of them, those are asked about alone. */
async function narrow({ may, namespacesWith }: Asking, right: Right, namespaces: Namespaces): Promise<Grant> {
  if (await may(right)) return EVERYTHING;
  if (namespaces === undefined) return { visibility: await namespacesWith(right) };
  const held = await Promise.all(namespaces.map((namespace) => may({ ...right, namespace })));
  return { visibility: namespaces.filter((_, at) => held[at]) };
}

/** As `narrow`, and refuses who holds the right nowhere, or not in one of the namespaces that are named: what is shown is never less than was asked for. */
async function see(asking: Asking, right: Right, namespaces: Namespaces): Promise<Grant> {
  const grant = await narrow(asking, right, namespaces);
  const { visibility } = grant;
  if (namespaces === undefined && visibility.length > 0) return grant;
  if (namespaces === undefined) throw refusal(asking.session, `${describeRight(right)} or in any one`, [right]);
  const missing = visibility === 'all' ? undefined : namespaces.find((namespace) => !visibility.includes(namespace));
  if (missing === undefined) return grant;
  throw refusal(asking.session, describeRight({ ...right, namespace: missing }), [{ ...right, namespace: missing }]);
}

/** The inbox is about applications, and tells of releases where both kinds may be listed as well, and of Flux where all of its kinds may be. */
async function withReleases(asking: Asking, { visibility }: Grant): Promise<Grant> {
  const [releases, flux] = await Promise.all([
    whereAll(asking, [list(RESOURCES.baseReleases), list(RESOURCES.laterReleases)], visibility),
    asking.servesFlux()
      ? whereAll(
          asking,
          FLUX_KIND_NAMES.map((name) => ({ verb: 'list', ...FLUX_RESOURCES[name] })),
          visibility,
        )
      : undefined,
  ]);
  return { visibility, ...(releases && { releases }), ...(flux && { flux }) };
}

/** Of some namespaces those in which all of these rights are held, one after the other; undefined where nobody knows which those would be. */
async function whereAll({ may }: Asking, rights: readonly Right[], visibility: Visibility): Promise<Visibility | undefined> {
  const mayIn = async (where: { readonly namespace?: string }) => {
    for (const right of rights) if (!(await may({ ...right, ...where }))) return false;
    return true;
  };
  if (await mayIn({})) return visibility;
  if (visibility === 'all') return undefined;
  const found: string[] = [];
  await inParallel(visibility, AT_ONCE, async (namespace) => {
    if (await mayIn({ namespace })) found.push(namespace);
  });
  return found.sort();
}

/**
 * One table shows the resources of both kinds that are driven here, so it shows the namespaces in which both may be listed; beside them those that
 * Flux drives, by the right to list them. Whoever may list either sees a table.
 */
async function seeReleases(asking: Asking, namespaces: Namespaces): Promise<Grant> {
  const own = await seeEach(asking, [list(RESOURCES.baseReleases), list(RESOURCES.laterReleases)], namespaces).catch(refusedAsError);
  const { visibility: releases } = await narrow(asking, { verb: 'list', ...FLUX_RESOURCES['helmrelease-v2'] }, namespaces);
  if (own instanceof Error && releases.length === 0) throw own;
  return { visibility: own instanceof Error ? [] : own.visibility, releases };
}

/** As `see`, of one table for several kinds: the namespaces in which every one of these rights is held. */
async function seeEach(asking: Asking, rights: readonly Right[], namespaces: Namespaces): Promise<Grant> {
  let visibility: Visibility = 'all' as Visibility; // narrowed by each right
  for (const right of rights) {
    const { visibility: seen } = await see(asking, right, namespaces);
    visibility = inBoth(visibility, seen);
  }
  if (visibility.length > 0) return { visibility };
  const wanted = sayList(rights.map((right) => describeRight(right)));
  throw refusal(asking.session, `${wanted}, ${rights.length === 2 ? 'both' : 'all'} in one namespace`, rights);
}

const inBoth = (one: Visibility, other: Visibility): Visibility =>
  one === 'all' ? other : other === 'all' ? one : one.filter((namespace) => other.includes(namespace));
