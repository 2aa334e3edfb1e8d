import type { Person } from '@/server/kube';
import type { ApiContext } from '../api/context';
import { refusal } from '../api/context';
import { forbidden } from '../api/failures';
import type { Caller } from './caller';

/** Acting for somebody needs the right to, for the user, each group, the uid and each extra. */
export function checkImpersonation({ rights }: Pick<ApiContext, 'rights'>, caller: Caller, person: Person): void {
  const wanted = [
    toSubject(person.user),
    ...person.groups.map((name) => ({ group: '', resource: 'groups', name })),
    ...(person.uid ? [{ group: 'authentication.k8s.io', resource: 'uids', name: person.uid }] : []),
    ...Object.entries(person.extra ?? {}).flatMap(([key, values]) =>
      values.map((name) => ({ group: 'authentication.k8s.io', resource: 'userextras', subresource: key, name })),
    ),
  ];
  for (const attempt of wanted) {
    const asked = { verb: 'impersonate', ...attempt };
    if (rights.reasonFor(caller, asked) !== undefined) continue;
    throw forbidden({ group: attempt.group, plural: attempt.resource, kind: attempt.resource }, attempt.name, refusal(caller, asked));
  }
}

function toSubject(user: string) {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  if (namespace !== undefined && name !== undefined) return { group: '', resource: 'serviceaccounts', namespace, name };
  return { group: '', resource: 'users', name: user };
}
