import type { ReactNode } from 'react';
import type { HealthStatus } from '@/lib/contract/health';
import { showHidden } from '@/lib/words/show-hidden';
import type { PageHeadProps } from './page-head';
import { PageHead } from './page-head';
import { FavouriteButton } from './preferences/favourite-button';
import { Health } from './status/status';

/** Way to an object: its list, and its namespace where it has one already. */
export function listBreadcrumbs(label: string, href: string, ns?: string): NonNullable<PageHeadProps['breadcrumbs']> {
  const list = { label, href };
  return ns === undefined ? [list] : [list, { label: ns, href: `${href}?ns=${ns}` }];
}

export interface ObjectHeadProps extends Omit<PageHeadProps, 'title' | 'aside'> {
  readonly name: string;
  /** Not there while the object is read. */
  readonly health?: HealthStatus;
  /** What stands beside its health. */
  readonly marks?: ReactNode;
}

/** The head of a page about one object: its name, how it is, and what can be done about it. */
export function ObjectHead({ name, health, marks, ...rest }: ObjectHeadProps) {
  return (
    <PageHead
      {...rest}
      aside={health === undefined && marks === undefined ? null : <FavouriteButton />}
      title={
        <>
          <span className="min-w-0">{showHidden(name)}</span>
          {health === undefined && marks === undefined ? null : (
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm tracking-normal">
              {health === undefined ? null : <Health health={health} />}
              {marks}
            </span>
          )}
        </>
      }
    />
  );
}
