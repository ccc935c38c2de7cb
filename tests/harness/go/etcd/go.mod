// Builds etcd for the tests: see tests/harness/binaries.ts.
module espalier/tests/harness/etcd

go 1.26.0

tool go.etcd.io/etcd/server/v3

require go.etcd.io/etcd/server/v3 v3.6.5
