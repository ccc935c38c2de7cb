import t from 'tap'
import { checks } from '../../../shared/core/decisions/checks.ts'

type Fruit = { readonly name?: string; readonly grams: number }

const nameFault = checks(
  ({ name }: Fruit) => name === undefined && 'has no name',
  ({ name }) => name === '' && 'has an empty name',
)
const fault = checks<[Fruit], string>(nameFault, ({ grams }) => (grams > 0 ? undefined : 'weighs nothing'))

t.test('the first fault of a chain is told, and none where all is well', async t => {
  t.equal(fault({ grams: 0 }), 'has no name')
  t.equal(fault({ name: '', grams: 0 }), 'has an empty name')
  t.equal(fault({ name: 'plum', grams: 0 }), 'weighs nothing')
  t.equal(fault({ name: 'plum', grams: 30 }), undefined)
  t.equal(checks<[Fruit], string>()({ grams: 0 }), undefined)
})

t.test('a check behind a fault is not asked: it may rely on what was found to be right', async t => {
  const initial = checks<[Fruit], string>(nameFault, ({ name }) => (name?.charAt(0) === 'p' ? undefined : 'is no p'))
  const refusing = checks<[Fruit], string>(nameFault, () => {
    throw new Error('was asked')
  })
  t.equal(refusing({ grams: 1 }), 'has no name')
  t.equal(initial({ name: 'fig', grams: 1 }), 'is no p')
})

t.test('a fault may be any value that tells it, also one that counts as false elsewhere', async t => {
  t.equal(checks<[], string>(() => '')(), '')
  t.equal(checks<[], number>(() => 0)(), 0)
  t.equal(checks<[], null>(() => null)(), null)
})
