import Link from 'next/link';
import type { ReactNode } from 'react';
import { Ago } from '@/components/live/ago';
import { Panel } from '@/components/ui/panel';
import { rich } from '@/components/ui/words/rich';
import type { ObjectDetail } from '@/lib/contract/object-rows';
import { t } from '@/lib/words/catalogue/objects/objects';

/** What there is to know of an object at a glance. */
export function FactsPanel({ view }: { readonly view: ObjectDetail }) {
  const { rule, createdAt, deletingSince, finalizers, labels, uid, applications, ns } = view;
  return (
    <Panel title={t.summary}>
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 px-4 py-2.5">
        <Fact name={t.statusBy}>{rule ?? t.noRuleNothingSaysHow}</Fact>
        <Fact name={t.created}>
          <Ago at={createdAt} />
        </Fact>
        {deletingSince ? (
          <Fact name={t.deleting}>
            <span className="text-warn">
              {rich(t.sinceRich(<Ago at={deletingSince} />, finalizers.length > 0 ? t.waitsFor(finalizers.join(', ')) : ''))}
            </span>
          </Fact>
        ) : null}
        {ns ? <Fact name={t.namespace}>{ns}</Fact> : null}
        {applications.length > 0 ? (
          <Fact name={t.application}>
            {applications.map((application) => (
              <Link
                key={`${application.ns}/${application.name}`}
                href={`/applications/${application.ns}/${application.name}`}
                className="mr-2 rounded-sm text-accent hover:underline"
              >
                {t.inBy(application.name, application.ns)}
              </Link>
            ))}
          </Fact>
        ) : null}
        {!deletingSince && finalizers.length > 0 ? <Fact name={t.finalizers}>{finalizers.join(', ')}</Fact> : null}
        <Fact name={t.labels}>
          {Object.keys(labels).length === 0 ? (
            <span className="text-ink-3">{t.none}</span>
          ) : (
            <span className="flex flex-wrap gap-1">
              {Object.entries(labels).map(([name, value]) => (
                <span key={name} className="rounded-sm bg-pressed px-1.5 py-0.5 font-medium text-2xs text-ink-2 wrap-anywhere">
                  {name}={value}
                </span>
              ))}
            </span>
          )}
        </Fact>
        <Fact name={t.uid}>
          <span className="font-mono text-2xs">{uid}</span>
        </Fact>
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3 text-xs leading-5">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
