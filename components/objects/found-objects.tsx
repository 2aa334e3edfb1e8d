'use client';

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { HealthMark } from '@/components/ui/status/status';
import { kindHref, objectHref } from '@/lib/contract/object-address';
import { groupOf } from '@/lib/kube/object';
import { t } from '@/lib/words/catalogue/objects/objects';
import { formatGroup } from '@/lib/words/format-object';
import { objectQueries } from './object-queries';

const MAX_KINDS = 5;

/** Something that the palette offers. */
export interface FoundEntry {
  readonly key: string;
  /** By which the palette finds it. */
  readonly value: string;
  readonly href: string;
  readonly label: ReactNode;
}

/** Which object something is, however it is shown. */
export interface FoundObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ns: string | null;
  readonly name: string;
}

const identityOf = ({ apiVersion, kind, ns, name }: FoundObject) => `${groupOf(apiVersion)} ${kind} ${ns ?? ''}/${name}`;

/** Kinds and objects whose names hold what is typed, of those that the person may see; without those that have an entry already. */
export function useFoundObjects(
  q: string,
  listed: readonly FoundObject[],
): { readonly kinds: readonly FoundEntry[]; readonly objects: readonly FoundEntry[] } {
  const isAsked = q.length > 1;
  const served = useQuery({ ...objectQueries.kinds(undefined), enabled: isAsked });
  const found = useQuery(objectQueries.find(q));
  const wanted = q.toLowerCase();
  const before = new Set(listed.map(identityOf));
  const kinds = (isAsked ? (served.data?.kinds ?? []) : []).filter(({ kind, plural, shortNames }) =>
    [kind.toLowerCase(), plural, ...shortNames].some((name) => name.includes(wanted)),
  );
  return {
    kinds: kinds.slice(0, MAX_KINDS).map(({ group, kind, plural, shortNames }) => ({
      key: `${group}/${kind}`,
      value: t.kind({ kind, plural, shortNames: shortNames.join(' '), group }),
      href: kindHref({ group, named: plural }),
      label: <Named name={kind} note={formatGroup(group)} />,
    })),
    objects: (isAsked ? (found.data?.objects ?? []) : [])
      .filter((object) => !before.has(identityOf(object)))
      .map((object) => ({
        key: object.id,
        value: t.object(object.id),
        href: objectHref(object),
        label: (
          <>
            <Named name={object.name} note={`${object.kind}${object.ns ? t.in(object.ns) : ''}`} />
            <span className="ml-auto inline-flex">
              <HealthMark health={object.health} />
            </span>
          </>
        ),
      })),
  };
}

function Named({ name, note }: { readonly name: string; readonly note: string }) {
  return (
    <span className="min-w-0 truncate">
      {name} <span className="text-ink-3">{note}</span>
    </span>
  );
}
