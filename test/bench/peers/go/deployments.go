package main

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

// aDeployment is one revision as a plain Deployment.
func aDeployment(name, revision, image string, replicas int) *unstructured.Unstructured {
	labels := fields("app", name, "revision", revision)
	container := fields("name", "main", "image", image, "ports", list(fields("containerPort", int64(8080))),
		"resources", fields("requests", fields("cpu", "10m", "memory", "8Mi")))
	return &unstructured.Unstructured{Object: fields(
		"apiVersion", "apps/v1", "kind", "Deployment", "metadata", fields("name", name+"-"+revision, "labels", labels),
		"spec", fields(
			"replicas", int64(replicas), "selector", fields("matchLabels", labels),
			"template", fields("metadata", fields("labels", labels), "spec", fields("containers", list(container))),
		),
	)}
}

// moveDeployments is the least that any controller must do who moves replicas between two Deployments in five stages, new pods first: it
// creates one, scales both in turn as soon as the watched pods allow it, deletes the old one, and writes nothing else.
func moveDeployments(ctx context.Context, client dynamic.ResourceInterface, o *observer, name string) {
	step := o.replicas / 5
	scale := func(revision string, replicas int) {
		body, _ := json.Marshal(fields("spec", fields("replicas", replicas)))
		_, err := client.Patch(ctx, name+"-"+revision, types.MergePatchType, body, metav1.PatchOptions{}, "scale")
		must(err)
	}
	wait := func(is func(*seen) bool) {
		for {
			o.mx.Lock()
			so := is(o.of(name))
			o.mx.Unlock()
			if so {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	_, err := client.Create(ctx, aDeployment(name, "v2", newImage, step), metav1.CreateOptions{})
	must(err)
	for fresh := step; ; fresh += step {
		wait(func(s *seen) bool { return s.freshReady >= fresh })
		scale("v1", o.replicas-fresh)
		if fresh >= o.replicas {
			break
		}
		wait(func(s *seen) bool { return s.live <= o.replicas })
		scale("v2", fresh+step)
	}
	wait(func(s *seen) bool { return s.total == o.replicas })
	must(client.Delete(ctx, name+"-v1", metav1.DeleteOptions{}))
	o.mx.Lock()
	o.of(name).declared = time.Now()
	o.mx.Unlock()
}

func firstDeployment(name string, replicas int) *unstructured.Unstructured {
	return aDeployment(name, "v1", oldImage, replicas)
}
