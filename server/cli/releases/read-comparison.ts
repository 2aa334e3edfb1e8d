import type { z } from 'zod';
import type { ContentComparison } from '@/lib/contract/release-comparison';
import { showAllInLines, showTextLine } from '@/lib/words/show-hidden';
import type { Client } from '../client';

type Diff = ContentComparison['values'];

/** Reads how two contents of a release differ: lines of a diff keep their tabs, and everything else comes as one line each. */
export async function readComparison<Told extends ContentComparison>(client: Client, path: string, schema: z.ZodType<Told>): Promise<Told> {
  const told = await client.readExactly(path, schema);
  const objects = told.objects.map(({ diff, ...object }) => ({ ...showAllInLines(object), diff: diff === null ? null : toLines(diff) }));
  return { ...showAllInLines(told), values: toLines(told.values), objects };
}

function toLines(diff: Diff): Diff {
  return diff.map(({ sign, text }) => ({ sign, text: showTextLine(text) }));
}
