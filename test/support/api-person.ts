import type { ServerProcess } from './server-process';

/** What the API answered: its status and its body, JSON where it is JSON. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
}

/** Somebody who is signed in and speaks to the API without a browser. */
export interface ApiPerson {
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body: unknown): Promise<ApiAnswer>;
  /** The one row of a detail topic; undefined while there is none. */
  row<Row>(topic: string): Promise<Row | undefined>;
  readonly cookie: string;
}

/** Signs in with the token of an address, as the page behind it does. */
export async function signIn({ origin }: Pick<ServerProcess, 'origin'>, address: string): Promise<ApiPerson> {
  const token = new URL(address).searchParams.get('token') ?? '';
  const opened = await fetch(`${origin}/api/v1/session`, { method: 'POST', headers: headersOf(origin), body: JSON.stringify({ token }) });
  const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0];
  if (!opened.ok || cookie === undefined) throw new Error(`signing in answered ${opened.status}: ${await opened.text()}`);
  const ask = async (path: string, init: RequestInit): Promise<ApiAnswer> => {
    const response = await fetch(`${origin}${path}`, { ...init, headers: { ...headersOf(origin), cookie } });
    const waitS = response.status === 429 ? Number(response.headers.get('retry-after')) : 0;
    if (waitS > 0) {
      // A person may ask so often and no more; what a test looks at again and again waits as it is told to.
      await new Promise((resolve) => setTimeout(resolve, waitS * 1000));
      return ask(path, init);
    }
    const text = await response.text();
    return { status: response.status, text, body: parsed(text) };
  };
  const get = (path: string) => ask(path, {});
  return {
    cookie,
    get,
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    async row<Row>(topic: string) {
      const { body } = await get(`/api/v1/rows?topic=${encodeURIComponent(topic)}`);
      return (body as { rows?: readonly Row[] }).rows?.[0];
    },
  };
}

/** The sentence of a refusal. */
export function sentenceOf({ body }: ApiAnswer): string {
  return (body as { error?: { message?: string } }).error?.message ?? '';
}

function headersOf(origin: string): Record<string, string> {
  return { 'content-type': 'application/json', origin };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a page, a table of figures: read as text
  }
}
