import type { Command } from 'commander';
import { WAIT_STATES } from '@/lib/contract/object-statuses';
import type { Client } from './client';
import { readReferences } from './read-references';
import type { WaitRequest } from './wait';
import { parseWanted, wait } from './wait';

export interface WaitOptions {
  readonly namespace: string;
  readonly for: string;
  readonly timeout: string;
  readonly filename?: string;
}

interface WaitDeps {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly fail: (code: number) => void;
  readonly stdin: NodeJS.ReadableStream;
  readonly connect: () => Promise<Client>;
}

/** What was written on the command line. */
interface Written {
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly options: WaitOptions;
}

const APPLICATION_NAMES = ['application', 'applications', 'app', 'application.core.oam.dev', 'applications.core.oam.dev'];

/** The arguments and options of `slipway wait`. */
export function describeWait(command: Command): Command {
  return command
    .description(
      'Waits until an application, or every object of a file, is current or deleted. Exit codes: 0 met, 1 failed, 124 timed out.',
    )
    .argument('[kind]', 'application, or application/NAME')
    .argument('[name]', 'its name')
    .option('-f, --filename <file>', 'manifests of the objects to wait for, - for standard input')
    .option('-n, --namespace <namespace>', 'namespace of the application, and of objects that name none', 'default')
    .option('--for <state>', `the status to wait for: ${WAIT_STATES.join(' or ')}`, 'current')
    .option('--timeout <duration>', 'timeout, such as 90s or 5m; at most 1h', '5m');
}

/** Waits; whatever goes wrong is a sentence and an exit code. */
export async function runWait({ kind, name, options }: Written, deps: WaitDeps): Promise<void> {
  try {
    const { namespace, timeout } = options;
    const wanted = parseWanted(options.for);
    const what = await readTarget({ kind, name, options }, deps.stdin);
    await using client = await deps.connect();
    const { sentence, code } = await wait(client, { what, namespace, wanted, timeout }, deps.print);
    if (code === 0) return deps.print(sentence);
    deps.warn(sentence);
    deps.fail(code);
  } catch (error) {
    deps.warn(`error: ${error instanceof Error ? error.message : String(error)}`);
    deps.fail(1);
  }
}

async function readTarget({ kind, name, options: { filename } }: Written, stdin: NodeJS.ReadableStream): Promise<WaitRequest['what']> {
  const [type, named = name] = kind?.split('/', 2) ?? [];
  if (filename !== undefined && type === undefined) {
    const text = filename === '-' ? await readAll(stdin) : await readFrom(filename);
    return { kind: 'objects', references: readReferences(text, filename === '-' ? 'standard input' : filename) };
  }
  if (filename === undefined && named !== undefined && type !== undefined && APPLICATION_NAMES.includes(type))
    return { kind: 'application', name: named };
  const found = [kind, name, filename === undefined ? undefined : `-f ${filename}`].filter((part) => part !== undefined).join(' ');
  throw new Error(`wait needs either application NAME or -f FILE, found ${found === '' ? 'neither' : found}`);
}

async function readFrom(file: string): Promise<string> {
  const { readNamedFile } = await import('@/server/platform'); // only this way of asking needs it
  return readNamedFile(file);
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
