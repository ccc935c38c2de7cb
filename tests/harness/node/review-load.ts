// Admission reviews at a steady rate, whatever the answers take: dry runs of Gardens, which the API server lets our webhooks review.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parse } from 'yaml'
import type { ApiClient } from '../clients/api.ts'

const sample = join(import.meta.dirname, '..', '..', '..', 'manifests/samples/garden.yaml')
const garden = parse(readFileSync(sample, 'utf8'))
/** Only our webhooks refuse it: `overlaps 10.1.0.0/16 in …`. */
export const wrongGarden = structuredClone(garden)
wrongGarden.spec.virtualCluster.networking.services = garden.spec.runtimeCluster.networking.pods

type Answer = { readonly status: number; readonly text: string }

const reviewOf = async (api: ApiClient, body: object): Promise<Answer> =>
  api.call('POST', '/apis/operator.gardener.cloud/v1alpha1/gardens?dryRun=All', { body })

const isRefused = ({ text }: Answer): boolean => text.includes('overlaps 10.1.0.0/16 in')

/** Whether a webhook of ours reviews Gardens. */
export const isReviewed = async (api: ApiClient): Promise<boolean> => isRefused(await reviewOf(api, wrongGarden))

type Load = { stop(): Promise<{ sent: string; count: number; failures: string[] }> }

/**
 * So many reviews a second: in turns a Garden that must be accepted and one that must be refused, so that a missing review is a failure too. While
 * that many wait for an answer, no other is sent: an overloaded API server answers nobody at all. The load ends with the test.
 */
export const reviews = (t: Test, api: ApiClient, aSecond: number): Load => {
  const failures: string[] = []
  let count = 0
  const underWay = new Set<Promise<void>>()
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
  const began = performance.now()
  const timer = setInterval(() => {
    if (underWay.size >= aSecond) return
    const one = call(++count % 2 === 0).finally(() => underWay.delete(one))
    underWay.add(one)
  }, 1000 / aSecond)
  t.teardown(() => clearInterval(timer))
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all(underWay)
      const seconds = (performance.now() - began) / 1000
      return { sent: `${count} reviews, ${(count / seconds).toFixed(0)} a second`, count, failures }
    },
  }
}
