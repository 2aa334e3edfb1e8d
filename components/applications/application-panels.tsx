'use client';

import Link from 'next/link';
import { Ago } from '@/components/live/ago';
import { Badge } from '@/components/ui/badge';
import { Panel } from '@/components/ui/panel';
import type { Tone } from '@/components/ui/status/tone';
import type { ApplicationDetail, RevisionRow } from '@/lib/contract/application-rows';
import { ConditionList } from './condition-list';

const STATE_TONE: Readonly<Record<RevisionRow['state'], Tone>> = { current: 'good', target: 'busy', previous: 'idle', rejected: 'bad', superseded: 'idle' };

/** Revisions, the newest first, each with the tracker that recorded it. */
export function RevisionsPanel({ revisions }: { readonly revisions: readonly RevisionRow[] }) {
  return (
    <Panel title="Revisions" note={revisions.length}>
      <ol className="max-h-80 divide-y overflow-y-auto">
        {revisions.map((revision) => (
          <li key={revision.name} className="px-4 py-2">
            <p className="flex items-center gap-2">
              <span className="truncate font-medium">{revision.name}</span>
              <Badge tone={STATE_TONE[revision.state]}>{revision.state}</Badge>
              <span className="ml-auto text-ink-3 text-xs">
                <Ago at={revision.createdAt} />
              </span>
            </p>
            <p className="flex gap-2 text-ink-3 text-xs">
              <span className="min-w-0 flex-1 truncate" title={revision.images.join('\n')}>
                {revision.images.join(', ') || 'no images'}
              </span>
              {revision.tracker ? (
                <Link href={`/trackers/${revision.tracker}`} className="rounded-sm hover:text-ink hover:underline">
                  tracker
                </Link>
              ) : null}
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Conditions as the engine wrote them. */
export function ConditionsPanel({ conditions }: { readonly conditions: ApplicationDetail['conditions'] }) {
  if (conditions.length === 0) return null;
  return (
    <Panel title="Conditions">
      <ConditionList conditions={conditions} className="px-4" />
    </Panel>
  );
}

/** Policies, each as a sentence. */
export function PoliciesPanel({ policies }: { readonly policies: ApplicationDetail['policies'] }) {
  if (policies.length === 0) return null;
  return (
    <Panel title="Policies">
      <ul className="divide-y">
        {policies.map((policy) => (
          <li key={`${policy.type} ${policy.summary}`} className="px-4 py-2">
            <p className="font-medium">{policy.type}</p>
            <p className="text-ink-3 text-xs">{policy.summary}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
