/** What a request asks an API server for; nothing is named where the path is of no kind. */
export interface Asked {
  readonly verb: 'get' | 'list' | 'watch' | 'write';
  readonly resource: string | undefined;
  readonly name: string | undefined;
}

const COLLECTION = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/(?=[^/]+))?([^/]+)(?:\/([^/]+))?(?:\/|$)/;

/** Reads verb, plural and name off a request line. */
export function parsePath(url: string, method = 'GET'): Asked {
  const { pathname, searchParams } = new URL(url, 'http://api');
  const [, resource, name] = COLLECTION.exec(pathname) ?? [];
  const isWatch = ['true', '1'].includes(searchParams.get('watch') ?? '');
  const verb = method !== 'GET' ? 'write' : isWatch ? 'watch' : name === undefined ? 'list' : 'get';
  return { verb, resource, name };
}
