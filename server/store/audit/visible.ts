import type { SQL } from 'drizzle-orm';
import { and, inArray, sql } from 'drizzle-orm';
import { audit } from '../schema';

interface Wanted {
  readonly matching: readonly SQL[];
  readonly order: SQL;
  readonly limit: number;
}

/** Narrows a query to what a reader may see. */
export function visible(namespaces: 'all' | readonly string[]): SQL | undefined {
  if (namespaces === 'all') return undefined;
  return namespaces.length === 0 ? sql`false` : inArray(audit.namespace, [...namespaces]);
}

/**
 * Narrows a query to the first so many of each namespace in the order of the chain, among which are the first so many of them all. Each is read from
 * an end of its own by the index; asked for together, the database would sort all that they have.
 */
export function newestOfEach(namespaces: readonly string[], { matching, order, limit }: Wanted): SQL {
  if (namespaces.length === 0) return sql`false`;
  const each = sql.join(
    namespaces.map((namespace) => sql`(${namespace}::text)`),
    sql`, `,
  );
  const where = and(sql`${audit.namespace} = asked.namespace`, ...matching);
  return sql`${audit.seq} = any(array(
    select its.seq from (values ${each}) as asked (namespace)
    cross join lateral (select ${audit.seq} from ${audit} where ${where} order by ${order} limit ${limit}) as its))`;
}
