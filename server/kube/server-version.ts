import type { Cluster } from './cluster';

/** The version that an API server says it is, such as `v1.36.2`; null when it does not tell us. */
export async function readServerVersion(cluster: Cluster, signal: AbortSignal): Promise<string | null> {
  try {
    const { status, body } = await cluster.request({ path: '/version', signal });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
    return status === 200 ? toVersion(JSON.parse(text)) : null;
  } catch {
    return null; // it is shown and nothing else; what keeps the server from working is told elsewhere
  }
}

function toVersion(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null || !('gitVersion' in answer)) return null;
  return typeof answer.gitVersion === 'string' ? answer.gitVersion : null;
}
