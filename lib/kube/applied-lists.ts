import { deepEqual } from '@/lib/std/deep-equal';
import { isFields, readField, readFields, readList, readString } from './fields';
import type { KubeObject } from './object';

/** Under this name the API server notes what a dispatch writes; a drift view tells ours from others' by it. */
export const DISPATCH_MANAGER = 'slipway.dev/dispatch';

type Tree = Readonly<Record<string, unknown>>;

interface Writer {
  readonly fields: Tree;
  readonly isOurs: boolean;
  /** RFC 3339, in seconds. */
  readonly at: string;
}

const APPLIED = new WeakSet<readonly unknown[]>();

/** True for a list that stands as one of the managers named in `markAppliedLists` wrote it: what its entries have beyond that, the server filled in. */
export function isAppliedList(list: readonly unknown[]): boolean {
  return APPLIED.has(list);
}

/**
 * Notes, by managedFields, which lists of objects stand in an object as one of the managers wrote them last, so that this is known of its
 * copy too, which has no managedFields. A server fills in entries of lists, such as the protocol of a NetworkPolicy's port, in the name of
 * who wrote the list; whoever changes the list afterwards owns it, or owns something in it since then. A list that another manager wrote
 * before ours last wrote the object counts as well: it was sent, and taken for what was there.
 */
export function markAppliedLists(object: KubeObject, managers: readonly string[] = [DISPATCH_MANAGER]): void {
  const writers = readList(object, 'metadata', 'managedFields').map((entry) => toWriter(entry, managers));
  const last = writers.reduce((latest, { isOurs, at }) => (isOurs && at > latest ? at : latest), '');
  if (last === '') return;
  const { metadata: _metadata, status: _status, ...content } = object;
  walk(content, writers, last);
}

function toWriter(entry: unknown, managers: readonly string[]): Writer {
  const fields = readFields(entry, 'fieldsV1');
  const isOurs = managers.includes(readString(entry, 'manager') ?? '') && !readString(entry, 'subresource');
  return { fields, isOurs, at: readString(entry, 'time') ?? '' };
}

function walk(value: unknown, writers: readonly Writer[], last: string): void {
  if (Array.isArray(value)) walkList(value, writers, last);
  if (!isFields(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'object' && member !== null)
      walk(
        member,
        inside(writers, (step) => step === `f:${name}`),
        last,
      );
  }
}

function walkList(list: readonly unknown[], writers: readonly Writer[], last: string): void {
  if (!list.some(isFields)) return;
  if (isAsWritten(writers, last)) APPLIED.add(list);
  for (const [at, entry] of list.entries())
    walk(
      entry,
      inside(writers, (step) => step === `i:${at}` || isKeyOf(step, entry)),
      last,
    );
}

/** Owned whole by one of ours, since who changes such a list takes it over; or touched by nobody since ours wrote. */
function isAsWritten(writers: readonly Writer[], last: string): boolean {
  if (writers.some(({ isOurs, fields }) => isOurs && isWhole(fields))) return true;
  return writers.every(({ isOurs, at }) => isOurs || (at !== '' && at < last));
}

/** What is owned below one step; what is owned whole is owned with everything below it. */
function inside(writers: readonly Writer[], isStep: (step: string) => boolean): readonly Writer[] {
  return writers.flatMap((writer) => {
    if (isWhole(writer.fields)) return [writer];
    const step = Object.keys(writer.fields).find(isStep);
    return step === undefined ? [] : [{ ...writer, fields: readFields(writer.fields, step) }];
  });
}

function isWhole(fields: Tree): boolean {
  return Object.keys(fields).length === 0;
}

function isKeyOf(step: string, entry: unknown): boolean {
  if (!step.startsWith('k:') || !isFields(entry)) return false;
  const key = parsed(step.slice(2));
  return isFields(key) && Object.entries(key).every(([name, value]) => deepEqual(readField(entry, name), value));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a name that nobody can read owns nothing that we ask about
  }
}
