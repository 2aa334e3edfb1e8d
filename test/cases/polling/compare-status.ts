import type { ResourceStatus } from '@/server/status';
import { formatObjMetadata } from '@/server/status/identifier';
import type { CaseDifference } from '../case';
import { compare } from '../compare';
import type { StatusView } from './schema';

/** A status as cases write it. */
export function toView(found: ResourceStatus): StatusView {
  return {
    identifier: formatObjMetadata(found.identifier),
    status: found.status,
    message: found.message,
    ...(found.error ? { error: found.error.text } : {}),
    ...(found.resource ? {} : { resource: false }),
    ...(found.generated.length > 0 ? { generated: found.generated.map(toView) } : {}),
  };
}

/** Compares a status with its view; an error may be named by a part of its text. */
export function compareStatus(at: string, expected: StatusView, found: StatusView): readonly CaseDifference[] {
  const { errorContains, generated: wantedChildren = [], ...wanted } = expected;
  const { generated: foundChildren = [], error, ...rest } = found;
  const children =
    wantedChildren.length === foundChildren.length
      ? wantedChildren.flatMap((child, index) => {
          const other = foundChildren[index];
          return other === undefined ? [] : compareStatus(`${at}.generated[${index}]`, child, other);
        })
      : [{ at: `${at}.generated`, expected: wantedChildren, found: foundChildren }];
  if (errorContains === undefined) return [...compare(at, wanted, { ...rest, error }), ...children];
  const named = error !== undefined && error !== '' && error.includes(errorContains);
  return [
    ...compare(at, wanted, rest),
    ...(named ? [] : [{ at: `${at}.error`, expected: `… ${errorContains} …`, found: error }]),
    ...children,
  ];
}
