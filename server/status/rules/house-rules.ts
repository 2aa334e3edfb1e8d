import { rollout } from './argo/rollout';
import { certificate } from './cert-manager/certificate';
import { clusterIssuer } from './cert-manager/cluster-issuer';
import { issuer } from './cert-manager/issuer';
import { fluxHelmRelease } from './flux/flux-helm-release';
import { helmRelease } from './flux/helm-release';
import { kustomization } from './flux/kustomization';
import { operatorHelmRelease } from './flux/operator-helm-release';
import { gateway } from './gateway-api/gateway';
import { grpcRoute } from './gateway-api/grpc-route';
import { httpRoute } from './gateway-api/http-route';
import { revision } from './knative/revision';
import { route } from './knative/route';
import { service } from './knative/service';
import { horizontalPodAutoscaler } from './kubernetes/horizontal-pod-autoscaler';
import { ingress } from './kubernetes/ingress';
import type { StatusRule } from './rule';
import { application } from './slipway/application';
import { applicationRevision } from './slipway/application-revision';
import { resourceTracker } from './slipway/resource-tracker';
import { rolloutOrchestrator } from './slipway/rollout-orchestrator';
import { stageDecision } from './slipway/stage-decision';
import { stagePodAutoscaler } from './slipway/stage-pod-autoscaler';

/** Kinds that operators meet beside those that kstatus knows. The server turns them on; `compute` by itself does not. */
export const HOUSE_RULES: readonly StatusRule[] = [
  horizontalPodAutoscaler,
  ingress,
  gateway,
  httpRoute,
  grpcRoute,
  certificate,
  issuer,
  clusterIssuer,
  service,
  revision,
  route,
  rollout,
  kustomization,
  helmRelease,
  fluxHelmRelease,
  operatorHelmRelease,
  application,
  applicationRevision,
  resourceTracker,
  rolloutOrchestrator,
  stagePodAutoscaler,
  stageDecision,
];
