import type { ControllerStats } from './controller';

/** A sentence for each kind that keeps controllers from starting, for whoever can grant the right. */
export function describeWaits(controllers: readonly Pick<ControllerStats, 'name' | 'waitsFor'>[]): readonly string[] {
  const held = new Map<string, { readonly reason: string; readonly names: string[] }>();
  for (const { name, waitsFor } of controllers)
    for (const { kind, reason } of waitsFor) {
      const one = held.get(kind) ?? { reason, names: [] };
      held.set(kind, one);
      one.names.push(name);
    }
  return [...held].map(
    ([kind, { reason, names }]) => `${names.join(', ')} ${names.length === 1 ? 'does' : 'do'} not run before ${kind} objects may be listed: ${reason}`,
  );
}
