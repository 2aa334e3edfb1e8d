import { z } from 'zod';
import { toOpenApi } from './openapi';
import type { Route } from './route';
import { defineRoute } from './route';
import { activityRoutes } from './routes/activity-routes';
import { applicationRoutes } from './routes/application-routes';
import { driftRoutes } from './routes/drift-routes';
import { editorRoutes } from './routes/editor-routes';
import { fluxRoutes } from './routes/flux-routes';
import { hookRoutes } from './routes/hook-routes';
import { liveRoutes } from './routes/live-routes';
import { logRoutes } from './routes/log-routes';
import { objectRoutes } from './routes/object-routes';
import { processRoutes } from './routes/process-routes';
import { releaseEditRoutes } from './routes/release-edit-routes';
import { releaseLogRoutes } from './routes/release-logs';
import { releaseRoutes } from './routes/release-routes';
import { undeclaredRoutes } from './routes/releases/undeclared-routes';
import { rolloutRoutes } from './routes/rollout-routes';
import { sessionRoutes } from './routes/session-routes';
import { statusRoutes } from './routes/status-routes';

const described: readonly Route[] = [
  ...sessionRoutes,
  ...liveRoutes,
  ...rolloutRoutes,
  ...releaseRoutes,
  ...undeclaredRoutes,
  ...releaseLogRoutes,
  ...releaseEditRoutes,
  ...fluxRoutes,
  ...applicationRoutes,
  ...objectRoutes,
  ...editorRoutes,
  ...driftRoutes,
  ...statusRoutes,
  ...logRoutes,
  ...activityRoutes,
  ...hookRoutes,
  ...processRoutes,
];

/** Made once: it takes as long as a hundred other answers, and anybody may ask for it. */
let openApiText: string | undefined;

const openApi: Route = defineRoute({
  method: 'get',
  path: '/api/v1/openapi.json',
  summary: 'This description.',
  answer: z.unknown(),
  status: 200,
  anybody: true,
  act: () => ({ kind: 'enter' }),
  async handle() {
    openApiText ??= JSON.stringify(toOpenApi([...described, openApi]));
    return new Response(openApiText, { headers: { 'content-type': 'application/json' } });
  },
});

/** Every route there is. */
export const ROUTES: readonly Route[] = [...described, openApi];
