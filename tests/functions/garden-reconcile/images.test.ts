// Which images the containers of a Garden run.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { image, imageFault } from '../../../functions/garden-reconcile/desired/parts/images.ts'
import { gardenImages } from '../../../functions/garden-reconcile/io/images.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { rejects, throws } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { garden } from '../../make/garden/garden.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const worldOf = (images: World['settings']['images'], version = '1.34.2'): World => {
  const given = gardenWorld()
  return {
    ...given,
    garden: garden({ spec: { virtualCluster: { kubernetes: { version } } } }),
    settings: { ...given.settings, images },
  }
}

const folder = testFolder(t)
const file = (text: string): string => {
  const path = join(folder, 'images.yaml')
  writeFileSync(path, text)
  return path
}

t.test('GA-85 an override is used, a container or version without entry is a fault that names it', async t => {
  const override = file('[{name: etcd-druid, repository: registry.example/druid, tag: v9, targetVersion: ">=1.34"}]')
  const images = await gardenImages(override)
  t.equal(image(worldOf(images), 'etcd-druid'), 'registry.example/druid:v9')
  t.equal(
    image(worldOf(images, '1.33.1'), 'etcd-druid'),
    'europe-docker.pkg.dev/gardener-project/releases/gardener/etcd-druid:v0.33.0',
  )
  t.equal(image(worldOf(images), 'kube-apiserver'), 'registry.k8s.io/kube-apiserver:v1.34.2')
  t.equal(image(worldOf(images, '1.34'), 'kube-controller-manager'), 'registry.k8s.io/kube-controller-manager:v1.34.0')
  t.equal(imageFault(worldOf(images), 'etcd-druid'), undefined)
  t.equal(imageFault(worldOf(images), 'telepathy'), 'no image for container telepathy')
  const unknown = worldOf(images, '1.40.0')
  t.equal(imageFault(unknown, 'kube-apiserver'), 'no image for container kube-apiserver and Kubernetes 1.40.0')
  throws(t, () => image(unknown, 'kube-apiserver'), {
    message: 'no image for container kube-apiserver and Kubernetes 1.40.0',
  })
})

t.test('an override that is broken is named', async t => {
  const broken = file('[{name: etcd-druid, tag: 1}]')
  await rejects(t, gardenImages(broken), {
    message: `${broken}: expected a list of images with name, repository, and optionally tag and targetVersion, all as text`,
  })
})
