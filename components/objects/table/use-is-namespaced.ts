import { useQuery } from '@tanstack/react-query';
import type { QueryLike } from '@/components/ui/data/query-view';
import type { KindAddress } from '@/lib/contract/object-address';
import { objectQueries } from '../object-queries';
import type { TablePage } from './use-table';

/** Whether objects of a kind live in namespaces: as their table says, or the cluster to whoever may not read that; undefined until it is known. */
export function useIsNamespaced({ group, named }: KindAddress, { data, error }: QueryLike<TablePage>): boolean | undefined {
  const served = useQuery({ ...objectQueries.kinds(undefined), enabled: data === undefined && error !== null }).data;
  if (data !== undefined) return data.of.namespaced;
  const kinds = served === undefined ? [] : [...served.kinds, ...served.refused];
  return kinds.find((each) => each.group === group && [each.plural, each.kind].includes(named))?.namespaced;
}
