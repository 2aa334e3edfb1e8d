import { headers } from 'next/headers';
import { PAGE_HEADER } from '@/lib/contract/pages/page-header';
import { NothingHere } from './nothing-here';

/** Rollouts are named like their applications, and the record is filtered by these. */
const OF_APPLICATION = /^\/(?:applications|rollouts)\/([^/?]+)\/([^/?]+)/;

/** Stands in place of a page whose object is not there. */
export default async function NotFoundInConsole() {
  return <NothingHere history={historyOf((await headers()).get(PAGE_HEADER) ?? '')} />;
}

/** What is on record of the application that an address names, or else the whole record. */
function historyOf(asked: string): string {
  const [, ns, application] = OF_APPLICATION.exec(asked) ?? [];
  return ns === undefined || application === undefined ? '/activity' : `/activity?${new URLSearchParams({ application, ns })}`;
}
