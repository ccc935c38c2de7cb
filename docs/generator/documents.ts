// The documents that `npm run generate` writes: all of them, or what stands between two marks of a page that people write.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Landscape } from '../../shared/api/serverless.ts'
import { gardenerOperator } from '../../shared/main/cli/arguments/gardener-operator.ts'
import { istioModule, lifecycleManager } from '../../shared/main/cli/arguments/kyma-operators.ts'
import { argumentPages } from './arguments.ts'
import { commandsPage } from './commands.ts'
import { alertTable, type Dashboards, dashboardText, panelTables } from './dashboards.ts'
import { kindsPage } from './kinds.ts'
import { metricsPage } from './metrics.ts'
import { reasonTables, stateTable } from './reasons.ts'
import { settingsPage } from './settings.ts'

export type Document = { readonly path: string; readonly text: string }

/** Paths are below the project. */
export const documents = async (root: string, landscape: Landscape): Promise<Document[]> => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const dashboards: Dashboards = parse(read('manifests/monitoring/panels.yaml'))
  const rules = parse(read('manifests/monitoring/rules.yaml'))
  const { component, ...remedies } = parse(read('docs/generator/remedies.yaml'))
  return [
    ...Object.entries(dashboards).map(([name, dashboard]) => ({
      path: `manifests/monitoring/dashboards/${name}.json`,
      text: dashboardText(name, dashboard),
    })),
    { path: 'docs/reference/metrics.md', text: await metricsPage(landscape) },
    { path: 'docs/reference/kinds.md', text: kindsPage() },
    { path: 'docs/reference/settings.md', text: settingsPage() },
    { path: 'docs/reference/command-line.md', text: commandsPage() },
    page(
      'docs/guides/troubleshoot.md',
      { reasons: `${stateTable(root, component)}\n\n${reasonTables(root, remedies)}` },
      read,
    ),
    page('docs/lifecycle-manager.md', argumentPages(lifecycleManager, 'lifecycle-manager'), read),
    page('docs/guides/from-gardener-operator.md', argumentPages(gardenerOperator, 'gardener-operator'), read),
    page('docs/guides/from-kyma-istio.md', argumentPages(istioModule, 'Istio module'), read),
    page('docs/guides/watch.md', { panels: panelTables(dashboards), alerts: alertTable(rules) }, read),
  ]
}

/** The page with what is between `<!-- NAME -->` and `<!-- end of NAME -->` replaced. */
const page = (path: string, parts: Record<string, string>, read: (path: string) => string): Document => {
  const text = Object.entries(parts).reduce((text, [name, part]) => {
    const between = new RegExp(`(<!-- ${name} -->)[\\s\\S]*(<!-- end of ${name} -->)`)
    if (!between.test(text)) throw new Error(`${path} has no marks <!-- ${name} --> and <!-- end of ${name} -->`)
    return text.replace(between, (_, start: string, end: string) => `${start}\n${part}\n${end}`)
  }, read(path))
  return { path, text }
}
