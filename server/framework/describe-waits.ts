import { formatNamespaces } from '@/lib/words/format-object';
import type { ControllerStats } from './controller';

/** A sentence for each kind that keeps controllers from starting, or from acting in some namespaces, for whoever can grant the right. */
export function describeWaits(controllers: readonly Pick<ControllerStats, 'name' | 'waitsFor'>[]): readonly string[] {
  const held = new Map<
    string,
    { readonly kind: string; readonly reason: string; readonly namespaces: readonly string[] | undefined; readonly names: string[] }
  >();
  for (const { name, waitsFor } of controllers)
    for (const { kind, reason, namespaces } of waitsFor) {
      const key = `${kind} ${namespaces?.join(' ') ?? ''}`;
      const one = held.get(key) ?? { kind, reason, namespaces, names: [] };
      held.set(key, one);
      one.names.push(name);
    }
  return [...held.values()].map(({ kind, reason, namespaces, names }) => {
    const who = `${names.join(', ')} ${names.length === 1 ? 'does' : 'do'} not run`;
    if (namespaces === undefined) return `${who} before ${kind} objects may be listed: ${reason}`;
    return `${who} in ${formatNamespaces(namespaces)} before ${kind} objects may be listed there: ${reason}`;
  });
}
