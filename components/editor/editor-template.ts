/** What a new application starts from: a service that is rolled out in stages. */
export const TEMPLATE = `apiVersion: core.oam.dev/v1beta1
kind: Application
metadata:
  name: example
  namespace: default
spec:
  components:
    - name: web
      type: webservice
      properties:
        image: nginx:1.27
        port: 80
      traits:
        - type: scaler
          properties:
            replicas: 4
  policies:
    - name: staged
      type: rollout
      properties:
        strategy: availability
        ratio: 25
`;
