// `espalier uninstall --keep-workloads`: stops Espalier and removes its finalizers, so that objects can be deleted later without Espalier.
// Objects and installed workloads stay.
import { setTimeout as pause } from 'node:timers/promises'
import { componentName } from '../../api/component.ts'
import { referenceProtectionFinalizer } from '../../api/garden.ts'
import { istioNames } from '../../api/istio/names.ts'
import { kymaNames } from '../../api/kyma/names.ts'
import { ourKinds } from '../../api/our-kinds.ts'
import { hasFinalizer, type KubeObject, refOf, refText } from '../../core/objects/object.ts'
import type { Client, ListQuery } from '../../kube/client-types.ts'
import { listIfServed } from '../../kube/reading.ts'
import { boundPatch } from '../../kube/writes/bound-writes.ts'
import { columns, wrapped } from '../start/terminal.ts'
import { type Command, UsageFault } from './command.ts'
import { type ReadingProcess, reads } from './reading-process.ts'

export const uninstallCommand: Command = {
  name: 'uninstall',
  usage: '--keep-workloads',
  sentence:
    'Stops hosts and relays, and removes their webhooks and finalizers. Your objects stay, and everything that was installed for them.',
  options: {
    'keep-workloads': {
      type: 'boolean',
      sentence: 'Required. To remove workloads, delete their objects while a host runs',
    },
    yes: { type: 'boolean', sentence: 'Performs the steps; without --yes they are only listed, exit 1' },
  },
  examples: ['espalier uninstall --keep-workloads', 'espalier uninstall --keep-workloads --yes'],
  run: given =>
    reads(given.options, async reading => {
      if (given.options['keep-workloads'] === undefined)
        throw new UsageFault(
          'expected --keep-workloads: to have workloads removed, delete their objects while a host runs',
        )
      const stopping = await stoppingSteps(reading)
      const releasing = await releasingSteps(reading)
      const steps = [...stopping, ...releasing].map(({ text }) => text)
      const lines = steps.map(step => wrapped(step, 2, columns)).join('\n')
      if (steps.length === 0) return { data: steps, text: 'nothing to do', code: 0 }
      if (given.options.yes === undefined)
        return { data: steps, text: `${lines}\n\nRun again with --yes to perform these steps.`, code: 1 }
      for (const step of stopping) await step.perform()
      await stopped(reading)
      for (const step of await releasingSteps(reading)) await step.perform()
      return { data: steps, text: `${lines}\n\n${rest}`, code: 0 }
    }),
}

const rest =
  'done. Remove the rest with helm uninstall espalier, or kubectl delete -k manifests/deploy\n-l app.kubernetes.io/part-of=espalier'

type UninstallStep = { readonly text: string; perform(): Promise<unknown> }

const admission = { apiVersion: 'admissionregistration.k8s.io/v1', labelSelector: 'app.kubernetes.io/part-of=espalier' }
const programs = (namespace: string) => ({ namespace, labelSelector: 'app.kubernetes.io/name=espalier' })

/** Webhook configurations come first. Otherwise, without a host, the API server would refuse every write that needs a review. */
const stoppingSteps = async ({ local, landscape: { provider } }: ReadingProcess): Promise<UninstallStep[]> => {
  const queries: readonly ListQuery[] = [
    { ...admission, kind: 'ValidatingWebhookConfiguration' },
    { ...admission, kind: 'MutatingWebhookConfiguration' },
    { apiVersion: 'apps/v1', kind: 'Deployment', ...programs(provider.namespace) },
  ]
  const lists = await Promise.all(queries.map(query => local.list(query)))
  return lists.flat().map(object => ({
    text: `delete ${refText(refOf(object))}`,
    perform: () => local.delete(refOf(object), { uid: object.metadata.uid ?? '', propagation: 'Foreground' }),
  }))
}

const secondsMost = 120

/** Waits until no program runs, because a running host would add its finalizers again. */
const stopped = async ({ local, landscape: { provider } }: ReadingProcess): Promise<void> => {
  for (let second = 0; second < secondsMost; second++) {
    const pods = await local.list({ apiVersion: 'v1', kind: 'Pod', ...programs(provider.namespace) })
    if (pods.length === 0) return
    await pause(1_000)
  }
  throw new UsageFault(`Pods in ${provider.namespace} did not end within ${secondsMost} s: run this command again`)
}

/** Kinds of other programs whose objects may have our finalizers. */
const otherPlaces: readonly ListQuery[] = [
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'ModuleTemplate' },
  { apiVersion: 'v1', kind: 'Secret', namespace: 'garden', metadataOnly: true },
  { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'garden', metadataOnly: true },
]

const ourFinalizers: readonly string[] = [
  componentName,
  'gardener.cloud/operator',
  referenceProtectionFinalizer,
  istioNames.finalizer,
  ...Object.values(kymaNames.finalizers),
]

const releasingSteps = async ({ local }: ReadingProcess): Promise<UninstallStep[]> => {
  const lists = await Promise.all([...ourKinds, ...otherPlaces].map(query => listIfServed(local, query)))
  return lists
    .flatMap(list => list ?? [])
    .flatMap(object => {
      const ours = ourFinalizers.filter(name => hasFinalizer(object, name))
      const text = `remove finalizers of ${refText(refOf(object))}: ${ours.join(', ')}`
      return ours.length > 0 ? [{ text, perform: () => released(local, object, ours) }] : []
    })
}

const released = (local: Client, object: KubeObject, ours: readonly string[]) => {
  const finalizers = (object.metadata.finalizers ?? []).filter(name => !ours.includes(name))
  return boundPatch(local, object, { merge: { metadata: { finalizers } }, fieldManager: 'espalier' })
}
