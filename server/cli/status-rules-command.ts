import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Checked } from '@/server/status';

export interface StatusRulesDeps {
  readonly print: (text: string) => void;
  readonly stdin: NodeJS.ReadableStream;
  readonly fail: () => void;
}

/** `slipway status-rules test`: no server is asked. */
export function describeStatusRules(command: Command, deps: StatusRulesDeps): void {
  command
    .description('Rules that compute the status of objects.')
    .command('test')
    .description('Prints the statuses that rules compute for objects, and whether they are as the file expects.')
    .argument('<file>', 'rules in YAML or JSON, or a health check in Lua')
    .argument('[objects]', 'manifests, - for standard input; without them what the file itself expects')
    .action(async (file: string, objects: string | undefined) => {
      // The engine is large, and only this command needs it.
      const [{ checkRules }, { readNamedFile, realClock }] = await Promise.all([import('@/server/status'), import('@/server/platform')]);
      const given = objects === undefined ? undefined : objects === '-' ? await textOf(deps.stdin) : await readNamedFile(objects);
      const checked = await checkRules(file, given, realClock);
      for (const one of checked) deps.print(describeChecked(one));
      const unmet = checked.filter(({ unmet: wrong = [] }) => wrong.length > 0).length;
      const expected = checked.filter(({ unmet: wanted }) => wanted !== undefined).length;
      deps.print(`${checked.length} ${checked.length === 1 ? 'object' : 'objects'}, ${expected} expected, ${unmet} not as expected`);
      if (unmet > 0) deps.fail();
    });
}

function describeChecked({ object, status, message, rule, unmet }: Checked): string {
  const mark = unmet === undefined ? '    ' : unmet.length === 0 ? 'ok  ' : 'FAIL';
  const lines = [
    `${mark} ${object}: ${status}: ${message}`,
    `       by ${rule || 'nothing'}`,
    ...(unmet ?? []).map((sentence) => `       ${sentence}`),
  ];
  return lines.join('\n');
}
