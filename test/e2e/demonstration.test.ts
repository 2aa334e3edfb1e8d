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

// One server and one browser for all that looks at the demonstration. The logs come first: a container that crashes starts again ever more rarely. The
// rollout comes last, since it makes another version of an application that the others look at.
describe('the demonstration', () => {
  let server: ServerProcess;
  let console: OpenConsole;

  beforeAll(async () => {
    server = await startServerProcess();
    console = await openConsole(server);
  });

  afterAll(async () => {
    await console?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const scene = () => ({ server, console });
  describeLogs(scene);

  describe('once it is in place', () => {
    beforeAll(async () => demonstrationInPlace(await signIn(server, await console.invite('operator'))));

    describeAddresses(scene);
    describeGraph(scene);
    describeSeeWhole(scene);
    describeViews(scene);
    describeFilters(scene);
    describeRollout(scene);
  });
});
