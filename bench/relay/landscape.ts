// A landscape with one function, which is called for every ConfigMap of the benchmark.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { namespace } from '../measure/config-maps.ts'
import { ownNamespace } from '../measure/real-cluster.ts'

export const concurrency = 10

/** Writes it into the folder, and answers the path. */
export const writeLandscape = (dir: string): string => {
  const file = join(dir, 'serverless.yml')
  writeFileSync(file, stringify(landscape))
  return file
}

const landscape = {
  service: 'bench',
  provider: { name: 'espalier', namespace: ownNamespace, sweepSeconds: 3600 },
  functions: {
    bench: {
      handler: 'functions/bench/index.bench',
      description: 'Is called, and does nothing',
      timeout: 30,
      concurrency,
      memorySize: 128,
      failureBaseSeconds: 1,
      failureMaxSeconds: 300,
      access: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'], namespaces: [namespace] },
      ],
      events: [{ watch: { apiVersion: 'v1', kind: 'ConfigMap', namespace, on: ['any'], map: 'self' } }],
    },
  },
}
