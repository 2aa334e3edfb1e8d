import Link from 'next/link';
import { useState } from 'react';
import { cx } from '@/components/ui/cx';
import { Panel } from '@/components/ui/panel';
import { HealthMark } from '@/components/ui/status/status';
import { Sentence } from '@/components/ui/time/sentence';
import { objectHref } from '@/lib/contract/object-address';
import type { ObjectDetail, RelatedObject } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';
import { formatNumber } from '@/lib/words/figures';
import { formatHiddenKinds } from '@/lib/words/format-object';

const FIRST = 12;
const INDENT = ['pl-4', 'pl-8', 'pl-12', 'pl-16'] as const;
const STATE: Readonly<Record<RelatedObject['state'], string>> = { there: '', gone: t.isGone, hidden: t.youMayNotReadIt };

/** Whose an object is: its owners and theirs, nearest first. */
export function OwnersPanel({ view: { owners } }: { readonly view: ObjectDetail }) {
  return (
    <Panel title={t.ownedBy} note={owners.length > 0 ? owners.length : undefined}>
      {owners.length === 0 ? (
        <p className="px-4 py-2.5 text-ink-3">{t.noOwnerItStaysUntil}</p>
      ) : (
        <ul className="py-1">
          {owners.map((owner) => (
            <Related key={owner.id} object={owner} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** What an object owns, and what that owns, as far as the server watches it and the person may see it. */
export function OwnedPanel({ view: { owned, ownedMore, ownedHidden } }: { readonly view: ObjectDetail }) {
  const [all, setAll] = useState(false);
  if (owned.length === 0 && ownedHidden.length === 0) return null;
  const shown = all ? owned : owned.slice(0, FIRST);
  return (
    <Panel title={t.owns} note={formatNumber(owned.length + ownedMore)}>
      <ul className="py-1">
        {shown.map((object) => (
          <Related key={object.id} object={object} />
        ))}
      </ul>
      {owned.length > shown.length || ownedMore > 0 || ownedHidden.length > 0 ? (
        <p className="border-t px-4 py-2 text-ink-3 text-xs">
          {owned.length > shown.length ? (
            <button type="button" onClick={() => setAll(true)} className="mr-2 rounded-sm font-medium text-accent hover:underline">
              {t.showMore(owned.length - shown.length)}
            </button>
          ) : null}
          {all && ownedMore > 0 ? t.moreAreNotShown(ownedMore) : null}
          {ownedHidden.length > 0 ? formatHiddenKinds(ownedHidden) : null}
        </p>
      ) : null}
    </Panel>
  );
}

function Related({ object }: { readonly object: RelatedObject }) {
  const { kind, name, ns, depth, state, health, message, controller } = object;
  const said = STATE[state] || (health === 'Current' ? '' : message);
  return (
    <li className={cx('flex items-start gap-2 py-1 pr-4', INDENT[Math.min(depth - 1, INDENT.length - 1)])}>
      <span className="mt-[3px] inline-flex size-3.5 shrink-0">{health ? <HealthMark health={health} /> : null}</span>
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          <span className="text-ink-3">{kind}</span>{' '}
          {state === 'there' ? (
            <Link href={objectHref({ ...object, ns })} className="rounded-sm font-medium hover:underline">
              {name}
            </Link>
          ) : (
            <span className="font-medium">{name}</span>
          )}
          {controller ? null : <span className="text-ink-3 text-xs"> {t.notItsController}</span>}
        </p>
        {said ? (
          <p className="text-ink-3 text-xs wrap-anywhere">
            <Sentence text={said} />
          </p>
        ) : null}
      </div>
    </li>
  );
}
