import { parseOwner } from '@/lib/kube/labels/object-owner';

/** An owner on one line: its kind, then its namespace and name. */
export function ownerLabel(owner: string): string {
  const { kind, name, ns } = parseOwner(owner);
  return [kind, ns === null ? name : `${ns}/${name}`].filter((part) => part !== '').join(' ');
}
