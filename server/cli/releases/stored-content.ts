import type { Command } from 'commander';
import type { StoredContent } from '@/lib/contract/release-comparison';
import { storedContent } from '@/lib/contract/release-comparison';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import type { ReleaseName } from './find-release';
import { findRow, pathOf, undeclaredPath } from './find-release';

type Part = 'values' | 'manifest' | 'notes';

const PARTS: Readonly<
  Record<Part, { readonly description: string; readonly describe: (content: StoredContent, isDeclared: boolean) => string }>
> = {
  values: { description: 'Prints the values of a stored revision, those of Secrets masked.', describe: describeValues },
  manifest: { description: 'Prints the manifest of a stored revision, Secrets masked.', describe: describeManifest },
  notes: { description: 'Prints the notes of a stored revision, values masked as in the manifest.', describe: describeNotes },
};

/** `slipway release values|manifest|notes`: what Helm stored of one revision, the newest where none is named. */
export function describeStoredContent<Options>(
  add: (name: string, description: string) => Command,
  deps: ServerCommandDeps<Options>,
): void {
  for (const part of ['values', 'manifest', 'notes'] as const) {
    const { description, describe } = PARTS[part];
    add(part, description)
      .option('--revision <revision>', 'the stored revision; the newest by default')
      .option('--undeclared', 'of a release that no resource declares, by the name of the release')
      .action(async (name: string, options: Options & ReleaseName & { readonly revision?: string; readonly undeclared?: true }) => {
        const revision = options.revision === undefined ? '' : `revision=${requireRevision(options.revision)}`;
        await using client = await deps.connect(options);
        const path = options.undeclared
          ? `${undeclaredPath({ ns: options.namespace, name })}/content?`
          : `${pathOf(await findRow(client, name, options), '/content')}&`;
        deps.print(
          describe(await client.readExactly(`${path}${revision}`.replace(/[?&]$/, ''), storedContent), options.undeclared === undefined),
        );
      });
  }
}

function requireRevision(written: string): number {
  const revision = Number(written);
  if (!Number.isInteger(revision) || revision < 1) throw new Error(`--revision must be the number of a stored revision, found ${written}`);
  return revision;
}

/** What is told beside YAML is a comment, so that what is printed can be read as YAML. */
function describeValues({ revision, values, hidesValues }: StoredContent, isDeclared: boolean): string {
  const head = hidesValues
    ? [
        `# ${isDeclared ? 'values that are not in the resource are masked' : 'all values are masked, since the resource that declared the release is gone'}`,
      ]
    : [];
  return [...head, values === '' ? `# revision ${revision} has no values of its own` : values.trimEnd()].join('\n');
}

function describeManifest({ revision, objects }: StoredContent): string {
  const told = objects.map(({ kind, ns, name, text, why }) => {
    const object = `${kind} ${ns === null ? '' : `${ns}/`}${name}`;
    return `---\n${text?.trimEnd() ?? `# ${object}: ${why === 'long' ? 'left out, the manifest is too long' : 'you may not see this object'}`}`;
  });
  return told.length === 0 ? `# revision ${revision} has no objects` : told.join('\n');
}

function describeNotes({ revision, notes }: StoredContent): string {
  if (notes === null) throw new Error(`you may not read the notes of revision ${revision}: they require the right to get what Helm stored`);
  return notes === '' ? `revision ${revision} has no notes` : notes.trimEnd();
}
