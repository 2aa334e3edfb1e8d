import { expect, it } from 'vitest';
import { missingRightCommand } from '@/server/chartsync/cluster/missing-right';

const refusal = (where: string, { user = 'system:serviceaccount:pay:slipway-charts', of = '"widgets" in API group "example.com"' } = {}) =>
  `INSTALLATION FAILED: widgets "a" is forbidden: User "${user}" cannot get resource ${of} ${where}`;
const usual = { namespace: 'pay', name: 'slipway-charts' };
const VERBS = 'get,list,watch,create,update,patch,delete';

it('[issue 12.3] a right that Helm lacks is given by a command: of the namespace by a grant, elsewhere by a role for the account that it is', () => {
  expect(missingRightCommand(refusal('in the namespace "pay"'), usual)).toBe(
    'slipway grant pay --kinds widgets.example.com | kubectl apply -f -',
  );
  expect(missingRightCommand(refusal('in the namespace "shop"'), usual)).toBe(
    `kubectl create role slipway-charts-of-pay:widgets -n shop --verb=${VERBS} --resource=widgets.example.com && kubectl create rolebinding slipway-charts-of-pay:widgets -n shop --role=slipway-charts-of-pay:widgets --serviceaccount=pay:slipway-charts`,
  );
  const ofNamespaces = refusal('at the cluster scope', { of: '"namespaces" in API group ""' });
  const make = ofNamespaces.replace(' get ', ' patch ');
  // As Kubernetes says it of one namespace, there or not.
  const inItself = ['books', 'pay'].map((name) => make.replace('at the cluster scope', `in the namespace "${name}"`));
  expect([ofNamespaces, make, ...inItself].map((text) => missingRightCommand(text, usual))).toEqual(
    [VERBS, ...Array.from({ length: 3 }, () => 'create,patch')].map(
      (verbs) =>
        `kubectl create clusterrole slipway-charts-of-pay:namespaces --verb=${verbs} --resource=namespaces && kubectl create clusterrolebinding slipway-charts-of-pay:namespaces --clusterrole=slipway-charts-of-pay:namespaces --serviceaccount=pay:slipway-charts`,
    ),
  );
});

it('[design 8] no command is made of what a chart says of others, or of names that are none', () => {
  expect(missingRightCommand(refusal('at the cluster scope', { user: 'system:serviceaccount:kube-system:admin' }), usual)).toBeUndefined();
  expect(missingRightCommand(refusal('at the cluster scope', { of: '"$(rm -rf /)" in API group ""' }), usual)).toBeUndefined();
  expect(missingRightCommand(refusal('in the namespace "pay; true"'), usual)).toBeUndefined();
});

const refused =
  'User "system:serviceaccount:pay:slipway-charts" cannot get resource "widgets" in API group "example.com" in the namespace "pay"';

it.each([
  `query: failed to query with labels: widgets.example.com is forbidden: ${refused}`,
  `unable to continue with install: could not get information about the resource Secret "a" in namespace "pay": widgets.example.com "a" is forbidden: ${refused}`,
  `UPGRADE FAILED: failed to create resource: server-side apply failed for object pay/a /v1, Kind=Secret: widgets.example.com "a" is forbidden: ${refused}`,
  `INSTALLATION FAILED: failed to install CRD crds/Thing_1.yaml: server-side apply failed for object /a example.com/v1, Kind=Widget: widgets.example.com "a" is forbidden: ${refused}`,
  `failed pre-install: widgets.example.com "a" is forbidden: ${refused}`,
  `UPGRADE FAILED: cannot patch "a" with kind Secret: widgets.example.com "a" is forbidden: ${refused}`,
])('[issue 12.3] a right is found wherever Helm is refused: %s', (text) => {
  expect(missingRightCommand(text, usual)).toBe('slipway grant pay --kinds widgets.example.com | kubectl apply -f -');
});

// As Helm 4.3.1 says it of charts that are written so.
it.each([
  `failed to install CRD crds/a b: widgets.example.com is forbidden: ${refused}: crds/x.yaml`,
  `execution error at (evil/templates/x.yaml:1:3): widgets.example.com is forbidden: ${refused}`,
  `server-side apply failed for object pay/evil apps/v1, Kind=Deployment: failed to create typed patch object (pay/evil; apps/v1, Kind=Deployment): .spec.x is forbidden: ${refused}: field not declared in schema`,
  `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: x is forbidden: ${refused}`,
  `values don't meet the specifications of the schema(s) in the following chart(s):\nevil:\n- at '': x is forbidden: ${refused}`,
  `widgets.example.com is forbidden: ${refused}\nand more`,
])('[design 8] no command is made of what a chart makes Helm say: %s', (text) => {
  expect(missingRightCommand(text, usual)).toBeUndefined();
});
