import type { Command } from 'commander';
import { grantObjects, noGrantReason } from '@/lib/contract/grant';
import { writeYaml } from '@/lib/std/yaml/write-yaml';

interface Options {
  readonly kinds?: string;
  readonly accounts?: string;
  readonly chartsAccount?: string;
}

/** `slipway grant`: prints what the owner of a namespace applies, and asks and writes nothing. */
export function describeGrant(command: Command, { print }: { readonly print: (text: string) => void }): void {
  command
    .description(
      'Prints the Role with which the owner of a namespace lets the server write there. It changes nothing: pipe it to kubectl apply -f -.',
    )
    .argument('<namespace>', 'the namespace')
    .option('--kinds <kinds>', 'more kinds that applications contain there, as RESOURCE.GROUP, comma-separated')
    .option(
      '--accounts <names>',
      'ServiceAccounts there that Helm may run as besides slipway-charts, comma-separated; each with the rights that it has',
    )
    .option(
      '--charts-account <name>',
      'the ServiceAccount that Helm runs as for releases that name none, if --charts-service-account of the server names one',
    )
    .action((namespace: string, { kinds = '', accounts = '', chartsAccount }: Options) => {
      const named = { kinds: wordsOf(kinds), accounts: wordsOf(accounts), chartsAccount };
      const why = noGrantReason(namespace, named);
      if (why !== undefined) throw new Error(why);
      print(
        grantObjects(namespace, named)
          .map((object) => writeYaml(object, { lineWidth: 0, aliasDuplicateObjects: false }))
          .join('---\n')
          .trimEnd(),
      );
    });
}

function wordsOf(list: string): readonly string[] {
  return list.split(',').flatMap((word) => word.trim() || []);
}
