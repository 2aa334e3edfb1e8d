import { fromCatalogue } from './catalogue/catalogue';

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** A user as people call them: the name, or which service account it is. */
export function sayUser(user: string): string {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  return name === undefined ? user : fromCatalogue(`service account ${name} in ${namespace}`);
}

/** Who asked for a change, and what follows for those who approve it. Of what GitOps applies that is its service account: who changed git nobody tells. */
export function sayAsker(user: string, mayApprove: boolean): string {
  const who = sayUser(user);
  if (mayApprove) return fromCatalogue(`Requested by ${who}.`);
  if (who === user) return fromCatalogue(`Requested by ${who}, who may not approve it.`);
  return fromCatalogue(`Requested by ${who}, which may not approve it. Who changed what it applies is not known here, and may approve it.`);
}

/** Words that may stand before "may" and are no name. */
const NO_NAME = /^(?:it|they|you|this|that|these|those|no|one|someone|each|all|both|which|who|what|only|such|others)$/;
const BY_USER = /^(\S+),? (?:who |which )?may (?!(?:not )?be\b)/;

/** Whether a sentence begins with the name of a user, which is spelled as it is: `viewer may not do this`. */
export function beginsWithUser(sentence: string): boolean {
  const [, first] = BY_USER.exec(sentence) ?? [];
  return first !== undefined && !NO_NAME.test(first);
}
