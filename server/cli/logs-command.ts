import type { Command } from 'commander';
import { dataOf } from '@/lib/contract/event-lines';
import type { LogLine, LogSource } from '@/lib/contract/log-stream';
import { logEnd, logLines, logSources, TAIL_LINES } from '@/lib/contract/log-stream';
import { formatCount } from '@/lib/words/figures';
import { showInLine } from '@/lib/words/show-hidden';
import type { Client } from './client';

export interface LogsOptions {
  readonly namespace: string;
  readonly follow?: true;
  readonly previous?: true;
  readonly timestamps?: true;
  readonly since?: string;
  readonly tail?: string;
  readonly container?: string;
  readonly revision?: string;
  readonly pod?: string;
}

interface LogsDeps {
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly fail: (code?: number) => void;
  readonly connect: () => Promise<Client>;
}

const KINDS = { application: 'application', applications: 'application', app: 'application', pod: 'pod', pods: 'pod', po: 'pod' } as const;

/** The arguments and options of `slipway logs`. */
export function describeLogs(command: Command): Command {
  return command
    .description('Prints the logs of the pods of an application, of one of its revisions, or of one pod, merged by time.')
    .argument('<kind>', 'application or pod, or KIND/NAME')
    .argument('[name]', 'its name')
    .option('-n, --namespace <namespace>', 'its namespace', 'default')
    .option('-f, --follow', 'follow the logs, including those of new pods')
    .option('-p, --previous', 'print the previous run of each container')
    .option('-c, --container <container>', 'only containers with this name')
    .option('--revision <revision>', 'of an application: only this revision, such as web-v2')
    .option('--pod <pod>', 'of an application: only this pod')
    .option('--since <time>', 'only newer lines: a duration such as 10m, or a time such as 2026-01-31T09:00:00Z')
    .option('--tail <lines>', `number of newest lines of each container; ${TAIL_LINES} if --since is not given`)
    .option('--timestamps', 'print the time of each line');
}

/** Prints logs until they end; whatever goes wrong is a sentence and an exit code. */
export async function runLogs(kind: string, name: string | undefined, options: LogsOptions, deps: LogsDeps): Promise<void> {
  try {
    const path = toPath(kind, name, options);
    await using client = await deps.connect();
    const printer = new LogPrinter(options, deps);
    const leaving = new AbortController();
    for await (const event of client.stream(path, { signal: leaving.signal })) {
      if (event.event === 'sources') printer.take(dataOf(event, logSources).sources);
      if (event.event === 'lines') for (const line of dataOf(event, logLines).lines) printer.print(line);
      if (event.event !== 'end') continue;
      const { outcome, sentence } = dataOf(event, logEnd);
      if (outcome === 'over' && printer.hasSources) return;
      throw new Error(showInLine(sentence));
    }
    throw new Error('the server closed the connection before the end of the log; try again');
  } catch (error) {
    deps.warn(`error: ${error instanceof Error ? error.message : String(error)}`);
    deps.fail(1);
  }
}

function toPath(written: string, second: string | undefined, options: LogsOptions): string {
  const [type = '', name = second] = written.split('/', 2);
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type as keyof typeof KINDS] : undefined;
  if (kind === undefined || name === undefined)
    throw new Error(`logs needs application NAME or pod NAME, found ${[written, second].join(' ').trim()}`);
  const { namespace, follow, previous, since, tail, container, revision, pod } = options;
  if (kind === 'pod' && (revision !== undefined || pod !== undefined))
    throw new Error('--revision and --pod are for applications: a pod is named already');
  const query = new URLSearchParams({
    ...(follow && { follow: 'true' }),
    ...(previous && { previous: 'true' }),
    ...(since && { since }),
    ...(tail && { tail }),
    ...(container && { container }),
    ...(revision && { revision }),
    ...(pod && { pod }),
  });
  const place = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  return kind === 'pod'
    ? `${place}/pods/${encodeURIComponent(name)}/log?${query}`
    : `${place}/applications/${encodeURIComponent(name)}/logs?${query}`;
}

/** States that are told beside the log, since nothing comes of those containers meanwhile. */
const TOLD: readonly LogSource['state'][] = ['waiting', 'refused', 'broken', 'left'];

/** Lines name their container as soon as there are two. */
class LogPrinter {
  readonly #sources = new Map<number, LogSource>();
  readonly #told = new Map<number, string>();
  readonly #options: LogsOptions;
  readonly #deps: Pick<LogsDeps, 'print' | 'warn'>;

  constructor(options: LogsOptions, deps: Pick<LogsDeps, 'print' | 'warn'>) {
    this.#options = options;
    this.#deps = deps;
  }

  get hasSources(): boolean {
    return this.#sources.size > 0;
  }

  take(sources: readonly LogSource[]): void {
    for (const source of sources) {
      this.#sources.set(source.id, source);
      const sentence = `${source.pod} ${source.container}: ${source.state}${source.note === null ? '' : `, ${source.note}`}`;
      if (!TOLD.includes(source.state) || this.#told.get(source.id) === sentence) continue;
      this.#told.set(source.id, sentence);
      this.#deps.warn(sentence);
    }
  }

  print({ from, at, text, cut, mark }: LogLine): void {
    const source = this.#sources.get(from);
    const named = source !== undefined && (this.#sources.size > 1 || mark !== undefined) ? `[${source.pod} ${source.container}] ` : '';
    const time = this.#options.timestamps && at !== null ? `${at} ` : '';
    const rest = cut === undefined ? '' : ` … ${formatCount(cut, 'byte was', 'bytes were')} cut`;
    this.#deps.print(mark === undefined ? `${time}${named}${text}${rest}` : `${time}--- ${named}${text}`);
  }
}
