import Link from 'next/link';
import type { ReactNode } from 'react';
import { Ago } from '@/components/live/ago';
import { ConditionList } from '@/components/live/condition-list';
import { Badge } from '@/components/ui/badge';
import { Panel } from '@/components/ui/panel';
import type { CloseUp } from '@/lib/contract/object-rows';

/** What there is to know of an object at a glance. */
export function FactsPanel({ view }: { readonly view: CloseUp }) {
  const { rule, createdAt, deletingSince, finalizers, labels, uid, applications, ns } = view;
  return (
    <Panel title="Summary">
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 px-4 py-2.5">
        <Fact name="Status by">{rule ?? 'no rule: nothing says how it is'}</Fact>
        <Fact name="Created">
          <Ago at={createdAt} />
        </Fact>
        {deletingSince ? (
          <Fact name="Deleting">
            <span className="text-warn">
              since <Ago at={deletingSince} />
              {finalizers.length > 0 ? `, waits for ${finalizers.join(', ')}` : ''}
            </span>
          </Fact>
        ) : null}
        {ns ? <Fact name="Namespace">{ns}</Fact> : null}
        {applications.length > 0 ? (
          <Fact name="Application">
            {applications.map((application) => (
              <Link
                key={`${application.ns}/${application.name}`}
                href={`/applications/${application.ns}/${application.name}`}
                className="mr-2 rounded-sm text-accent hover:underline"
              >
                {application.name} in {application.ns}
              </Link>
            ))}
          </Fact>
        ) : null}
        {!deletingSince && finalizers.length > 0 ? <Fact name="Finalizers">{finalizers.join(', ')}</Fact> : null}
        <Fact name="Labels">
          {Object.keys(labels).length === 0 ? (
            <span className="text-ink-3">none</span>
          ) : (
            <span className="flex flex-wrap gap-1">
              {Object.entries(labels).map(([name, value]) => (
                <Badge key={name}>{`${name}=${value}`}</Badge>
              ))}
            </span>
          )}
        </Fact>
        <Fact name="UID">
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

/** Conditions as whoever owns the object wrote them. */
export function ConditionsPanel({ view: { conditions } }: { readonly view: CloseUp }) {
  if (conditions.length === 0) return null;
  return (
    <Panel title="Conditions" note={conditions.length}>
      <ConditionList conditions={conditions} className="px-4" />
    </Panel>
  );
}
