/** The first folders of our pages; a house test compares them with the folders there are. */
export const PAGE_ROOTS = [
  'activity',
  'applications',
  'engine',
  'objects',
  'pods',
  'releases',
  'rollouts',
  'sessions',
  'trackers',
] as const;

/** Longer than any address of ours; what asks for more asks for something else. */
const LONGEST = 2000;
/** Times that a path may have been encoded; beyond, nobody of ours wrote it. */
const MAX_ENCODED = 4;
const FIRST_PAGE = '/';
const HERE = 'http://slipway.invalid';
const HIDDEN = /\p{Cc}/u;
const STRAYS = /[\\\p{Cc}]|\/\/|(^|\/)\.{1,2}(\/|$)/u;

/**
 * Where somebody goes after signing in: to the page of ours that they asked for, else to the first one. What is asked for comes from an address, so
 * anybody may have written it: a path of ours stays one however often it is decoded, and names no folder but those of pages.
 */
export function returnPath(wanted: string | null | undefined): string {
  if (typeof wanted !== 'string' || wanted.length > LONGEST || HIDDEN.test(wanted) || !wanted.startsWith('/')) return FIRST_PAGE;
  const [path = ''] = wanted.split(/[?#]/);
  if (!isPlain(path)) return FIRST_PAGE;
  const url = readUrl(wanted);
  if (url === undefined || !isPage(url.pathname)) return FIRST_PAGE;
  if (url.searchParams.has('_rsc')) url.searchParams.delete('_rsc'); // how a page asks for its parts; whoever opens the address wants the page
  return `${url.pathname}${url.search}${url.hash}`;
}

/** The address of the sign-in page from which one comes back to a page. */
export function signInPath(from: string | null | undefined): string {
  const path = returnPath(from);
  return path === FIRST_PAGE ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`;
}

/** Whether a path means the same to whoever decodes it once more. */
function isPlain(path: string): boolean {
  let text = path;
  for (let round = 0; round < MAX_ENCODED; round++) {
    if (STRAYS.test(text)) return false;
    const decoded = decode(text);
    if (decoded === undefined) return false;
    if (decoded === text) return true;
    text = decoded;
  }
  return false;
}

function isPage(path: string): boolean {
  const [, root = ''] = path.split('/');
  return path === FIRST_PAGE || PAGE_ROOTS.some((known) => known === root);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // no encoding of ours
  }
}

function readUrl(text: string): URL | undefined {
  try {
    const url = new URL(text, HERE);
    return url.origin === HERE ? url : undefined;
  } catch {
    return undefined; // no address
  }
}
