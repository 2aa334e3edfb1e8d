'use client';

import { Panel } from '@/components/ui/panel';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/applications';

/** Policies, each as a sentence. */
export function PoliciesPanel({ policies }: { readonly policies: ApplicationDetail['policies'] }) {
  if (policies.length === 0) return null;
  return (
    <Panel title={t.policies}>
      <ul className="@container divide-y">
        {policies.map((policy) => (
          <li key={`${policy.type} ${policy.summary}`} className="px-4 py-2">
            <div className="gap-x-2 @3xl:grid @3xl:grid-cols-[19.5rem_minmax(0,1fr)] @3xl:items-baseline">
              <p className="font-medium">{policy.type}</p>
              <p className="text-ink-3 text-xs">{policy.summary}</p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
