import { objectTrail } from '@/components/ui/object-head';
import type { PageHeadProps } from '@/components/ui/page-head';

type Trail = NonNullable<PageHeadProps['trail']>;

/** Way to an application: the list, and its namespace where it has one already. */
export function applicationTrail(ns?: string): Trail {
  return objectTrail('Applications', '/applications', ns);
}

/** Way to a page about an application that lies below its own. */
export function belowApplication(ns: string, name: string): Trail {
  return [...applicationTrail(ns), { label: name, href: `/applications/${ns}/${name}` }];
}
