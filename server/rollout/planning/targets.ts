import { createHash } from 'node:crypto';
import type { Revisions, TargetRevision } from '../model';
import { NO_MAXIMUM } from '../model';
import { parseWholeNumber } from './config';

/** One item of a service's or route's traffic. */
export interface TrafficItem {
  readonly revisionName?: string | undefined;
  readonly configurationName?: string | undefined;
  readonly latestRevision?: boolean | undefined;
  readonly percent?: number | undefined;
  readonly tag?: string | undefined;
  readonly url?: string | undefined;
}

export interface ScaleRecord {
  readonly minScale?: number | undefined;
  readonly maxScale?: number | undefined;
}

export interface TargetSources {
  readonly service: {
    readonly name: string;
    readonly traffic?: readonly TrafficItem[] | undefined;
    readonly templateAnnotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly configurationGeneration: number;
  /** Bounds of revisions that exist, by name. */
  readonly records: Readonly<Record<string, ScaleRecord>>;
}

export const MIN_SCALE_ANNOTATION = 'autoscaling.knative.dev/min-scale';
export const MAX_SCALE_ANNOTATION = 'autoscaling.knative.dev/max-scale';
const LONGEST_NAME = 63;
const HASH_LENGTH = 32;

/** The name of a service's newest revision; a long service name is cut and hashed. */
export function newestRevisionName(service: string, generation: number): string {
  const suffix = `-${String(generation).padStart(5, '0')}`;
  if (service.length + suffix.length <= LONGEST_NAME) return `${service}${suffix}`;
  const head = service.slice(0, LONGEST_NAME - HASH_LENGTH - suffix.length);
  return `${head}${createHash('md5').update(service).digest('hex')}${suffix}`;
}

/** The list a rollout must end with. */
export function finalTargets(sources: TargetSources): Revisions {
  const items = sources.service.traffic ?? [];
  if (items.length === 0) return [toEntry({}, sources)];
  const entries = items.map((item) => toEntry(item, sources));
  const last = items.at(-1);
  const trailing = entries.at(-1);
  if (last?.percent !== 0 || last.latestRevision !== true || trailing === undefined) return entries;
  return [trailing, ...entries.slice(0, -1)];
}

/** The list a new rollout starts from: what the route serves now. Undefined when it serves nothing. */
export function initialTargets(sources: TargetSources, routeTraffic: readonly TrafficItem[]): Revisions | undefined {
  if (routeTraffic.length === 0) return undefined;
  const merged = new Map<string, TrafficItem>();
  for (const item of routeTraffic) {
    const name = item.revisionName ?? '';
    const held = merged.get(name);
    merged.set(name, held === undefined ? item : merge(held, item));
  }
  return [...merged.values()]
    .sort((a, b) => ((a.revisionName ?? '') < (b.revisionName ?? '') ? -1 : 1))
    .map((item) => toEntry(item, sources));
}

function merge(held: TrafficItem, { percent }: TrafficItem): TrafficItem {
  return percent === undefined ? held : { ...held, percent: (held.percent ?? 0) + percent };
}

function toEntry(item: TrafficItem, { service, configurationGeneration, records }: TargetSources): TargetRevision {
  const newest = newestRevisionName(service.name, configurationGeneration);
  const name = item.revisionName || newest;
  const record = Object.hasOwn(records, name) ? records[name] : undefined;
  const annotations = service.templateAnnotations ?? {};
  return {
    revisionName: name,
    latestRevision: name === newest,
    percent: item.percent ?? 100,
    configurationName: item.configurationName,
    tag: item.tag,
    url: item.url,
    minScale: record ? record.minScale : parseScale(annotations[MIN_SCALE_ANNOTATION]),
    maxScale: record ? record.maxScale : parseScale(annotations[MAX_SCALE_ANNOTATION]),
  };
}

// Replica counts are 32-bit; what does not fit cannot be read, as text cannot.
function parseScale(text: string | undefined): number | undefined {
  const value = parseWholeNumber(text);
  return value === undefined || Math.abs(value) > NO_MAXIMUM ? undefined : value;
}
