const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** A user as people call them: the name, or which service account it is. */
export function sayUser(user: string): string {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  return name === undefined ? user : `service account ${name} in ${namespace}`;
}

/** Who asked for a change, and what follows for those who approve it. Of what GitOps applies that is its service account: who changed git nobody tells. */
export function sayAsker(user: string, mayApprove: boolean): string {
  const who = sayUser(user);
  if (mayApprove) return `Requested by ${who}.`;
  if (who === user) return `Requested by ${who}, who may not approve it.`;
  return `Requested by ${who}, which may not approve it. Who changed what it applies is not known here, and may approve it.`;
}
