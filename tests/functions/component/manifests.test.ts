import t from 'tap'
import { manifestsIn } from '../../../functions/component/gather.ts'
import { throws } from '../../harness/matches.ts'

t.test('RE-100 manifests that are no list of objects are an error, and not an empty list', async t => {
  for (const manifests of [null, 3, 'text', {}, { length: 0 }, [null], [{ kind: 'Secret' }, []]])
    throws(t, () => manifestsIn(manifests), { message: 'spec.source.manifests: expected a list of objects' })
  const listed = [{ kind: 'Secret' }]
  t.strictSame(manifestsIn(listed), listed)
  t.not(manifestsIn(listed), listed, 'a list of its own')
})
