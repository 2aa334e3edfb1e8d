import { execFileSync, spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import type { LoopbackCertificate } from './loopback-certificate';
import type { LoopbackWeb } from './loopback-web';
import { startWeb } from './loopback-web';

interface GitHttps {
  readonly certificate: LoopbackCertificate;
  /** The folder whose bare repositories are served. */
  readonly root: string;
  /** What a request must bring as `Authorization`; everybody may read where it is undefined. */
  readonly wanted: () => string | undefined;
  /** Resolves when requests are answered; they are at once where it is absent. */
  readonly opened?: Promise<void>;
  /** Whether the connection ends in the middle of a pack that is sent. */
  readonly cuts?: () => boolean;
}

/** An answer of this size holds a pack, and is more than the list of what there is. */
const A_PACK = 64 * 1024;

const BACKEND = path.join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');

/** git over https by git's own program, as a server of the field runs it. */
export function startGitHttps({ certificate, root, wanted, opened, cuts = () => false }: GitHttps): Promise<LoopbackWeb> {
  return startWeb(
    async (request, answer) => {
      await opened;
      const authorization = wanted();
      if (authorization === undefined || request.headers.authorization === authorization) runBackend(root, request, answer, cuts);
      else answer.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no');
    },
    { certificate },
  );
}

function runBackend(root: string, request: IncomingMessage, answer: ServerResponse, cuts: () => boolean): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://git.test');
  const header = (name: string) => String(request.headers[name] ?? '');
  const env = {
    ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', GIT_PROTOCOL: header('git-protocol') },
    ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method, CONTENT_TYPE: header('content-type') },
    ...{
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  };
  const backend = spawn(BACKEND, { env: env as unknown as NodeJS.ProcessEnv, stdio: ['pipe', 'pipe', 'ignore'] }); // Next wants a NODE_ENV of it
  request.pipe(backend.stdin).on('error', () => undefined);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf('\r\n\r\n');
    const headers = Object.fromEntries(
      whole
        .subarray(0, Math.max(0, end))
        .toString('latin1')
        .split('\r\n')
        .map((line) => line.split(/: (.*)/s, 2)),
    );
    const { Status: status = '200', ...rest } = headers;
    const body = whole.subarray(end + 4);
    answer.writeHead(Number.parseInt(status, 10), { ...rest, 'content-length': String(body.length) });
    if (body.length < A_PACK || !cuts()) answer.end(body);
    else answer.write(body.subarray(0, body.length / 2), () => answer.destroy());
  });
}
