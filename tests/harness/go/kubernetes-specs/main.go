// Kubernetes' own specs of sig-api-machinery, run against the cluster that KUBECONFIG names: `-focus` says which, `-list` prints their names.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	"k8s.io/kubernetes/test/e2e/framework"
	e2econfig "k8s.io/kubernetes/test/e2e/framework/config"
)

// Tells that a spec failed; the framework wants somebody to tell.
type listener struct{ failed bool }

func (l *listener) Fail() { l.failed = true }

func main() {
	focus := flag.String("focus", "", "regular expression of the specs that run")
	skip := flag.String("skip", "", "regular expression of the specs that do not")
	list := flag.Bool("list", false, "print the names of the specs and end")
	seconds := flag.Int("seconds", 120, "time that all of them have")
	e2econfig.CopyFlags(e2econfig.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	framework.TestContext.KubeConfig = os.Getenv("KUBECONFIG")
	framework.TestContext.Provider = "skeleton"
	framework.AfterReadingAllFlags(&framework.TestContext)
	suite, reporter := framework.CreateGinkgoConfig()
	suite.Timeout = time.Duration(*seconds) * time.Second
	suite.SkipStrings = nonEmpty(*skip)
	suite.FocusStrings = nonEmpty(*focus)
	suite.DryRun = *list
	reporter.NoColor = true
	reporter.Succinct = true
	if *list {
		ginkgo.ReportAfterSuite("names", func(report ginkgo.Report) {
			for _, spec := range report.SpecReports {
				fmt.Println("spec: " + spec.FullText())
			}
		})
	}
	gomega.RegisterFailHandler(framework.Fail)
	told := &listener{}
	if !ginkgo.RunSpecs(told, "sig-api-machinery", suite, reporter) || told.failed {
		os.Exit(1)
	}
}

func nonEmpty(expression string) []string {
	if expression == "" {
		return nil
	}
	return []string{expression}
}
