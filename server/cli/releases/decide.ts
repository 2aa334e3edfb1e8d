import { acceptedBody } from '@/lib/contract/pages/answers';
import type { ReleaseDecisionRequest } from '@/lib/contract/release-decision';
import type { ReleaseDetail, ReleaseRow } from '@/lib/contract/release-rows';
import { releaseDetail } from '@/lib/contract/release-rows';
import type { ServerCommandDeps } from '../acts/server-command-deps';
import { waitForAnswer } from '../acts/wait-for-answer';
import type { Client } from '../client';
import { pathOf } from './find-release';

/** What the page of a release tells. */
export const readDetail = (client: Client, row: Pick<ReleaseRow, 'ns' | 'kind' | 'name'>): Promise<ReleaseDetail> =>
  client.read(pathOf(row), releaseDetail);

/** Decides, and tells what chart sync answers. */
export async function decide(
  detail: ReleaseDetail,
  request: Omit<ReleaseDecisionRequest, 'kind' | 'uid'>,
  { client, print, fail }: Pick<ServerCommandDeps<never>, 'print' | 'fail'> & { readonly client: Client },
): Promise<void> {
  const { ns, name, kind, uid, actions } = detail;
  // As the page does: what nobody can carry out now is not decided, and waits for no answer.
  const why = actions.find(({ verb }) => verb === request.verb)?.why ?? null;
  if (why !== null) throw new Error(why);
  const { accepted } = await client.post(`/api/v1/namespaces/${ns}/releases/${name}/decisions`, { ...request, kind, uid }, acceptedBody);
  const answerOf = async () => (await readDetail(client, detail)).decisions.find(({ key }) => key === accepted.uid);
  await waitForAnswer(accepted.name, answerOf, { print, fail });
}
