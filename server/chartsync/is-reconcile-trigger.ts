import { PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { isGatePolicyMoved } from './gate/gate-policy';
import { awaitsUninstall, readDeclared } from './model/declared';
import { DEPENDENCY_SECRETS } from './model/dependency-secrets';
import { DEPENDS_ON } from './model/depends-on';
import { DRIFT_DETECTION } from './model/drift-policy';
import { SERVICE_ACCOUNT } from './model/impersonation';

/** True when a change of a resource wants a look: it is new, its spec differs structurally (R-CR-1 to R-CR-3), another plan of it was accepted, another approval is asked for, or it was deleted and waits for its uninstall. */
export function isReconcileTrigger(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (after === undefined) return false;
  if (before === undefined || !deepEqual(before.spec, after.spec)) return true;
  const plan = after.metadata.annotations?.[PLAN.seen];
  if (plan !== undefined && plan !== before.metadata.annotations?.[PLAN.seen]) return true;
  if (isGatePolicyMoved(before, after)) return true;
  if (before.metadata.deletionTimestamp === undefined && awaitsUninstall(readDeclared(after))) return true;
  return [DEPENDS_ON, DEPENDENCY_SECRETS, SERVICE_ACCOUNT, DRIFT_DETECTION].some(
    (name) => before.metadata.annotations?.[name] !== after.metadata.annotations?.[name],
  );
}
