'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChoices } from '@/components/live/address/choices';
import { Button } from '@/components/ui/button';
import { CodeView } from '@/components/ui/data/code-view';
import { QueryView } from '@/components/ui/data/query-view';
import { SkeletonRows } from '@/components/ui/data/skeleton';
import { SelectBox } from '@/components/ui/form/field';
import type { StoredContent as Content } from '@/lib/contract/release-comparison';
import type { ReleaseHistory } from '@/lib/contract/release-rows';
import { t } from '@/lib/words/catalogue/releases/content';
import type { StoredPlace } from '../release-queries';
import { releaseQueries } from '../release-queries';

/** What one stored revision holds: its values, its notes and the objects of its manifest; the newest until somebody chooses. */
export function StoredContent({ place, stored }: { readonly place: StoredPlace; readonly stored: string }) {
  const history = useQuery(releaseQueries.history(place, stored));
  return (
    <QueryView
      query={history}
      awaits={t.readingTheRevisions}
      pending={<SkeletonRows rows={3} columns={2} />}
      isEmpty={(data) => data.revisions.length === 0}
      empty={<p className="px-4 py-6 text-ink-3">{t.noRevision}</p>}
    >
      {({ revisions }) => <ChosenRevision place={place} revisions={revisions} />}
    </QueryView>
  );
}

function ChosenRevision({ place, revisions }: { readonly place: StoredPlace; readonly revisions: ReleaseHistory['revisions'] }) {
  const { chosen, choose } = useChoices();
  // Helm keeps ten: one that was chosen may be gone by now.
  const shown = revisions.find(({ revision }) => String(revision) === chosen.get('revision')) ?? revisions[0];
  const revision = shown?.revision ?? 0;
  const content = useQuery(releaseQueries.content(place, revision));
  return (
    <section aria-label={t.contentOf(revision)} className="space-y-4 px-4 py-3">
      <SelectBox label={t.revisionToShow} value={revision} onChange={(event) => choose({ revision: event.target.value })}>
        {revisions.map((one) => (
          <option key={one.revision} value={one.revision}>
            {t.revision(one.revision, one.status)}
          </option>
        ))}
      </SelectBox>
      <QueryView query={content} awaits={t.readingTheContent} pending={<SkeletonRows rows={5} columns={1} />}>
        {(data) => <Parts key={data.revision} content={data} masked={place.kind === undefined ? t.allAreMasked : t.someAreMasked} />}
      </QueryView>
    </section>
  );
}

function Parts({ content: { values, hidesValues, objects, notes }, masked }: { readonly content: Content; readonly masked: string }) {
  return (
    <div className="space-y-4">
      <div className="space-y-1">
        <h3 className="font-medium">{t.values}</h3>
        {values === '' ? (
          <p className="text-ink-3">{t.noValues}</p>
        ) : (
          <div className="max-h-[420px] overflow-auto rounded-md border">
            <CodeView code={values} label={t.values} />
          </div>
        )}
        {hidesValues ? <p className="text-ink-3 text-xs">{masked}</p> : null}
      </div>
      <div className="space-y-1">
        <h3 className="font-medium">{t.notes}</h3>
        {notes === null || notes === '' ? (
          <p className="text-ink-3">{notes === null ? t.notesAreHidden : t.noNotes}</p>
        ) : (
          <p className="whitespace-pre-wrap text-ink-2 wrap-anywhere">{notes.trim()}</p>
        )}
      </div>
      <div className="space-y-1">
        <h3 className="font-medium">{t.manifest}</h3>
        {objects.length === 0 ? <p className="text-ink-3">{t.noObjects}</p> : null}
        <ul aria-label={t.manifest} className="divide-y border-y">
          {objects.map((object) => (
            <StoredObject key={`${object.apiVersion} ${object.kind} ${object.ns} ${object.name}`} object={object} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function StoredObject({ object: { kind, ns, name, text, why } }: { readonly object: Content['objects'][number] }) {
  const [open, setOpen] = useState(false);
  return (
    <li className="space-y-2 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 wrap-anywhere">
          <span className="text-ink-3">{kind}</span> <span className="font-medium">{name}</span>
          {ns === null ? null : <span className="text-ink-3"> {t.in(ns)}</span>}
        </span>
        {text === null ? (
          <span className="text-ink-3 text-xs">{why === 'long' ? t.tooLong : t.mayNotSee}</span>
        ) : (
          <Button size="sm" className="ml-auto" aria-expanded={open} aria-label={t.manifestOf(kind, name)} onClick={() => setOpen(!open)}>
            {open ? t.hide : t.show}
          </Button>
        )}
      </div>
      {open && text !== null ? (
        <div className="max-h-[420px] overflow-auto rounded-md border">
          <CodeView code={text} label={t.manifestOf(kind, name)} />
        </div>
      ) : null}
    </li>
  );
}
