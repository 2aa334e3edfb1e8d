import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps } from '../command-deps';
import type { About } from './events';
import type { EventScope } from './follow-events';

/** Whose events are told of an object: its own, and those of what it owns. */
export function scopeOf({ objectReader }: Pick<CommandDeps, 'objectReader'>, root: KubeObject): EventScope {
  const { uid, namespace, name = '' } = root.metadata;
  const belongs = ({ uid: told, kind, ns, name: of, apiVersion }: About) => {
    if (told !== '' && told === uid) return true;
    // Of a node its kubelet tells its name where a uid belongs.
    if (kind === root.kind && of === name && ns === namespace && (told === '' || told === name)) return true;
    return objectReader.isPartOf(objectReader.latest(root), { apiVersion, kind, ns, name: of });
  };
  return { version: () => objectReader.latest(root).metadata.resourceVersion, namespaces: objectReader.namespacesOf(root), belongs };
}
