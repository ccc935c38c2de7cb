// `.Chart`: Chart.yaml under the names that templates know.
import { isMap, mapOrEmpty } from '../../../core/json/json.ts'
import { GoMap, type GoValue, textMap } from '../../template/value/value.ts'
import { type Chart, type Dependency, usedName } from '../chart/chart.ts'
import { chartText, listField, textField, textsField } from '../chart/metadata.ts'
import { importRules } from '../dependencies/imports.ts'

/** Everything that Helm shows of a chart; unknown fields of Chart.yaml are not among it. */
export const chartMap = ({ name, metadata }: Chart, isRoot: boolean): GoMap => {
  const { fields } = metadata
  return new GoMap([
    ...texts.map(([shown, field]) => [shown, textField(fields, field)] as const),
    ['APIVersion', metadata.apiVersion],
    ['Name', name],
    ['IsRoot', isRoot],
    ['Deprecated', fields.deprecated === true],
    ['Keywords', textsField(fields, 'keywords')],
    ['Sources', textsField(fields, 'sources')],
    ['Maintainers', listField(fields, 'maintainers').map(maintainerMap)],
    ['Annotations', annotationMap(fields.annotations)],
    ['Dependencies', metadata.dependencies.map(dependencyMap)],
  ])
}

const texts = [
  ['Version', 'version'],
  ['AppVersion', 'appVersion'],
  ['Description', 'description'],
  ['Home', 'home'],
  ['Icon', 'icon'],
  ['KubeVersion', 'kubeVersion'],
  ['Type', 'type'],
  ['Condition', 'condition'],
  ['Tags', 'tags'],
] as const

const annotationMap = (value: unknown): GoMap => {
  const map = textMap(
    isMap(value)
      ? Object.entries(value).map(([key, text]) => [key, chartText(text, `annotations.${key}`)] as const)
      : [],
  )
  return Object.assign(map, { isNil: !isMap(value) })
}

const maintainerMap = (maintainer: unknown): GoValue => {
  const fields = mapOrEmpty(maintainer)
  return new GoMap([
    ['Name', textField(fields, 'name')],
    ['Email', textField(fields, 'email')],
    ['URL', textField(fields, 'url')],
  ])
}

const dependencyMap = (dependency: Dependency): GoValue =>
  new GoMap([
    ['Name', usedName(dependency)],
    ['Alias', dependency.alias],
    ['Version', dependency.version],
    ['Repository', textField(dependency.fields, 'repository')],
    ['Condition', dependency.condition],
    ['Tags', [...dependency.tags]],
    ['Enabled', true],
    ['ImportValues', importRules(dependency).map(rule => textMap(Object.entries(rule)))],
  ])
