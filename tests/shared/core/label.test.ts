import t from 'tap'
import { isLabelKey, isLabelValue } from '../../../shared/core/objects/dns-name.ts'

t.test('a value of a label is a name, or empty', async t => {
  for (const value of ['', 'a', 'A1', 'a-b_c.d', 'a'.repeat(63)]) t.ok(isLabelValue(value), value)
  for (const value of ['-a', 'a-', '.', 'a b', 'a,b', 'a=b', 'a/b', 'a\n', 'ä', 'a'.repeat(64)])
    t.notOk(isLabelValue(value), JSON.stringify(value))
})

t.test('a key of a label is a name, maybe with a DNS subdomain before it', async t => {
  const prefixed = ['example.org/a', `${'a'.repeat(253)}/b`]
  for (const key of ['a', 'A.b_c-1', 'a'.repeat(63), ...prefixed]) t.ok(isLabelKey(key), key)
  const wrong = ['', '/', '/a', 'a/', 'a/b/c', 'Example.org/a', 'a_b/c', '-a', `${'a'.repeat(254)}/b`, 'a'.repeat(64)]
  for (const key of wrong) t.notOk(isLabelKey(key), key)
})
