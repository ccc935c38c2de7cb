// `npm run bench:istio-restarts`: all Pods of a large mesh are looked through for stale sidecars, in a process of its own.
import { peakResidentMegabytes } from './measure/process.ts'
import { figures, print, progress, ratio } from './measure/report.ts'
import { startWorker } from './measure/worker.ts'
import type { Mesh, PodServer } from './programs/pod-server.ts'
import type { PodSurveying } from './programs/pod-survey.ts'

const mesh: Mesh = {
  pods: 50_000,
  bytesPerPod: 8_000,
  everyStale: 50,
  podsPerNamespace: 1_000,
  wishedImage: 'proxyv2:1.30.2',
}
const mebibytesMost = 300

const about = `istio looks through 50,000 Pods of 8 KB for sidecars to restart. 1,000 are stale, each of a Deployment of its own that was
restarted already, so that nothing ends the reading before the last page; Deployments and ReplicaSets of 50 namespaces are read, too. Beside it,
a bare loop that reads the same pages and looks for the image alone. Pods are made up by a server on the same cores.`

const looked = async (command: keyof PodSurveying, url: string) => {
  progress(command)
  const worker = startWorker<PodSurveying>('pod-survey.ts', ['--max-semi-space-size=2'])
  const { seconds, stale } = await worker.ask(command, url, mesh.wishedImage)
  const mebibytes = (peakResidentMegabytes(worker.pid) * 1e6) / 2 ** 20
  await worker.end()
  return { seconds, stale, mebibytes }
}

const server = startWorker<PodServer>('pod-server.ts')
const url = await server.ask('listen', mesh)
const survey = await looked('survey', url)
const bare = await looked('bare', url)
await server.end()
const isWhole = [survey, bare].every(({ stale }) => stale === mesh.pods / mesh.everyStale)

print({
  title: 'Restarts of sidecars',
  about,
  tables: [
    Object.entries({ istio: survey, 'bare loop': bare }).map(([by, { seconds, stale, mebibytes }]) => ({
      by,
      'stale Pods found': stale,
      seconds: figures(seconds),
      'peak RSS MiB': figures(mebibytes),
    })),
  ],
  goals: [
    {
      asks: `IS-82 50,000 Pods of 8 KB, 1,000 stale: at most ${mebibytesMost} MiB`,
      found: `${figures(survey.mebibytes)} MiB, ${figures(survey.seconds)} s, ${ratio(survey.seconds, bare.seconds)} the bare loop`,
      isMet: isWhole && survey.mebibytes <= mebibytesMost,
    },
  ],
})
