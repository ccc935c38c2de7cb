// Makes the Grafana dashboards and the table of panels of manifests/monitoring/panels.yaml. A dashboard has a variable for the datasource
// and one for the jobs by which Prometheus scrapes hosts and relays.

type Panel = {
  readonly title: string
  readonly expr: string
  readonly means: string
  readonly legend?: string
  readonly unit?: string
  readonly as?: 'stat' | 'table'
}

export type Dashboards = Readonly<Record<string, { readonly title: string; readonly panels: readonly Panel[] }>>

const width = { timeseries: 8, stat: 4, table: 8 } as const
const height = 7
const columns = 24

/** One line for each panel. */
export const dashboardText = (name: string, { title, panels }: Dashboards[string]): string => {
  const { panels: _, ...rest } = { ...frame, uid: `espalier-${name}`, title, panels }
  const lines = placed(panels).map(panel => JSON.stringify(panel))
  return `${JSON.stringify(rest).slice(0, -1)},"panels":[\n${lines.join(',\n')}\n]}\n`
}

const datasource = { type: 'prometheus', uid: '$datasource' }

const frame = {
  tags: ['espalier'],
  schemaVersion: 39,
  refresh: '30s',
  time: { from: 'now-1h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus' },
      {
        name: 'job',
        type: 'query',
        datasource,
        query: 'label_values(espalier_relay_shards_held, job)',
        includeAll: true,
        multi: true,
        current: { text: 'All', value: '$__all' },
      },
    ],
  },
}

/** From left to right, and in a new row where a panel does not fit. */
const placed = (panels: readonly Panel[]): object[] => {
  let [x, y] = [0, 0]
  return panels.map((panel, index) => {
    const w = width[panel.as ?? 'timeseries']
    if (x + w > columns) [x, y] = [0, y + height]
    const gridPos = { x, y, w, h: height }
    x += w
    return { id: index + 1, gridPos, ...panelOf(panel) }
  })
}

const panelOf = ({ title, expr, means, legend, unit, as }: Panel): object => ({
  type: as ?? 'timeseries',
  title,
  description: means,
  datasource,
  ...(unit && { fieldConfig: { defaults: { unit }, overrides: [] } }),
  targets: [
    {
      refId: 'A',
      expr,
      ...(legend && { legendFormat: legend }),
      ...(as && { instant: true }),
      ...(as === 'table' && { format: 'table' }),
    },
  ],
})

/** A table for each dashboard. */
export const panelTables = (dashboards: Dashboards): string =>
  Object.entries(dashboards)
    .map(([name, { title, panels }]) =>
      [
        `### ${title}`,
        '',
        `File \`dashboards/${name}.json\`.`,
        '',
        '| panel | what it shows |',
        '|---|---|',
        ...panels.map(panel => `| ${panel.title} | ${panel.means} |`),
      ].join('\n'),
    )
    .join('\n\n')

type Rules = {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly for: string
      readonly labels: { readonly severity: string }
      readonly annotations: { readonly summary: string; readonly description: string }
    }[]
  }[]
}

export const alertTable = ({ groups }: Rules): string =>
  [
    '| alert | severity, after | when | what to do |',
    '|---|---|---|---|',
    ...groups
      .flatMap(({ rules }) => rules)
      .map(
        rule =>
          `| ${rule.alert} | ${rule.labels.severity}, ${rule.for} | ${named(rule.annotations.summary)} | ${rule.annotations.description} |`,
      ),
  ].join('\n')

/** `{{ $labels.name }}` is `NAME`. */
const named = (text: string): string =>
  text.replace(/\{\{ \$(?:labels\.)?(\w+) \}\}/g, (_, label: string) => label.toUpperCase())
