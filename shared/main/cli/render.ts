// `espalier render`: the rendered objects of a chart or a kustomization in a folder, as in a Component. No cluster is read, so lookups in
// templates find nothing.
import { yamlOf } from '../../core/yaml/write.ts'
import { folderAt } from '../../outside/chart-folder.ts'
import type { Files, Render } from '../../render/generator.ts'
import { helm } from '../../render/helm/helm.ts'
import { kustomize } from '../../render/kustomize/kustomize.ts'
import { renderedAlone } from '../../render/rendered.ts'
import { type Command, UsageFault } from './command.ts'
import { valuesIn } from './given-files.ts'

export const renderCommand: Command = {
  name: 'render',
  usage: 'FOLDER',
  sentence:
    'Shows the objects that a Component would create from the Helm chart or kustomization in a folder. Needs no cluster.',
  options: {
    name: {
      type: 'string',
      value: 'NAME',
      sentence: 'Name of the Component and of the Helm release; default release',
    },
    values: {
      type: 'string',
      value: 'FILE',
      sentence: "YAML with the chart's values, such as spec.values of a Component",
    },
    path: {
      type: 'string',
      value: 'PATH',
      sentence: 'Subfolder with the kustomization, such as overlays/prod',
    },
    'kube-version': {
      type: 'string',
      value: 'VERSION',
      sentence: 'Version of the cluster for charts; default v1.35.0',
    },
  },
  examples: [
    'espalier render ./charts/shop --name shop -n shop --values values.yaml',
    'espalier render ./deploy --path overlays/prod | kubectl diff -f -',
  ],
  run: async ({ options, words }) => {
    const [folder, ...others] = words
    if (folder === undefined || others.length > 0)
      throw new UsageFault(`expected one FOLDER, found ${words.length === 0 ? 'nothing' : words.join(' ')}`)
    const { files } = await folderAt(folder)
    const render = rendererFor(files, folder, options.path)
    const parameters = options.values === undefined ? {} : valuesIn(options.values)
    const { name, namespace, 'kube-version': kubeVersion } = options
    if (kubeVersion !== undefined && !/^v?\d+\.\d+(\.\d+)?([-+]\S*)?$/.test(kubeVersion))
      throw new UsageFault(`--kube-version is ${kubeVersion}: expected a version, such as v1.35.0`)
    const objects = renderedAlone(render, parameters, { name, namespace, kubeVersion, now: new Date() })
    return {
      data: objects,
      text: objects
        .map(object => `---\n${yamlOf(object)}`)
        .join('')
        .trimEnd(),
      code: 0,
      isData: true,
    }
  },
}

const rendererFor = (files: Files, folder: string, path: string | undefined): Render => {
  if (path === undefined && files.has('Chart.yaml')) return helm(files)
  const below = path === undefined ? '' : `${path}/`
  if (['kustomization.yaml', 'kustomization.yml', 'Kustomization'].some(name => files.has(`${below}${name}`)))
    return kustomize(files, path === undefined ? {} : { path })
  throw new UsageFault(`${folder}/${below} has neither a Chart.yaml nor a kustomization.yaml`)
}
