import t from 'tap'
import { valueAt, withValueAt } from '../../../shared/core/json/fields.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'

t.test('a value is found by a path of own fields', async t => {
  const garden = { spec: { dns: { 'example.org/ttl': 5 }, zones: ['a'] } }
  t.equal(valueAt(garden, 'spec', 'dns', 'example.org/ttl'), 5)
  t.strictSame(valueAt(garden), garden)
  t.equal(valueAt(garden, 'spec', 'zones', 'length'), undefined, 'a list is no record')
  t.equal(valueAt(garden, 'spec', 'toString'), undefined, 'nothing inherited')
  t.equal(valueAt(undefined, 'spec'), undefined)
})

t.test('a value is put at a path in a copy, and records that are missing are made', async t => {
  const garden = { kind: 'Garden', spec: { dns: { ttl: 5 }, zones: ['a'] } }
  t.strictSame(withValueAt(garden, ['spec', 'dns', 'name'], 'x'), {
    kind: 'Garden',
    spec: { dns: { ttl: 5, name: 'x' }, zones: ['a'] },
  })
  t.strictSame(garden.spec.dns, { ttl: 5 }, 'the given one stays as it was')
  t.strictSame(withValueAt(undefined, ['a', 'b'], 1), { a: { b: 1 } })
  t.strictSame(withValueAt({ a: 'text' }, ['a', 'b'], 1), { a: { b: 1 } })
  const hostile = withValueAt({}, ['__proto__', 'isAdmin'], true)
  t.strictSame(Object.keys(hostile), ['__proto__'])
  t.equal(({} as Record<string, unknown>).isAdmin, undefined)
})

t.test('what is no map counts as an empty one', async t => {
  const map = { a: 1 }
  t.equal(mapOrEmpty(map), map)
  for (const other of [undefined, null, 'text', ['a'], 1]) t.strictSame(mapOrEmpty(other), {})
})
