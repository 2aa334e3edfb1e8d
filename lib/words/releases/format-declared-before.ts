/** The resource that declared a release which nobody declares now. */
interface Before {
  readonly kind: string;
  readonly ns: string;
  readonly name: string;
  readonly exists: boolean;
  readonly isUnread?: boolean | undefined;
  readonly isUninstalling: boolean;
}

/** Who declared a release that nobody declares now. */
export function formatDeclaredBefore({ kind, ns, name, exists, isUnread, isUninstalling }: Before): string {
  if (isUninstalling) return `${kind} ${ns}/${name} declared it and was deleted; its release is being uninstalled`;
  if (isUnread) return `${kind} ${ns}/${name} declared it, and whether it still does is not known`;
  return exists
    ? `${kind} ${ns}/${name} declared it and now declares another release`
    : `orphaned: ${kind} ${ns}/${name} declared it and was deleted`;
}
