import type { PageHeadProps } from '@/components/ui/page-head';

type Trail = NonNullable<PageHeadProps['trail']>;

/** Way to an application: the list, and its namespace where it has one already. */
export function applicationTrail(ns?: string): Trail {
  const list = { label: 'Applications', href: '/applications' };
  return ns === undefined ? [list] : [list, { label: ns, href: `/applications?ns=${ns}` }];
}

/** Way to a page about an application that lies below its own. */
export function belowApplication(ns: string, name: string): Trail {
  return [...applicationTrail(ns), { label: name, href: `/applications/${ns}/${name}` }];
}
