import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { CHARTS_ACCOUNT } from '@/lib/contract/grant';
import type { Granted } from './granted';

const person = z.object({ username: z.string(), groups: z.array(z.string()).default([]) });
const event = z.object({
  verb: z.string(),
  userAgent: z.string().default(''),
  user: person,
  impersonatedUser: person.optional(),
  authenticationMetadata: z.object({ impersonationConstraint: z.string().optional() }).optional(),
  objectRef: z
    .object({
      apiGroup: z.string().default(''),
      resource: z.string(),
      subresource: z.string().optional(),
      namespace: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number() }).optional(),
  annotations: z.record(z.string(), z.string()).default({}),
});

/** A right that was made use of. */
export interface Use {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Whom it was done to, of an impersonation. */
  readonly name: string | undefined;
}

/** What tests themselves ask with the server's credentials, to see what is refused, says so. */
export const TEST_AGENT = 'test';
const DECISION = 'authorization.k8s.io/decision';
const CREATED = 201;

/** The rights that a request of an audit log made use of; none where it was refused. */
export function usesOf(line: unknown): readonly Use[] {
  const { verb, userAgent, impersonatedUser, authenticationMetadata, objectRef, responseStatus, annotations } = event.parse(line);
  if (annotations[DECISION] !== 'allow' || userAgent.endsWith(`(${TEST_AGENT})`)) return [];
  const constraint = authenticationMetadata?.impersonationConstraint;
  const impersonations =
    impersonatedUser === undefined ? [] : [...impersonationsOf(impersonatedUser, constraint), ...actedOn(verb, objectRef, constraint)];
  // The account of charts has the Role that the server has in its namespace; whoever else is acted as has rights of their own.
  if (objectRef === undefined || (impersonatedUser !== undefined && accountOf(impersonatedUser.username)?.name !== CHARTS_ACCOUNT))
    return impersonations;
  const { apiGroup: group, subresource, namespace } = objectRef;
  const resource = subresource === undefined ? objectRef.resource : `${objectRef.resource}/${subresource}`;
  // What applying or replacing an object creates wants the right to create it as well.
  const verbs = responseStatus?.code === CREATED && verb !== 'create' ? [verb, 'create'] : [verb];
  return [...impersonations, ...verbs.map((one) => ({ verb: one, group, resource, namespace, name: undefined }))];
}

/** What constrained impersonation wants beside: the right to do just this as somebody. */
function actedOn(verb: string, at: z.infer<typeof event>['objectRef'], constraint: string | undefined): readonly Use[] {
  if (constraint === undefined || at === undefined) return [];
  const resource = at.subresource === undefined ? at.resource : `${at.resource}/${at.subresource}`;
  return [
    {
      verb: `${constraint.replace('impersonate:', 'impersonate-on:')}:${verb}`,
      group: at.apiGroup,
      resource,
      namespace: at.namespace,
      name: undefined,
    },
  ];
}

function impersonationsOf({ username, groups }: z.infer<typeof person>, constraint: string | undefined): readonly Use[] {
  const account = accountOf(username);
  const whom =
    account === undefined ? { resource: 'users', namespace: undefined, name: username } : { resource: 'serviceaccounts', ...account };
  // Groups of the system come with a user by themselves.
  const own = groups.filter((group) => !group.startsWith('system:')).map((name) => ({ resource: 'groups', namespace: undefined, name }));
  const way = constraint === undefined ? { verb: 'impersonate', group: '' } : { verb: constraint, group: 'authentication.k8s.io' };
  return [whom, ...own].map((one) => ({ ...way, ...one }));
}

function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Which rights were used, by all audit logs of a folder. */
export class Uses {
  readonly #seen = new Set<string>();

  /** Takes in what one request made use of. */
  add(uses: readonly Use[]): void {
    for (const { verb, group, resource, namespace, name } of uses) {
      // What is given everywhere, or on whatever object, is used by a use anywhere.
      for (const where of [namespace, undefined])
        for (const whom of [name, undefined]) this.#seen.add(keyOf([verb, group, resource, where, whom]));
    }
  }

  /** The verbs of a granted resource that nothing used, and of which no line says why they stay. */
  missing({ verbs, unused, group, resource, namespace, name }: Granted): readonly string[] {
    return verbs.filter((verb) => !unused.includes(verb) && !this.#seen.has(keyOf([verb, group, resource, namespace, name])));
  }
}

const keyOf = (parts: readonly (string | undefined)[]) => parts.map((part) => part ?? '').join(' ');

/** Reads the audit logs of a folder: one of each control plane. */
export async function readUses(folder: string): Promise<Uses> {
  const uses = new Uses();
  for (const file of await readdir(folder)) {
    let last = '';
    const take = () => last !== '' && uses.add(usesOf(JSON.parse(last)));
    for await (const line of createInterface({ input: createReadStream(path.join(folder, file)) })) {
      take();
      last = line;
    }
    // A control plane that was ended may have been about to write its last line.
    if (last.endsWith('}')) take();
  }
  return uses;
}
