// Admission reviews at a steady rate, whatever the answers take: dry runs of Gardens, which the API server lets our webhooks review.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parse } from 'yaml'
import type { ApiClient } from '../clients/api.ts'

const sample = join(import.meta.dirname, '..', '..', '..', 'manifests/samples/garden.yaml')
const garden = parse(readFileSync(sample, 'utf8'))
/** Our webhooks refuse it, and nobody else does: `overlaps 10.1.0.0/16 in …`. */
export const wrongGarden = structuredClone(garden)
wrongGarden.spec.virtualCluster.networking.services = garden.spec.runtimeCluster.networking.pods

type Answer = { readonly status: number; readonly text: string }

const reviewOf = async (api: ApiClient, body: object): Promise<Answer> =>
  api.call('POST', '/apis/operator.gardener.cloud/v1alpha1/gardens?dryRun=All', { body })

const isRefused = ({ text }: Answer): boolean => text.includes('overlaps 10.1.0.0/16 in')

/** Whether a webhook of ours reviews. */
export const isReviewed = async (api: ApiClient): Promise<boolean> => isRefused(await reviewOf(api, wrongGarden))

type Load = { stop(): Promise<{ reviews: number; failures: string[] }> }

/**
 * So many a second, in turns of a Garden that is accepted and of one that is refused: a review that is left out is a failure too. They end
 * with the test, whatever becomes of it.
 */
export const reviews = (t: Test, api: ApiClient, aSecond: number): Load => {
  const failures: string[] = []
  const calls: Promise<void>[] = []
  const call = async (isWrong: boolean): Promise<void> => {
    const at = new Date().toISOString()
    await reviewOf(api, isWrong ? wrongGarden : garden).then(
      answer => {
        const isRight = isWrong ? isRefused(answer) : answer.status === 201
        if (!isRight) failures.push(`${at} ${answer.status} ${answer.text}`)
      },
      (error: unknown) => void failures.push(`${at} ${error}`),
    )
  }
  const timer = setInterval(() => calls.push(call(calls.length % 2 === 1)), 1000 / aSecond)
  t.teardown(() => clearInterval(timer))
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all(calls)
      return { reviews: calls.length, failures }
    },
  }
}
