import { AppError } from '@/lib/contract/app-error';
import { JsonDepth, MAX_READ_LEVELS } from '@/lib/kube/depth';
import { isFields, readString } from '@/lib/kube/fields';
import { parseExact } from '@/lib/std/exact-json';
import type { Cluster } from '@/server/kube';
import { KubeApiError } from '@/server/kube';

const MAX_BYTES = 32_000_000;

/** Asks the cluster for a document that the port has no method for, and reads it whole, within bounds; a refusal is thrown in the words of the API server. */
export async function readAnswer(
  cluster: Cluster,
  path: string,
  { accept, what }: { readonly accept?: string; readonly what: string },
): Promise<unknown> {
  const answer = await cluster.request({ path, headers: accept === undefined ? {} : { accept } });
  const text = await readText(answer.body, what);
  if (new JsonDepth(MAX_READ_LEVELS).take(text))
    throw new AppError(
      'too-large',
      `the answer to ${what} is nested deeper than ${MAX_READ_LEVELS} levels, more than is shown here; read it with kubectl`,
    );
  const body = parseExact(text);
  if (answer.status !== 200) throw refusalOf(answer.status, body);
  return body;
}

async function readText(body: AsyncIterable<Uint8Array>, what: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES)
      throw new AppError('too-large', `the answer to ${what} has more than ${MAX_BYTES} bytes; ask for one namespace or by a label`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusalOf(code: number, body: unknown): Error {
  const message = isFields(body) ? readString(body, 'message') : undefined;
  return new KubeApiError({ code, reason: readString(body, 'reason') ?? '', message: message ?? `it answered ${code}` });
}
