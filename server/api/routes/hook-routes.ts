import { z } from 'zod';
import type { SignedCall } from '@/server/chartsync';
import type { Route } from '../route';
import { defineRoute } from '../route';

const MAX_BYTES = 1_048_576;

export const hookRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/v1/hooks/git/:id',
    summary:
      'A git server reports a push, signed as GitHub, Gitea, Forgejo or GitLab does, or by `X-Signature: sha256=…`. The repository is fetched at once.',
    params: z.object({ id: z.string().max(64) }),
    body: z.custom<SignedCall>(),
    bodyLimit: MAX_BYTES,
    isCalled: true,
    status: 202,
    anybody: true,
    act: () => ({ kind: 'call-hook' }),
    handle: ({ params, body }, _caller, { gitHooks }) => gitHooks.deliver(params.id, body),
  }),
];
