import type { Command } from 'commander';
import type { z } from 'zod';
import { parseValues } from '@/lib/contract/lists/list-query';
import { snapshotOf } from '@/lib/contract/live';
import { refuseSelector } from '@/lib/kube/labels/refuse-selector';
import { formatNamespaces } from '@/lib/words/figures';
import { formatHidden } from '@/lib/words/releases/format-hidden';
import type { Client } from '../client';

const PAGE = 200;

/** How rows of a list are chosen on the command line. */
export interface ListOptions {
  readonly namespace?: string;
  readonly selector?: string;
  readonly owner?: string;
}

/** Adds the options by which every list is filtered; each takes several values parted by commas. */
export function withListOptions(command: Command): Command {
  return command
    .option('-n, --namespace <namespaces>', 'only in these namespaces')
    .option('-l, --selector <selector>', 'only with these labels, such as app=web,tier in (a,b)')
    .option('--owner <owners>', 'only of these owners, such as Kustomization/flux-system/apps; none for objects without an owner');
}

interface List<Row> {
  /** What is listed: "rollouts". */
  readonly noun: string;
  /** Tells what the list leaves out. */
  readonly warn: (text: string) => void;
  readonly path: string;
  readonly row: z.ZodType<Row>;
  /** The option by which rows are chosen by their status: its name, what it may hold, and what is written. */
  readonly filter: { readonly option: string; readonly of: readonly string[]; readonly written: string | undefined };
}

/** Every row of a list that the options choose, page by page. */
export async function readRows<Row extends { readonly key: string }>(
  client: Client,
  { path, row, filter, noun, warn }: List<Row>,
  { namespace, selector, owner }: ListOptions,
): Promise<readonly Row[]> {
  const wrong = selector === undefined ? null : refuseSelector(selector);
  if (wrong !== null) throw new Error(`--selector: ${wrong}`);
  const health = readStates(filter);
  const rows: Row[] = [];
  for (let page = 0; ; page++) {
    const query = new URLSearchParams({
      ...(namespace && { ns: namespace }),
      ...(health && { health }),
      ...(selector && { labels: selector }),
      ...(owner && { owner }),
      sort: 'ns',
      page: String(page),
      size: String(PAGE),
    });
    const window = await client.read(`${path}?${query}`, snapshotOf(row));
    if (page === 0 && window.within !== undefined && !namespace) warn(`you may see ${noun} only in ${formatNamespaces(window.within)}`);
    if (page === 0)
      for (const sentence of formatHidden(window, namespace))
        warn(sentence.replace(/^./, (first) => first.toLowerCase()).replace(/\.$/, ''));
    rows.push(...window.rows);
    if (rows.length >= window.total || window.rows.length === 0) return rows;
  }
}

/** A status that there is not would choose nothing, which reads like good news. */
function readStates({ option, of, written }: List<never>['filter']): string | undefined {
  const wrong = parseValues(written).find((state) => !of.includes(state));
  if (wrong !== undefined) throw new Error(`--${option}: must be one or more of ${of.join(', ')}, found "${wrong}"`);
  return written;
}
