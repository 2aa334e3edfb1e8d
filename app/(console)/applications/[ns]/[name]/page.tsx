import type { Metadata } from 'next';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { parseTreeView } from '@/components/tree/tree-view';
import type { Topic } from '@/lib/contract/topic';
import { showHidden } from '@/lib/words/show-hidden';
import { Seeded } from '../../../../reads';
import type { SearchParams } from '../../../../search-params';
import { toParams } from '../../../../search-params';

interface Props {
  params: Promise<{ ns: string; name: string }>;
  searchParams: SearchParams;
}

/** The title of the window: which application it is. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: showHidden((await params).name) };
}

/** One application, read before the first paint. */
export default async function ApplicationPage({ params, searchParams }: Props) {
  const { ns, name } = await params;
  const { query, isGraph, object } = parseTreeView(await toParams(searchParams));
  const list: readonly Topic[] = isGraph ? [] : [{ kind: 'tree', ns, name, query }];
  const picked: readonly Topic[] = object === null ? [] : [{ kind: 'tree-location', ns, name, id: object, query }];
  return (
    <Seeded topics={[{ kind: 'application', ns, name }, ...list, ...picked]} rights={[{ kind: 'application', ns, name }]}>
      <ApplicationScreen ns={ns} name={name} />
    </Seeded>
  );
}
