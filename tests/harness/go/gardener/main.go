// The webhooks of the Gardener operator for Gardens, served as its manager serves them, in a cluster that holds no Garden
// yet. Only the client is ours: it answers every list with nothing, without an API server.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	operatorv1alpha1 "github.com/gardener/gardener/pkg/apis/operator/v1alpha1"
	defaulting "github.com/gardener/gardener/pkg/operator/webhook/defaulting/garden"
	validation "github.com/gardener/gardener/pkg/operator/webhook/validation/garden"
)

func main() {
	folder := flag.String("certificates", "", "folder with tls.crt and tls.key")
	port := flag.Int("port", 0, "port on the loopback interface")
	flag.Parse()
	ctrllog.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	if err := operatorv1alpha1.AddToScheme(scheme); err != nil {
		log.Fatal(err)
	}
	garden := &operatorv1alpha1.Garden{}
	validator := &validation.Handler{Logger: logr.Discard(), RuntimeClient: emptyCluster{scheme: scheme}}
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: *port, CertDir: *folder})
	server.Register(defaulting.WebhookPath,
		admission.WithCustomDefaulter(scheme, garden, &defaulting.Handler{}).WithRecoverPanic(true))
	server.Register(validation.WebhookPath,
		admission.WithCustomValidator(scheme, garden, validator).WithRecoverPanic(true))
	log.Fatal(server.Start(context.Background()))
}

// emptyCluster has nothing of any kind.
type emptyCluster struct {
	client.Client
	scheme *runtime.Scheme
}

func (emptyCluster) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (c emptyCluster) Scheme() *runtime.Scheme { return c.scheme }
