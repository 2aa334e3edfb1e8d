import { readField, readList, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import { badRequest } from '../api/failures';
import { readLog } from '../pods/logs';
import type { HttpAnswer } from './handler';

/** Answers `pods/log`: the plausible log of a simulated container, as far as it is asked for. */
export function answerPodLog(pod: KubeObject, query: URLSearchParams, now: Instant): HttpAnswer {
  const container = chooseContainer(pod, query.get('container') ?? undefined);
  const status = readList(pod, 'status', 'containerStatuses').find((entry) => readString(entry, 'name') === container);
  const previous = query.get('previous') === 'true';
  const waits = readString(status, 'state', 'waiting', 'reason') ?? (status === undefined ? 'ContainerCreating' : undefined);
  const ranBefore = readField(status, 'lastState', 'terminated') !== undefined;
  if (previous && !ranBefore) throw badRequest(`previous terminated container "${container}" in pod "${pod.metadata.name}" not found`);
  if (waits !== undefined && !ranBefore) throw badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${waits}`);
  const tailLines = wholeNumber(query, 'tailLines');
  const sinceSeconds = wholeNumber(query, 'sinceSeconds');
  const lines = readLog(pod, {
    container,
    now,
    previous,
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(sinceSeconds === undefined ? {} : { sinceMs: sinceSeconds * 1000 }),
  });
  const stamped = query.get('timestamps') === 'true';
  const body = lines.map(({ at, text }) => `${stamped ? `${toIso(at)} ` : ''}${text}\n`).join('');
  return { status: 200, headers: { 'content-type': 'text/plain' }, body };
}

function chooseContainer(pod: KubeObject, named: string | undefined): string {
  const names = readList(pod, 'spec', 'containers').flatMap((container) => readString(container, 'name') ?? []);
  const [only] = names;
  if (named === undefined && names.length === 1 && only !== undefined) return only;
  if (named === undefined) throw badRequest(`a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`);
  if (!names.includes(named)) throw badRequest(`container ${named} is not valid for pod ${pod.metadata.name}`);
  return named;
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d+$/.test(text)) throw badRequest(`${name} wants a whole number, found "${text}"`);
  return Number(text);
}
