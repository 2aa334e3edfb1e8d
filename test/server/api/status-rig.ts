import type { ObjectStatus } from '@/lib/contract/object-statuses';
import { STATUS_EVENTS } from '@/lib/contract/object-statuses';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { anApplication } from '../commands/rig';
import type { ApiRig } from './rig';
import { createApiRig } from './rig';

export const APPLICATION = { ...KINDS.application, namespace: 'shop', name: 'web' };
export const FRONT = { ...KINDS.deployment, namespace: 'shop', name: 'front' };
export const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
export const OF_WEB = '/api/v1/namespaces/shop/applications/web/status';

/** An application as the cluster holds it, whose present spec was taken up by the engine unless said otherwise. */
export function anObserved(generation = 2, observedGeneration = generation): KubeObject {
  const { metadata, ...rest } = anApplication();
  return { ...rest, metadata: { ...metadata, generation }, status: { observedGeneration } };
}

/** An object as the cluster holds it. */
export const asObject = (at: ObjectAddress): KubeObject => ({
  apiVersion: at.apiVersion,
  kind: at.kind,
  metadata: { name: at.name, ...(at.namespace ? { namespace: at.namespace } : {}), uid: `uid-${at.name}` },
});

/** An application of a Deployment and a ConfigMap; it and they are current unless a test tells otherwise. */
export async function aShop(over: Parameters<typeof createApiRig>[0] = {}): Promise<ApiRig> {
  const objects = [anObserved(), asObject(FRONT), asObject(SETTINGS)];
  const rig = await createApiRig({ objects, ...over }, { 'application/shop/web': [{ key: 'shop/web' }] });
  rig.statuses.list('shop/web', [FRONT, SETTINGS]);
  rig.statuses.tell(APPLICATION, 'Current', { message: 'Application runs as web-v2', resource: anObserved() });
  rig.statuses.tell(FRONT, 'Current', { message: 'Deployment is available. Replicas: 3', resource: asObject(FRONT) });
  rig.statuses.tell(SETTINGS, 'Current', { message: 'Resource is always ready', resource: asObject(SETTINGS) });
  return rig;
}

/** Events of a stream, read one by one; time stands still unless the test moves it. */
export function eventsOf(answer: Response) {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    /** The next event by name and checked data, a comment as text; undefined at the end. */
    async next(): Promise<{ readonly event: string; readonly data: Record<string, unknown> } | string | undefined> {
      while (!text.includes('\n\n')) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += decoder.decode(value, { stream: true });
      }
      const [block = ''] = text.split('\n\n', 1);
      text = text.slice(block.length + 2);
      if (block.startsWith(':')) return block;
      const [, event = '', data = ''] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
      return {
        event,
        data: STATUS_EVENTS[event as keyof typeof STATUS_EVENTS].parse(JSON.parse(data)) as unknown as Record<string, unknown>,
      };
    },
    cancel: () => reader.cancel(),
  };
}

/** An object as a line. */
export const line = ({ kind, name, status, message }: ObjectStatus) => `${kind} ${name} ${status}: ${message}`;
