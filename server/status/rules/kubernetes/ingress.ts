import type { StatusRule } from '../rule';

/** An Ingress is served once its controller has published an address. One that never does is told of by a rule of the operator's own. */
export const ingress: StatusRule = {
  kind: 'networking.k8s.io/Ingress',
  rows: [
    {
      when: [
        {
          any: [
            { path: '.status.loadBalancer.ingress[*].ip', present: true },
            { path: '.status.loadBalancer.ingress[*].hostname', present: true },
          ],
        },
      ],
      status: 'Current',
      message: 'Ingress has an address: {.status.loadBalancer.ingress[*].hostname|.status.loadBalancer.ingress[*].ip}',
    },
    { status: 'InProgress', reason: 'NoAddress', message: 'Ingress has no address' },
  ],
};
