import { readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { NO_CONTAINERS } from '@/server/kube';
import { badRequest, nodeUnreachable } from '../../api/failures';
import type { HttpRequest } from '../handler';

const INTO_POD: readonly string[] = ['exec', 'attach', 'portforward'];

interface Asked extends Pick<HttpRequest, 'headers'> {
  readonly query: URLSearchParams;
}

/** Whether a subresource of a pod is a connection into it. */
export const isPodConnect = (subresource: string | undefined): boolean => subresource !== undefined && INTO_POD.includes(subresource);

/** Why no connection into a pod comes about: what is wrong with the request, as the API server says it, or that no node answers here. */
export function connectRefusal(pod: KubeObject, subresource: string | undefined, { headers, query }: Asked): Error {
  if (subresource !== 'portforward') chooseContainer(pod, query.get('container') || undefined);
  if (!readString(pod, 'spec', 'nodeName')) return badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  if (!/\bupgrade\b/i.test(headers.connection ?? '')) return badRequest('Upgrade request required');
  return nodeUnreachable(NO_CONTAINERS);
}

/** The container that is meant: the one that is named, or the only one. */
export function chooseContainer(pod: KubeObject, named: string | undefined): string {
  const namesIn = (field: string) => readList(pod, 'spec', field).flatMap((container) => readString(container, 'name') ?? []);
  const main = namesIn('containers');
  const names = [...namesIn('initContainers'), ...main];
  const [only] = main;
  if (named === undefined && main.length === 1 && only !== undefined) return only;
  if (named === undefined)
    throw badRequest(`a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`);
  if (!names.includes(named)) throw badRequest(`container ${named} is not valid for pod ${pod.metadata.name}`);
  return named;
}
