// sized: writes into each ConfigMap with the label `sized` what is set about it.
import { type KubeObject, type ReconcileFunction, type SettingsOf, settled, shapes } from 'espalier'

const settings = {
  mostItems: { sentence: 'How many items there are at most', shape: shapes.whole('items', 1, 99), default: '5' },
  unit: { sentence: 'What is counted', shape: shapes.textShape('a word') },
  password: { sentence: 'What nobody sees', shape: shapes.optional(shapes.textShape('a password')), isSecret: true },
} as const

/** `counted` is made of the unit when the process starts. */
type Settings = SettingsOf<typeof settings> & { readonly counted: string }

type World = { readonly object: KubeObject; readonly text: string }

export const sizedFunction: ReconcileFunction<World, Settings> = {
  does: 'reconcile',
  name: 'sized',
  kind: { apiVersion: 'v1', kind: 'ConfigMap' },
  settings,
  configure: ({ unit, mostItems }) => {
    if (unit === 'pair' && mostItems % 2 === 1) throw new Error(`mostItems is ${mostItems}: expected pairs`)
    return { counted: unit }
  },
  gather: async (object, { settings: { mostItems, counted, password } }) => ({
    object,
    text: `${mostItems + 1} ${counted} ${password ?? 'open'}`,
  }),
  decide: ({ object, text }) => ({
    steps:
      object.metadata.labels?.sized === 'yes' && object.metadata.annotations?.size !== text
        ? [{ do: 'patch', target: object, merge: { metadata: { annotations: { size: text } } } }]
        : [],
    status: {},
    events: [],
    next: settled,
  }),
}
