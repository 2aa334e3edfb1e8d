import { createHash } from 'node:crypto';

const LONGEST = 53;
const KEPT = 40;
const HEX = 12;

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly releaseName: string | undefined;
}

/** The namespace a resource counts as being in (R-TYPE-4). */
export function namespaceOf(namespace: string | undefined): string {
  return namespace || 'default';
}

/** The release name of a base resource: as written, else namespace and name, never shortened (R-TYPE-1, R-TYPE-2, R-TYPE-6). */
export function baseReleaseName({ namespace, name, releaseName }: Named): string {
  return releaseName || `${namespace}-${name}`;
}

/** The release name of a later kind: it carries another target namespace, and is shortened to what Helm takes (X-NAME-1, X-NAME-2). */
export function extendedReleaseName({
  namespace,
  name,
  releaseName,
  targetNamespace,
}: Named & { readonly targetNamespace: string | undefined }): string {
  if (releaseName) return releaseName;
  const target = targetNamespace && targetNamespace !== namespace ? [targetNamespace] : [];
  const full = [namespace, ...target, name].join('-');
  if (full.length <= LONGEST) return full;
  return `${full.slice(0, KEPT)}-${createHash('sha256').update(full).digest('hex').slice(0, HEX)}`;
}
