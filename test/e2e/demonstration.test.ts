import { afterAll, beforeAll, describe } from 'vitest';
import { signIn } from '../support/api-person';
import { demonstrationInPlace } from '../support/demonstration';
import type { OpenConsole } from '../support/open-console';
import { openConsole } from '../support/open-console';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';
import { describeAddresses } from './demonstration/addresses';
import { describeFilters } from './demonstration/filters';
import { describeGraph } from './demonstration/graph';
import { describeLogs } from './demonstration/logs';
import { describeRollout } from './demonstration/rollout';
import { describeSeeWhole } from './demonstration/see-whole';
import { describeViews } from './demonstration/views';

// What only looks at the demonstration comes first, then what changes it: one server and one browser for all of it. The logs take a right away from
// viewers, and the rollout makes another version of an application that the others look at.
describe('the demonstration', () => {
  let server: ServerProcess;
  let console: OpenConsole;

  beforeAll(async () => {
    server = await startServerProcess();
    console = await openConsole(server);
    await demonstrationInPlace(await signIn(server, await console.invite('operator')));
  });

  afterAll(async () => {
    await console?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const scene = () => ({ server, console });
  describeAddresses(scene);
  describeGraph(scene);
  describeSeeWhole(scene);
  describeViews(scene);
  describeFilters(scene);
  describeLogs(scene);
  describeRollout(scene);
});
