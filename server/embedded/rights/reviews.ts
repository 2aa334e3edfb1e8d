import { isFields, readField, readFields, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { ApiContext, Call, Target } from '../api/context';
import { invalid, invalidValue, methodNotAllowed } from '../api/failures';
import type { Resource } from '../kinds/resource';
import { apiVersionOf } from '../kinds/resource';
import type { Caller } from './caller';
import type { Attempt } from './rights';

/** Answers the kinds that are questions: who am I, may I, may they, whose token is this. */
export function createReview(context: ApiContext, call: Call, { resource, namespace }: Target, body: KubeObject): KubeObject {
  const spec = readFields(body, 'spec');
  const answer = (status: object) => ({
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { ...body.metadata },
    spec,
    status,
  });
  switch (resource.kind) {
    case 'SelfSubjectReview':
      return {
        kind: resource.kind,
        apiVersion: apiVersionOf(resource),
        metadata: { ...body.metadata },
        status: { userInfo: toUserInfo(call.caller) },
      };
    case 'SelfSubjectAccessReview':
      return answer(evaluate(context, resource, call.caller, spec));
    case 'SubjectAccessReview':
      return answer(evaluate(context, resource, subjectOf(resource, spec), spec));
    case 'LocalSubjectAccessReview':
      checkNamespace(resource, spec, namespace);
      return answer(evaluate(context, resource, subjectOf(resource, spec), spec));
    case 'SelfSubjectRulesReview':
      return answer(rulesStatus(context, call.caller, readString(spec, 'namespace') ?? ''));
    case 'TokenReview':
      return answer(tokenStatus(context, readString(spec, 'token') ?? ''));
    default:
      throw methodNotAllowed(resource, 'create');
  }
}

function checkNamespace(resource: Resource, spec: Readonly<Record<string, unknown>>, namespace: string | undefined): void {
  const asked = readString(spec, 'resourceAttributes', 'namespace');
  if (asked === namespace) return;
  const wrong = invalidValue('spec.resourceAttributes.namespace', asked ?? '', 'must match metadata.namespace');
  throw invalid({ group: resource.group, kind: '' }, '', [wrong]);
}

function subjectOf(resource: Resource, spec: Readonly<Record<string, unknown>>): Caller {
  const user = readString(spec, 'user') ?? '';
  const groups = readList(spec, 'groups').filter((group): group is string => typeof group === 'string');
  const wrong = 'at least one of user or group must be specified';
  if (user === '' && groups.length === 0) throw invalid({ group: resource.group, kind: '' }, '', [invalidValue('spec.user', '', wrong)]);
  return { user, groups };
}

function evaluate({ rights }: ApiContext, resource: Resource, caller: Caller, spec: Readonly<Record<string, unknown>>): object {
  const asked = readField(spec, 'resourceAttributes');
  const path = readField(spec, 'nonResourceAttributes');
  if (isFields(asked) === isFields(path)) {
    const wrong = isFields(asked)
      ? 'cannot be specified in combination with resourceAttributes'
      : 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    throw invalid({ group: resource.group, kind: '' }, '', [
      invalidValue(isFields(asked) ? 'spec.nonResourceAttributes' : 'spec.resourceAttributes', null, wrong),
    ]);
  }
  const reason = rights.reasonFor(
    caller,
    isFields(asked) ? toAttempt(asked) : { verb: readString(path, 'verb') ?? '', path: readString(path, 'path') ?? '' },
  );
  return { allowed: reason !== undefined, ...(reason ? { reason } : {}) };
} // prettier-ignore

function toAttempt(attributes: Readonly<Record<string, unknown>>): Attempt {
  const word = (member: string) => readString(attributes, member) ?? '';
  return {
    verb: word('verb'),
    group: word('group'),
    resource: word('resource'),
    name: word('name'),
    ...(word('subresource') ? { subresource: word('subresource') } : {}),
    ...(word('namespace') ? { namespace: word('namespace') } : {}),
  };
}

function rulesStatus({ rights }: ApiContext, caller: Caller, namespace: string): object {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const isMaster = rights.reasonFor(caller, { verb: '*', group: '*', resource: '*' }) === '';
  const rules = rights.rulesOf(caller, namespace);
  const full = (member: readonly string[], name: string) => (member.length > 0 ? { [name]: member } : {});
  return {
    resourceRules: [
      ...(isMaster ? [everything] : []),
      ...rules
        .filter(({ resources }) => resources.length > 0)
        .map((rule) => ({
          verbs: rule.verbs,
          apiGroups: rule.apiGroups,
          resources: rule.resources,
          ...full(rule.resourceNames, 'resourceNames'),
        })),
    ],
    nonResourceRules: [
      ...(isMaster ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : []),
      ...rules
        .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    ],
    incomplete: false,
  };
}

function tokenStatus({ tokens }: ApiContext, token: string): object {
  const caller = tokens.callerOf(token);
  if (caller === undefined) return { user: {}, error: '[invalid bearer token]' };
  return { authenticated: true, user: toUserInfo(caller), audiences: ['https://kubernetes.default.svc.cluster.local'] };
}

function toUserInfo({ user, groups, uid, extra }: Caller): object {
  return { username: user, ...(uid ? { uid } : {}), groups, ...(extra ? { extra } : {}) };
}
