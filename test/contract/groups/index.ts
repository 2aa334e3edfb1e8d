import type { ContractCase } from '../scene';
import { apply } from './apply';
import { budgets } from './budgets';
import { controllers } from './controllers';
import { customResources } from './custom-resources';
import { defaults } from './defaults';
import { deletion } from './deletion';
import { identity } from './identity';
import { immutable } from './immutable';
import { numbers } from './numbers';
import { ownership } from './ownership';
import { patches } from './patches';
import { reads } from './reads';
import { requests } from './requests';
import { rules } from './rules';
import { scale } from './scale';
import { surface } from './surface';
import { writes } from './writes';

/** Every group by the name of its golden file. */
export const groups: Readonly<Record<string, readonly ContractCase[]>> = {
  reads,
  writes,
  patches,
  defaults,
  scale,
  deletion,
  'custom-resources': customResources,
  identity,
  controllers,
  budgets,
  surface,
  ownership,
  apply,
  rules,
  requests,
  numbers,
  immutable,
};
