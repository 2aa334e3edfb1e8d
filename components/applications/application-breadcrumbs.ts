import { listBreadcrumbs } from '@/components/ui/object-head';
import type { PageHeadProps } from '@/components/ui/page-head';
import { t } from '@/lib/words/catalogue/delivery/applications';

type Trail = NonNullable<PageHeadProps['breadcrumbs']>;

/** Way to an application: the list, and its namespace where it has one already. */
export function applicationBreadcrumbs(ns?: string): Trail {
  return listBreadcrumbs(t.applications, '/applications', ns);
}

/** Way to a page about an application that lies below its own. */
export function belowApplication(ns: string, name: string): Trail {
  return [...applicationBreadcrumbs(ns), { label: name, href: `/applications/${ns}/${name}` }];
}
