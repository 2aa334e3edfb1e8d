import { OWN_LABEL_PREFIXES } from '@/lib/kube/labels/label-authors';
import { containsManifest } from '@/lib/kube/mask';
import { ANNOTATION, LABEL } from '@/server/dispatch';

/** They mean the application alone, or every object has words of its own there, whatever the application says. */
const NOT_PROPAGATED: ReadonlySet<string> = new Set([
  ANNOTATION.lastApplied, // one that lies in another application has a record of the server's
  ANNOTATION.platformVersion,
  'app.oam.dev/rollout-template',
  'app.oam.dev/rolling-components',
  'app.oam.dev/inplace-upgrade',
  LABEL.appName,
  LABEL.appNamespace,
  LABEL.component,
  LABEL.appRevision,
  LABEL.appRevisionHash,
  LABEL.resourceType,
]);

/** True for a label or an annotation of an application that its objects get: none that may tell values of Secrets once more. */
export function isPropagated(name: string, text?: string): boolean {
  return !containsManifest(text) && !NOT_PROPAGATED.has(name) && !OWN_LABEL_PREFIXES.some((prefix) => name.startsWith(prefix));
}
