import { catalogue } from '../catalogue';

/** The manifests that a new application may start from. */
export const manifests = catalogue({
  staged: `apiVersion: core.oam.dev/v1beta1
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
`,
  approved: `apiVersion: core.oam.dev/v1beta1
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
        - type: gateway
          properties:
            domain: example.com
            http:
              /: 80
  policies:
    - name: staged
      type: rollout
      properties:
        strategy: availability
        ratio: 25
        control:
          gates:
            - atPercent: 25
          approvals:
            required: 1
`,
  worker: `apiVersion: core.oam.dev/v1beta1
kind: Application
metadata:
  name: example
  namespace: default
spec:
  components:
    - name: worker
      type: worker
      properties:
        image: busybox:1.36
        cmd: [sleep, infinity]
      traits:
        - type: hpa
          properties:
            min: 2
            max: 10
`,
  task: `apiVersion: core.oam.dev/v1beta1
kind: Application
metadata:
  name: example
  namespace: default
spec:
  components:
    - name: report
      type: cron-task
      properties:
        image: busybox:1.36
        cmd: [echo, done]
        schedule: "0 3 * * *"
`,
  objects: `apiVersion: core.oam.dev/v1beta1
kind: Application
metadata:
  name: example
  namespace: default
spec:
  components:
    - name: settings
      type: k8s-objects
      properties:
        objects:
          - apiVersion: v1
            kind: ConfigMap
            metadata:
              name: example-settings
            data:
              colour: blue
`,
});
