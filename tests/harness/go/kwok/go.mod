// Builds kwok, the node that only pretends, for the tests: see tests/harness/binaries.ts.
module espalier/tests/harness/kwok

go 1.26.0

tool sigs.k8s.io/kwok/cmd/kwok

require sigs.k8s.io/kwok v0.8.0
