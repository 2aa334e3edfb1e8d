import { fromCatalogue } from './catalogue/catalogue';

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** A user as people call them: the name, or which service account it is. */
export function formatUser(user: string): string {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  return name === undefined ? user : fromCatalogue(`service account ${name} in ${namespace}`);
}

/** Who asked for a change, and what follows for those who approve it. Of what GitOps applies that is its service account: who changed git nobody tells. */
export function formatRequester(user: string, mayApprove: boolean): string {
  const who = formatUser(user);
  if (mayApprove) return fromCatalogue(`Requested by ${who}.`);
  if (who === user) return fromCatalogue(`Requested by ${who}, who may not approve it.`);
  return fromCatalogue(
    `Requested by ${who}, which may not approve it. Slipway does not know who changed what it applies; that person may approve it.`,
  );
}

/** Words that may stand before "may" and are no name. */
const NO_NAME = /^(?:it|they|you|this|that|these|those|no|one|someone|each|all|both|which|who|what|only|such|others)$/;
const BY_USER = /^(\S+),? (?:who |which )?may (?!(?:not )?be\b)/;
/** Fields, groups, revisions: what has a digit in it, or a dot, a slash or a bracket and goes on. */
const FORM = /^[a-z][\w-]*(?:\d|[./[]\w)/;

/** Whether a sentence begins with a name, which is spelled as it is: `viewer may not do this`, `spec.replicas must be a number`. */
export function beginsWithName(sentence: string): boolean {
  const [, user] = BY_USER.exec(sentence) ?? [];
  return (user !== undefined && !NO_NAME.test(user)) || FORM.test(sentence);
}
