'use client';

import Link from 'next/link';
import { useState } from 'react';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { Button, buttonVariants } from '@/components/ui/button';
import { CheckBox } from '@/components/ui/form/check-box';
import { Panel } from '@/components/ui/panel';
import { ScrollRegion } from '@/components/ui/scroll-region';
import type { Tone } from '@/components/ui/status/tone';
import { LongName } from '@/components/ui/words/long-name';
import type { ApplicationDetail, RevisionRow } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/applications';

const STATE_STYLE: Readonly<Record<RevisionRow['state'], { readonly tone: Tone; readonly word: string }>> = {
  current: { tone: 'good', word: t.current },
  target: { tone: 'busy', word: t.target },
  unapplied: { tone: 'bad', word: t.notApplied },
  previous: { tone: 'idle', word: t.previous },
  rejected: { tone: 'bad', word: t.rejected },
  superseded: { tone: 'idle', word: t.superseded },
};

/** Revisions, the newest first, each with the tracker that recorded it; any two of them can be compared. */
export function RevisionsPanel({
  application: { ns, name, revisions },
}: {
  readonly application: Pick<ApplicationDetail, 'ns' | 'name' | 'revisions'>;
}) {
  const [picked, setPicked] = useState<readonly string[]>([]);
  // A third one takes the place of the one picked first.
  const toggle = (revision: string) =>
    setPicked((held) => (held.includes(revision) ? held.filter((one) => one !== revision) : [...held, revision].slice(-2)));
  return (
    <Panel
      title={t.revisions}
      note={revisions.length}
      actions={
        <>
          {revisions.length > 0 ? (
            <Link href={`/applications/${ns}/${name}/ledger`} className={buttonVariants({ look: 'ghost' })}>
              {t.ledger}
            </Link>
          ) : null}
          {revisions.length > 1 ? <CompareLink ns={ns} name={name} pair={pairOf(revisions, picked)} /> : null}
        </>
      }
    >
      {revisions.length === 0 ? <p className="px-4 py-3 text-ink-3">{t.noRevisionYetTheFirst}</p> : null}
      <ScrollRegion tag="ol" label={t.revisions} className="max-h-80 divide-y">
        {revisions.map((revision) => (
          <li key={revision.name} className="flex gap-3 px-4 py-2">
            {revisions.length > 1 ? (
              <CheckBox
                aria-label={t.compare(revision.name)}
                checked={picked.includes(revision.name)}
                onChange={() => toggle(revision.name)}
                className="-mt-0.5"
              />
            ) : null}
            <div className="min-w-0 flex-1">
              <p className="flex items-center gap-2">
                <span title={revision.name} className="min-w-0 truncate font-medium">
                  {revision.name}
                </span>
                <Badge tone={STATE_STYLE[revision.state].tone} className="shrink-0">
                  {STATE_STYLE[revision.state].word}
                </Badge>
                <span className="ml-auto shrink-0 text-ink-3 text-xs">
                  <Ago at={revision.createdAt} />
                </span>
              </p>
              <p className="flex gap-2 text-ink-3 text-xs">
                <span className="flex min-w-0 flex-1 gap-1" title={revision.images.join('\n')}>
                  <Images images={revision.images} />
                </span>
                <Link
                  href={`/applications/${ns}/${name}/logs?revision=${revision.name}`}
                  className="rounded-sm hover:text-ink hover:underline"
                >
                  {t.logsInline}
                </Link>
                {revision.tracker ? (
                  <Link href={`/trackers/${revision.tracker}`} className="rounded-sm hover:text-ink hover:underline">
                    {t.tracker}
                  </Link>
                ) : null}
              </p>
            </div>
          </li>
        ))}
      </ScrollRegion>
    </Panel>
  );
}

/** The two that are picked, the older one first; null until there are two. */
function pairOf(revisions: readonly RevisionRow[], picked: readonly string[]): { readonly from: string; readonly to: string } | null {
  const [from, to] = revisions.filter(({ name }) => picked.includes(name)).toSorted((a, b) => a.number - b.number);
  return from && to ? { from: `v${from.number}`, to: `v${to.number}` } : null;
}

function CompareLink({ ns, name, pair }: { readonly ns: string; readonly name: string; readonly pair: ReturnType<typeof pairOf> }) {
  if (pair === null) return <Button blocked={t.pickTwoRevisionsBelow}>{t.compareTitle}</Button>;
  return (
    <Link href={`/applications/${ns}/${name}/compare?${new URLSearchParams(pair)}`} className={buttonVariants()}>
      {t.compareWith(pair.from, pair.to)}
    </Link>
  );
}

function Images({ images: [first, ...others] }: { readonly images: readonly string[] }) {
  if (first === undefined) return t.noImages;
  return (
    <>
      <LongName name={first} />
      {others.length > 0 ? <span className="shrink-0">+{others.length}</span> : null}
    </>
  );
}
