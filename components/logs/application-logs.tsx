'use client';

import { liveQuery } from '@/components/live/live-query';
import { useLiveWindow } from '@/components/live/use-live-topic';
import { applicationDetail } from '@/lib/contract/application-rows';
import { LogsScreen } from './logs-screen';

/** What the pods of an application write, or those of one of its revisions. */
export function ApplicationLogs({ ns, name }: { readonly ns: string; readonly name: string }) {
  const { data } = useLiveWindow(liveQuery({ kind: 'application', ns, name }, applicationDetail));
  const revisions = data?.rows[0]?.revisions.map((revision) => revision.name) ?? [];
  return <LogsScreen place={{ ns, application: name }} revisions={revisions} />;
}
