import { z } from 'zod';
import { savePreview } from '../change-rows';
import type { ListQuery } from '../lists/list-query';
import { parseListQuery } from '../lists/list-query';
import { releasePlan } from '../release-edit';
import { activityRow } from '../system-rows';

/** How something on record ended: it was done, somebody was refused it, or it failed. */
export const ACTIVITY_RESULTS = ['done', 'refused', 'failed'] as const;
export type ActivityResult = (typeof ACTIVITY_RESULTS)[number];

/** Families of acts, each the beginning of their names. */
export const ACTIVITY_ACTS = [
  'application',
  'decision',
  'drift',
  'flux',
  'garbage',
  'object',
  'plan',
  'policy',
  'release',
  'revision',
  'rollout',
  'session',
  'terminal',
  'tracker',
  'values',
] as const;

/** Filter, order and page of the record. */
export interface ActivityQuery extends Pick<ListQuery, 'q' | 'sort' | 'desc' | 'page' | 'size'> {
  /** Namespaces, any of which will do. */
  readonly ns?: readonly string[];
  readonly who?: string;
  /** An act (`decision.approve`), or a family of them (`decision`). */
  readonly act?: string;
  /** What is about an application of this name: itself, its rollout, its revisions and trackers. */
  readonly application?: string;
  readonly result?: ActivityResult;
  /** From this instant on, in ISO 8601. */
  readonly from?: string;
  /** Before this instant. */
  readonly to?: string;
}

const LONGEST = 200;
/** Where an address says nothing of it. */
const USUAL_SIZE = 50;
const TEXTS = ['who', 'act', 'application'] as const;

/** Reads filter, order and page of the record from an address; what it cannot mean is left out. */
export function parseActivityQuery(params: URLSearchParams): ActivityQuery {
  const { health: _health, labels: _labels, owner: _owner, drifted: _drifted, ...list } = parseListQuery(params);
  const texts = TEXTS.flatMap((name) => {
    const text = params.get(name)?.slice(0, LONGEST) ?? '';
    return text === '' ? [] : [[name, text] as const];
  });
  const result = ACTIVITY_RESULTS.find((known) => known === params.get('result'));
  const [from, to] = [toInstantText(params.get('from')), toInstantText(params.get('to'))];
  return { ...list, ...Object.fromEntries(texts), ...(result && { result }), ...(from && { from }), ...(to && { to }) };
}

/** The text of a query, members in fixed order. */
export function formatActivityQuery(query: ActivityQuery): string {
  const text = new URLSearchParams();
  const { ns = [], q, who, act, application, result, from, to, sort, desc, page, size } = query;
  for (const [name, value] of Object.entries({ ns: ns.join(','), q, who, act, application, result, from, to, sort }))
    if (value) text.set(name, value);
  if (desc) text.set('desc', '1');
  if (page) text.set('page', String(page));
  if (size && size !== USUAL_SIZE) text.set('size', String(size));
  return text.toString();
}

/** True where nothing narrows the record or orders it anew. */
export function isWholeRecord(query: ActivityQuery): boolean {
  const { size: _size, ...rest } = query;
  return formatActivityQuery(rest) === '';
}

/** An instant as the record writes it; undefined for what is none. */
function toInstantText(text: string | null): string | undefined {
  const at = text === null || text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** One entry with all that was noted of it, and what the person saw before they acted where that is kept. */
export const activityEntry = activityRow.extend({
  seq: z.number(),
  /** What was noted besides, as JSON. */
  data: z.record(z.string(), z.unknown()).nullable(),
  shown: z
    .object({
      by: z.string(),
      at: z.string(),
      /** What the page said that the decision does, a sentence each. */
      consequences: z.array(z.string()),
      /** What was previewed, object by object; null where nothing was, or where it is not kept any more. */
      preview: savePreview.nullable(),
      /** The plan of a release; absent where the act was not about one, or where it is not kept any more. */
      release: releasePlan.optional(),
    })
    .nullable(),
});
export type ActivityEntry = z.infer<typeof activityEntry>;
