// The keys of a Garden as gardener-operator names them.
import { createHash } from 'node:crypto'

/** Decimal numbers of 64 bits, as its secrets manager computes them. */
export const operatorChecksums = {
  ca: '1645436262831067767',
  'ca-client': '2845436262831067001',
  'ca-front-proxy': '3845436262831067002',
  'ca-etcd': '4845436262831067003',
  'ca-etcd-peer': '5845436262831067004',
  'ca-gardener': '6845436262831067005',
  'ca-garden-runtime': '7845436262831067006',
  'service-account-key': '8845436262831067007',
  'gardener-apiserver-workload-identity-signing-key': '12845436262831067011',
  'kube-apiserver-etcd-encryption-key': '9845436262831067008',
  'gardener-apiserver-etcd-encryption-key': '10845436262831067009',
  'observability-ingress': '11845436262831067010',
} as const

export type OperatorKey = keyof typeof operatorChecksums

export const operatorKeys = Object.keys(operatorChecksums) as OperatorKey[]

const hash = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length)

/** As pkg/utils/secrets/manager names a Secret that no authority signs. `time`: of the start of its rotation, in unix seconds. */
export const operatorName = (config: string, checksum: string, time = ''): string =>
  `${config}-${hash(checksum, 8)}${time && `-${hash(time, 5)}`}`
