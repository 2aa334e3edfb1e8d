import { readField, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Instant } from '@/lib/std/instant';
import { parseKubeTime, toInstant, toIso } from '@/lib/std/instant';
import type { FieldError } from '../../api/failures';
import { badRequest, forbiddenField, invalid, invalidValue } from '../../api/failures';
import type { LogContext } from '../../pods/followed-log';
import { FollowedLog } from '../../pods/followed-log';
import type { LogLine } from '../../pods/logs';
import { firstLine, openLog, statusOf } from '../../pods/logs';
import type { HttpAnswer } from '../handler';
import { isSet, readWholeNumber } from '../read-request';
import { chooseContainer } from './pod-connect';

interface LogOptions {
  readonly container: string | undefined;
  readonly previous: boolean;
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: Instant | undefined;
  readonly limitBytes: number | undefined;
}

/** Answers `pods/log`: the plausible log of a simulated container, as far as it is asked for, and as it goes on where it is followed. */
export function answerPodLog(pod: KubeObject, query: URLSearchParams, ground: LogContext): HttpAnswer {
  const options = readLogOptions(query);
  checkLogOptions(options, pod.metadata.name ?? '');
  const container = chooseContainer(pod, options.container);
  checkStarted(pod, container, options.previous);
  const headers = { 'content-type': 'text/plain' };
  const log = openLog(pod, container, options.previous);
  if (log === undefined) return { status: 200, headers, body: '' };
  const now = ground.clock.now();
  const { sinceSeconds, sinceTime, tailLines } = options;
  const from = firstLine(log, { now, tailLines, since: sinceSeconds === undefined ? sinceTime : toInstant(now - sinceSeconds * 1000) });
  const text = new LogText(options);
  if (options.follow && !log.isWhole) return { status: 200, headers, body: new FollowedLog(ground, pod, { container, log, from, text }) };
  const parts: string[] = [];
  const length = log.lengthAt(now);
  for (let number = from; number < length && !text.isFull; number++) parts.push(text.write(log.lineAt(number)));
  return { status: 200, headers, body: parts.join('') };
}

function readLogOptions(query: URLSearchParams): LogOptions {
  return {
    container: query.get('container') || undefined,
    previous: isSet(query, 'previous'),
    follow: isSet(query, 'follow'),
    timestamps: isSet(query, 'timestamps'),
    tailLines: readWholeNumber(query, 'tailLines'),
    sinceSeconds: readWholeNumber(query, 'sinceSeconds'),
    sinceTime: readSinceTime(query.get('sinceTime')),
    limitBytes: readWholeNumber(query, 'limitBytes'),
  };
}

// The API server hands the time on to the node in whole seconds. Older clients write no time at all as `null`.
function readSinceTime(text: string | null): Instant | undefined {
  if (text === null) return undefined;
  const at = parseKubeTime(text === '' || text === 'null' ? '0001-01-01T00:00:00Z' : text);
  if (at === undefined)
    throw badRequest(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": sinceTime must be an RFC 3339 time`);
  return toInstant(Math.floor(at / 1000) * 1000);
}

function checkLogOptions({ tailLines, limitBytes, sinceSeconds, sinceTime }: LogOptions, name: string): void {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) errors.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1) errors.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
}

const WAITS: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

function checkStarted(pod: KubeObject, container: string, previous: boolean): void {
  const status = statusOf(pod, container);
  if (readField(status, 'lastState', 'terminated') !== undefined) return;
  const which = `container "${container}" in pod "${pod.metadata.name}"`;
  if (previous) throw badRequest(`previous terminated ${which} not found`);
  const waits = readString(status, 'state', 'waiting', 'reason') ?? (status === undefined ? 'ContainerCreating' : undefined);
  if (waits !== undefined) throw badRequest(`${which} is waiting to start: ${WAITS[waits] ?? waits}`);
}

/** Lines as they go over the wire, up to so many bytes. */
class LogText {
  readonly #stamped: boolean;
  #left: number;

  constructor({ timestamps, limitBytes }: LogOptions) {
    this.#stamped = timestamps;
    this.#left = limitBytes ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** The line, cut after the last whole character there is room for. */
  write({ at, text }: LogLine): string {
    // The node writes nanoseconds.
    const line = `${this.#stamped ? `${toIso(at).slice(0, -1)}000000Z ` : ''}${text}\n`;
    const room = this.#left;
    this.#left -= Buffer.byteLength(line);
    return this.#left >= 0 ? line : new TextDecoder().decode(Buffer.from(line).subarray(0, room), { stream: true });
  }
}
