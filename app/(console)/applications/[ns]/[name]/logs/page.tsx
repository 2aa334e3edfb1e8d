import type { Metadata } from 'next';
import { ApplicationLogs } from '@/components/logs/application-logs';
import { t } from '@/lib/words/catalogue/console/pages';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../../reads';

interface Props {
  params: Promise<{ ns: string; name: string }>;
}

/** The title of the window: whose log it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: t.logsOf(showHidden((await params).name)) };
}

/** What the pods of an application write; which revisions it has is read before the first paint. */
export default async function ApplicationLogsPage({ params }: Props) {
  const { ns, name } = await params;
  return (
    <Seeded topics={[{ kind: 'application', ns, name }]}>
      <ApplicationLogs ns={ns} name={name} />
    </Seeded>
  );
}
