import { isAppError, messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication, render } from '@/server/application';

/** What one component, its traits and its policies are rendered to. */
export const rendered = (type: string, properties: object, traits: readonly object[] = [], policies: readonly object[] = []) =>
  render(
    parseApplication({
      ...KINDS.application,
      metadata: { name: 'shopfront', namespace: 'shop', uid: 'u1' },
      spec: { components: [{ name: 'web', type, properties, traits }], policies },
    }),
    'shopfront-v3',
    { revisionHash: 'h' },
  ).manifests;
/** The first of a kind. */
export const of = (manifests: readonly KubeObject[], kind: string) => manifests.find((object) => object.kind === kind);
/** What a web service is rendered to. */
export const web = (properties: object = {}, traits: readonly object[] = []) =>
  rendered('webservice', { image: 'web:1', ...properties }, traits);

/** In which words something is refused. */
export function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isAppError(error)) return messageOf(error);
    throw error;
  }
  return 'it was accepted';
}
