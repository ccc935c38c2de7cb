// What an Istio says of itself, and when it is called again.
import t from 'tap'
import { decide } from '../../../functions/istio/decide.ts'
import { resourceRows } from '../../../functions/istio/desired/resource-rows.ts'
import type { ReaderInput } from '../../../functions/istio/gather/reader-input.ts'
import { readPodVersions } from '../../../functions/istio/gather/sidecars.ts'
import { readByStage } from '../../../functions/istio/gather.ts'
import { type RunWorld, untouchedInstallation } from '../../../functions/istio/parts/all-parts.ts'
import { appliedText, inForce } from '../../../functions/istio/rules/applied-configuration.ts'
import { nextAfter, readyReason, worstOf } from '../../../functions/istio/rules/findings.ts'
import { gatewayFields, haveChanged } from '../../../functions/istio/rules/restarts/restart-targets.ts'
import { istioConditions } from '../../../functions/istio/rules/status.ts'
import type { PartName, World } from '../../../functions/istio/world.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { isDeleting, type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { resultOfReply } from '../../../shared/relay/calls/function-host.ts'
import { Queue } from '../../../shared/relay/queue/queue.ts'
import { matches } from '../../harness/matches.ts'
import {
  allInstalled,
  image,
  istio,
  istiod,
  istioInstallation,
  istioNow,
  istioWorld,
  meshPod,
  noted,
  told,
  wellFacts,
} from '../../make/istio/istio.ts'

const { finalizer, annotations } = istioNames
const isDeleted = { deletionTimestamp: '2026-01-02T00:00:00Z' }

/** State, description, condition Ready and answer of one pass, and what it writes. */
const standing = (world: RunWorld) => {
  const { status, next, plan } = told(world)
  const conditions = (status.conditions ?? []) as { type: string; reason: string; message: string; status: string }[]
  const ready = conditions.find(({ type }) => type === 'Ready')
  return { ...status, ready, next, steps: plan.steps.map(({ do: what }) => what) }
}

const stalled = { is: 'stalled' }
const nothingDone = { steps: [] }

t.test('IS-03 an Istio outside of kyma-system says so in its status, and nothing else is done', async t => {
  const world = istioWorld({ istio: istio({ metadata: { namespace: 'team-a', finalizers: null } }) })
  matches(t, standing(world), {
    ...nothingDone,
    state: 'Error',
    description: 'Stopped Istio CR reconciliation: istio CR is not in kyma-system namespace',
    ready: { status: 'False', reason: 'ReconcileFailed', message: 'Reconciliation failed' },
    next: { ...stalled, reason: String },
  })
})

const aged = (name: string, creationTimestamp: string, metadata: object = {}) =>
  istio({ metadata: { name, creationTimestamp, finalizers: null, ...metadata } })

const standingAmong = (one: KubeObject, istios: readonly KubeObject[]) =>
  standing(istioWorld({ istio: one as World['istio'], istios: { read: istios } }))

const isRefused = (oldest: string) => ({
  ...nothingDone,
  state: 'Warning',
  description: `Stopped Istio CR reconciliation: only Istio CR ${oldest} in kyma-system reconciles the module`,
  ready: {
    status: 'False',
    reason: 'OlderCRExists',
    message: 'This Istio custom resource is not the oldest one and does not represent the module state',
  },
  next: { ...stalled, reason: String },
})
const isWorkedOn = { steps: ['addFinalizer'] }

t.test('IS-04 of three Istios the oldest alone is worked on', async t => {
  const a = aged('istio-0', '2026-01-01T00:00:02Z')
  const b = aged('istio-1', '2026-01-01T00:00:01Z')
  const c = aged('istio-2', '2026-01-01T00:00:03Z')
  const all = [a, b, c]
  matches(t, standingAmong(b, all), isWorkedOn)
  for (const other of [a, c]) matches(t, standingAmong(other, all), isRefused('istio-1'))
})

t.test(
  'IS-06 of two Istios created in the same second the one with our finalizer counts, else the one with the smaller name',
  async t => {
    const time = '2026-01-01T00:00:00Z'
    const [a, b] = [aged('a', time), aged('b', time)]
    matches(t, standingAmong(a, [b, a]), isWorkedOn)
    matches(t, standingAmong(b, [b, a]), isRefused('a'))
    const held = aged('b', time, { finalizers: [finalizer] })
    matches(t, standingAmong(a, [a, held]), isRefused('b'))
    matches(t, standingAmong(held, [a, held]), { state: 'Ready' })
  },
)

t.test('IS-103 a deleted Istio that does not count loses our finalizer, and nothing else is touched', async t => {
  const elsewhere = istio({ metadata: { namespace: 'team-a', ...isDeleted } })
  const second = aged('second', '2026-01-01T00:00:01Z', { finalizers: [finalizer], ...isDeleted })
  const worlds = [
    istioWorld({ istio: elsewhere, facts: {} }),
    istioWorld({ istio: second, istios: { read: [istio(), second] }, facts: {} }),
  ]
  for (const world of worlds) {
    const { plan, ...said } = told(world)
    matches(t, plan.steps, [{ do: 'removeFinalizer', target: { metadata: { name: String } }, finalizer }])
    matches(t, said, { status: {} })
  }
})

t.test('IS-05 when the oldest Istio is gone, the next oldest counts and becomes Ready', async t => {
  const second = aged('second', '2026-01-01T00:00:01Z')
  const refused = standingAmong(second, [aged('first', '2026-01-01T00:00:00Z'), second])
  matches(t, refused, isRefused('first'))
  matches(t, standingAmong(second, [second]), isWorkedOn)
  const taken = aged('second', '2026-01-01T00:00:01Z', { finalizers: [finalizer] })
  const status = { state: 'Warning', description: 'only Istio CR first reconciles the module' } as const
  matches(t, standingAmong({ ...taken, status }, [taken]), {
    state: 'Ready',
    description: null,
    ready: { reason: 'ReconcileSucceeded' },
  })
})

t.test('IS-07 that Istios cannot be listed is an Error', async t => {
  const isUnlisted = {
    ...nothingDone,
    state: 'Error',
    description: 'Unable to list Istio CRs: the API server is away',
    ready: { status: 'False', reason: 'ReconcileFailed' },
    next: { is: 'failed', seconds: undefined },
  }
  const istios = { failed: 'the API server is away' }
  matches(t, standing(istioWorld({ istios })), isUnlisted)
  matches(t, standing(istioWorld({ istios, istio: istio({ metadata: isDeleted }) })), isUnlisted, 'at deletion, too')
})

const experimental = { experimental: { enableAmbient: true } }

t.test('IS-08 experimental features need the flavour that supports them', async t => {
  const one = istio({ spec: experimental })
  matches(t, standing(istioWorld({ istio: one })), {
    ...nothingDone,
    state: 'Error',
    description:
      'Experimental features are not supported in this image flavour: istio CR contains experimental feature',
    next: { ...stalled, reason: String },
  })
  const settings = { ...istioInstallation, experimental: 'true' as const }
  matches(t, standing(istioWorld({ istio: one, settings })), { state: 'Ready' })
})

const authorizers = ['a', 'b', 'a'].map(name => ({ name, port: 80 }))

t.test('IS-09 two authorizers of one name are refused', async t => {
  matches(t, standing(istioWorld({ istio: istio({ spec: { config: { authorizers } } }) })), {
    ...nothingDone,
    state: 'Warning',
    description: 'Authorizer name needs to be unique: a is duplicated',
    ready: {
      status: 'False',
      reason: 'ValidationFailed',
      message: 'Reconciliation did not happen as Istio Custom Resource failed to validate',
    },
    next: { ...stalled, reason: String },
  })
  const unlike = authorizers.slice(1)
  matches(t, standing(istioWorld({ istio: istio({ spec: { config: { authorizers: unlike } } }) })), { state: 'Ready' })
})

const matching = (...inclusionRegexps: string[]) => ({ config: { proxyStatsMatcher: { inclusionRegexps } } })

t.test('IS-10 a regular expression must be one of RE2', async t => {
  for (const broken of ['[a', '(?=x)'])
    matches(t, standing(istioWorld({ istio: istio({ spec: matching('fine.*', broken) }) })), {
      ...nothingDone,
      state: 'Error',
      description: (text: unknown) =>
        String(text).startsWith(
          `ProxyStatsMatcher inclusionRegexps contains an invalid regular expression: "${broken}" is not a valid regexp: `,
        ),
      ready: { reason: 'ValidationFailed' },
      next: { ...stalled, reason: String },
    })
  matches(t, standing(istioWorld({ istio: istio({ spec: matching('a+', '(?i)b') }) })), { state: 'Ready' })
  const long = (count: number) =>
    standing(istioWorld({ istio: istio({ spec: matching(...Array(count).fill('a'.repeat(1000))) }) }))
  matches(t, long(10), { state: 'Ready' })
  matches(t, long(11), {
    ...nothingDone,
    state: 'Error',
    ready: { reason: 'ValidationFailed' },
    description: `ProxyStatsMatcher inclusionRegexps contains an invalid regular expression: "${'a'.repeat(100)}" is not a valid regexp: all expressions together have more than 10000 characters`,
  })
  const repeated = (count: number) =>
    standing(istioWorld({ istio: istio({ spec: matching(...Array(count).fill('(?:[a-z]{2,30}){33}x')) }) }))
  matches(t, repeated(50), { state: 'Ready' })
  matches(t, repeated(51), {
    state: 'Error',
    description: / the repetitions of all expressions together exceed 1000000 characters$/,
  })
  const plain = ['a{3}-b{4}', '\\x{1000}'.repeat(200), 'a{2,}', '[{]0{', 'a{0}']
  matches(t, standing(istioWorld({ istio: istio({ spec: matching(...plain) }) })), { state: 'Ready' })
  const cause = 'error parsing regexp: missing closing ]: `['
  matches(t, standing(istioWorld({ istio: istio({ spec: matching(`[${'a'.repeat(9000)}`) }) })), {
    description: (text: unknown) => String(text).endsWith(`${cause}${'a'.repeat(200 - cause.length)}`),
  })
})

t.test(
  'IS-11 of several faults the first is shown; a spec with faults can still be deleted with all that belongs to it',
  async t => {
    const faults: [change: Parameters<typeof istio>[0], shown: string][] = [
      [{ spec: experimental }, 'Experimental'],
      [{ spec: { config: { authorizers } } }, 'Authorizer'],
      [{ spec: matching('[') }, 'ProxyStatsMatcher'],
      [{ metadata: { namespace: 'team-a' } }, 'Stopped Istio CR reconciliation: istio CR is not in'],
      [{ metadata: { name: 'second' } }, 'Stopped Istio CR reconciliation: only'],
    ]
    const istios = { read: [aged('first', '2025-01-01T00:00:00Z')] }
    faults.forEach(([, shown], at) => {
      const one = faults.slice(at).reduce((made, [change]) => mergePatched(made, change ?? {}) as typeof made, istio())
      const said = standing(istioWorld({ istio: one, istios }))
      matches(t, said, { description: (text: unknown) => String(text).startsWith(shown) })
    })
    const going = istio({ spec: { ...experimental, ...matching('['), config: { authorizers } }, metadata: isDeleted })
    matches(t, told(istioWorld({ istio: going })).plan.steps, [{ do: 'removeFinalizer' }])
  },
)

t.test('IS-14 a new reason with the same status changes the transition time, a new message does not', async t => {
  const before = { type: 'Ready', status: 'False', reason: 'ReconcileFailed', message: 'Reconciliation failed' }
  const then = '2026-01-01T00:00:00Z'
  const known = [
    { ...before, lastTransitionTime: then },
    { ...before, type: 'Other', lastTransitionTime: then },
  ]
  const now = '2026-01-02T03:04:05Z'
  const after = (note: Parameters<typeof istioConditions>[1][number]) => istioConditions(known, [note], istioNow)
  matches(t, after({ reason: 'ValidationFailed' }), [
    { reason: 'ValidationFailed', lastTransitionTime: now },
    { type: 'Other', lastTransitionTime: then },
  ])
  matches(t, after({ reason: 'ReconcileFailed', detail: 'x' }), [
    { message: 'Reconciliation failed: x', lastTransitionTime: then },
    { type: 'Other' },
  ])
  t.equal(after({ reason: 'ReconcileFailed' })[0], known[0], 'nothing new is nothing to write')
})

t.test('of several findings the worst is shown, and the earliest is due', async t => {
  const error = { state: 'Error', description: 'e', answer: 'backoff' } as const
  const warning = { state: 'Warning', description: 'w', answer: 'userTask' } as const
  const chunks = { state: 'Processing', description: 'c', answer: 'chunksDue' } as const
  const noted = { state: 'Processing', description: 'n', answer: 'targetNoted' } as const
  const row = (...findings: Parameters<typeof worstOf>[0]) => ({
    worst: worstOf(findings)?.description,
    reason: readyReason(findings),
    next: nextAfter(findings, 36_000),
  })
  matches(t, row(), { worst: undefined, reason: 'ReconcileSucceeded', next: { is: 'settled', againSeconds: 36_000 } })
  matches(t, row(noted), { worst: 'n', reason: 'ReconcileUnknown', next: { is: 'waiting', seconds: 1, for: 'n' } })
  matches(t, row(chunks), { worst: 'c', reason: 'ReconcileRequeued', next: { seconds: 60 } })
  matches(t, row(chunks, warning), { worst: 'w', reason: 'ReconcileRequeued', next: { is: 'waiting', seconds: 60 } })
  matches(t, row(warning), { worst: 'w', reason: 'ReconcileFailed', next: { is: 'waiting', seconds: 3_600 } })
  matches(t, row(warning, error), {
    worst: 'e',
    reason: 'ReconcileFailed',
    next: { is: 'failed', seconds: undefined, reason: 'e' },
  })
  matches(t, row(chunks, error), { reason: 'ReconcileFailed', next: { is: 'failed', seconds: 60 } })
  const named = { ...error, reason: 'IngressGatewayRestartFailed' } as const
  matches(t, row(warning, named, error), { worst: 'e', reason: 'IngressGatewayRestartFailed' })
})

t.test('IS-17 an annotation that is no JSON is an Error, and nothing is applied', async t => {
  const one = istio({ metadata: { annotations: { [annotations.lastApplied]: '{"config"' } } })
  matches(t, standing(istioWorld({ istio: one })), {
    ...nothingDone,
    state: 'Error',
    description: (text: unknown) => /^Istio install check failed: .*JSON/.test(String(text)),
    ready: { reason: 'IstioInstallUninstallFailed' },
    next: { is: 'failed', seconds: undefined },
  })
})

t.test(
  'IS-17 an annotation with values that no spec has, too deep or of odd types, does not make the call fail',
  async t => {
    const annotated = (config: string) =>
      istio({ metadata: { annotations: { [annotations.lastApplied]: `{"config":${config},"IstioTag":"1.30.2"}` } } })
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    for (const levels of [31, 100_000])
      matches(t, standing(istioWorld({ istio: annotated(`{"trustDomain":${nested(levels)}}`) })), {
        ...nothingDone,
        state: 'Error',
        description: 'Istio install check failed: it is nested more than 32 levels deep',
      })
    matches(t, standing(istioWorld({ istio: annotated(`{"trustDomain":${nested(30)}}`) })), { state: 'Ready' })
    const regexps = '[{"toString":1},{"toString":2},null,[[]],"a"]'
    const one = annotated(`{"proxyStatsMatcher":{"inclusionRegexps":${regexps}}}`)
    t.equal(haveChanged(gatewayFields, inForce(one), matching('a')), false)
  },
)

t.test('IS-120 a long text that somebody wrote is cut in the status', async t => {
  const [room, long] = [32_768, 'a\u{1F600}'.repeat(400_000)]
  const pods = [meshPod('a', { discovery: long })]
  const { status, next } = told(istioWorld({ facts: { podVersions: { pods } } }))
  const beginning = 'Verifying Pod versions in istio-system namespace failed: istio-system Pods version a\u{1F600}a'
  const isBounded = (text: unknown) =>
    String(text).startsWith(beginning) && String(text).length === room && String(text).isWellFormed()
  matches(t, status, { description: isBounded })
  matches(t, next, { reason: isBounded })
  const survey = { failed: long }
  const stuck = told(istioWorld({ facts: { sidecars: { is: 'surveyed', hasActed: false, survey } } })).status
  const messages = (stuck.conditions as { message: string }[]).map(({ message }) => message)
  t.strictSame(
    [Math.max(...messages.map(({ length }) => length)), messages.every(one => one.isWellFormed())],
    [room, true],
  )
  const names = ['a', 'b'].map(() => ({ name: `${'a'.repeat(99)}\u{1F600}`, port: 80 }))
  matches(t, standing(istioWorld({ istio: istio({ spec: { config: { authorizers: names } } }) })), {
    description: (text: unknown) => String(text).isWellFormed(),
  })
})

t.test('IS-109 a refused write of the Istio itself is an Error, and what else was done is kept', async t => {
  const refused = ({ steps }: ReturnType<typeof decide>, isRetriable: boolean): StepResult[] =>
    steps.map(step => {
      const isOwn = 'target' in step && step.target.kind === 'Istio'
      const error = { message: 'metadata.annotations: Too long', isConflict: false, isRetriable, ref: refOf(istio()) }
      return isOwn ? { step, changed: false, error } : { step, changed: true }
    })
  const unsaved = {
    status: {
      state: 'Error',
      description: 'Could not write to the Istio CR: metadata.annotations: Too long',
      conditions: (conditions: { reason: string }[]) => conditions[0]?.reason === 'ReconcileFailed',
    },
    next: { is: 'failed', seconds: undefined },
  }
  const note = { target: 'sidecars', digest: 'a', since: '2026-01-02T03:04:05Z' } as const
  const unnoted = { is: 'unnoted', noted: { is: 'new', note, since: 0 } } as const
  const saving = istioWorld({ facts: { ingressGateway, sidecars: unnoted } })
  const said = told(saving, plan => refused(plan, false))
  matches(t, said, unsaved)
  matches(t, said.status, { restarts: [note] }, 'what is noted is noted')
  const fresh = istioWorld({ istio: istio({ metadata: { finalizers: null } }) })
  matches(
    t,
    told(fresh, plan => refused(plan, false)),
    unsaved,
    'the finalizer',
  )
})

t.test(
  'IS-303 a webhook that is away holds up writes of the Istio itself: it says so, and the loop knows when to go on',
  async t => {
    const message = 'Internal error occurred: failed calling webhook "all.example.com"'
    const away = ({ steps }: ReturnType<typeof decide>, isRetriable = true): StepResult[] =>
      steps.map(step => {
        const isOwn = 'target' in step && step.target.kind === 'Istio'
        const error = { message, isConflict: false, isRetriable, ref: refOf(istio()) }
        return isOwn ? { step, changed: false, error } : { step, changed: true }
      })
    const unsaved = {
      state: 'Error',
      description: `Could not write to the Istio CR: ${message}`,
      conditions: (conditions: { reason: string }[]) => conditions[0]?.reason === 'ReconcileFailed',
    }
    const note = { target: 'sidecars', digest: 'a', since: '2026-01-02T03:04:05Z' } as const
    const unnoted = { is: 'unnoted', noted: { is: 'new', note, since: 0 } } as const
    const going = { deletionTimestamp: '2026-01-02T03:00:00Z' }
    const cases = {
      'the finalizer': istioWorld({ istio: istio({ metadata: { finalizers: null } }) }),
      'the annotation': istioWorld({ facts: { ingressGateway, sidecars: unnoted } }),
      'the end of the finalizer': istioWorld({ istio: istio({ metadata: going }) }),
    }
    for (const [name, world] of Object.entries(cases)) {
      const said = told(world, away)
      matches(t, said.status, unsaved, name)
      t.equal(said.next, undefined, `${name}: the loop answers`)
    }
    const refused = told(cases['the end of the finalizer'], plan => away(plan, false))
    matches(t, refused, { status: unsaved, next: { is: 'failed' } }, 'refused for good')
  },
)

const withTag = (IstioTag: string) =>
  istio({ metadata: { annotations: { [annotations.lastApplied]: JSON.stringify({ IstioTag }) } } })

const withImages = (tag: string) => {
  const images = { pilot: image('pilot', tag), cni: image('install-cni', tag), proxy: image('proxyv2', tag) }
  return { ...istioInstallation, images }
}

const isRefusedVersion = (text: string) => ({
  ...nothingDone,
  state: 'Warning',
  description: `Istio version update is not allowed: ${text}`,
  ready: {
    status: 'False',
    reason: 'IstioVersionUpdateNotAllowed',
    message: 'Update to the new Istio version is not allowed',
  },
  next: { is: 'waiting', seconds: 60, for: String },
})

t.test('IS-40 a version that may not follow the one in use is refused, and checked again later', async t => {
  const rows: [inUse: string, target: string, refused?: string][] = [
    ['1.30.2', '1.30.2-distroless'],
    ['1.30.2', '1.30.9'],
    ['1.29.9', '1.30.0'],
    [
      ...(['1.30.2', '1.30.1'] as const),
      'target Istio version (1.30.1) is lower than current version (1.30.2) - downgrade not supported',
    ],
    [
      ...(['2.0.0', '1.30.1'] as const),
      'target Istio version (1.30.1) is lower than current version (2.0.0) - downgrade not supported',
    ],
    [
      ...(['1.30.2', '2.0.0'] as const),
      'target Istio version (2.0.0) is different than current Istio version (1.30.2) - major version upgrade is not supported',
    ],
    [
      ...(['1.28.5-distroless', '1.30.0-distroless'] as const),
      'target Istio version (1.30.0-distroless) is higher than current version (1.28.5-distroless) - the difference between versions exceed one minor version',
    ],
  ]
  for (const [inUse, target, refused] of rows) {
    const pods = { pods: [meshPod('istiod-1', { discovery: image('pilot', target) })] }
    const said = standing(
      istioWorld({ istio: withTag(inUse), settings: withImages(target), facts: { podVersions: pods } }),
    )
    matches(t, said, refused === undefined ? { state: 'Ready' } : isRefusedVersion(refused), `${target} after ${inUse}`)
  }
})

t.test('IS-92 without annotation the version in use is that of the running istiod', async t => {
  const over = (running: KubeObject | undefined) => standing(istioWorld({ facts: { ownership: { istiod: running } } }))
  matches(
    t,
    over(istiod('1.27.3')),
    isRefusedVersion(
      'target Istio version (1.30.2-distroless) is higher than current version (1.27.3) - the difference between versions exceed one minor version',
    ),
  )
  matches(t, over(istiod('1.29.5')), { state: 'Ready' })
  matches(t, over(undefined), { state: 'Ready' })
  for (const tag of ['', undefined, 7]) {
    const annotated = istio({
      metadata: { annotations: { [annotations.lastApplied]: JSON.stringify({ IstioTag: tag }) } },
    })
    const world = (running: string) =>
      istioWorld({ istio: annotated, facts: { ownership: { istiod: istiod(running) } } })
    matches(t, standing(world('1.29.5')), { state: 'Ready' }, `tag ${tag}`)
    matches(t, standing(world('1.28.0')), { state: 'Warning' }, `tag ${tag}`)
  }
  const digest = { ...istiod(), spec: { template: meshPod('istiod', { discovery: 'hub/pilot@sha256:00' }) } }
  matches(t, over(digest), isRefusedVersion('current Istio version (hub/pilot@sha256:00) cannot be read'))
})

t.test(
  'IS-124 in an image with a user no part of the user counts as the tag, and the password is not shown',
  async t => {
    const image = 'robot:canary@registry.example/istio/pilot'
    const running = (name: string) => ({ ...istiod(), spec: { template: meshPod('istiod', { discovery: name }) } })
    const over = (name: string) => standing(istioWorld({ facts: { ownership: { istiod: running(name) } } }))
    for (const end of ['', '@sha256:00']) {
      const shown = `***@registry.example/istio/pilot${end}`
      matches(t, over(`${image}${end}`), isRefusedVersion(`current Istio version (${shown}) cannot be read`))
      const pods = [meshPod('istiod', { discovery: `${image}${end}` })]
      matches(t, standing(istioWorld({ facts: { podVersions: { pods } } })), {
        description: `Verifying Pod versions in istio-system namespace failed: istio-system Pods version ${shown} do not match istio operator version 1.30.2`,
      })
    }
    matches(t, over(`${image}:1.29.5@sha256:00`), { state: 'Ready' })
  },
)

t.test('IS-42 Pods that are being deleted or have ended are not asked for their version', async t => {
  const pods = [
    meshPod('old', {}, { deletionTimestamp: '2026-01-02T00:00:00Z' }),
    ...['Failed', 'Succeeded', 'Running', 'Pending'].map(phase => ({ ...meshPod(phase, {}), status: { phase } })),
    meshPod('new', {}),
  ]
  const looking = { context: { reads: { list: async () => pods } } } as unknown as ReaderInput
  t.strictSame(
    (await readPodVersions(looking)).pods.map(({ metadata }) => metadata.name),
    ['Running', 'Pending', 'new'],
  )
})

t.test('IS-42 Pods of the mesh in another version are an Error', async t => {
  const containers = { discovery: 'pilot', 'istio-proxy': 'proxyv2', 'install-cni': 'install-cni' }
  for (const [container, name] of Object.entries(containers)) {
    const old = meshPod('old', { [container]: image(name, '1.29.5-distroless') })
    const pods = [meshPod('new', { [container]: image(name) }), old]
    matches(t, standing(istioWorld({ facts: { podVersions: { pods } } })), {
      state: 'Error',
      description:
        'Verifying Pod versions in istio-system namespace failed: istio-system Pods version 1.29.5 do not match istio operator version 1.30.2',
      ready: { reason: 'ReconcileFailed' },
      next: { is: 'failed', seconds: undefined },
    })
  }
  const other = meshPod('other', { sleep: 'hub/sleep:1' })
  matches(t, standing(istioWorld({ facts: { podVersions: { pods: [other] } } })), { state: 'Ready' })
})

t.test('IS-12 IS-95 an Istio with which all is well is Ready and saves the configuration that is in force', async t => {
  const before = istio({ status: { state: 'Error', description: 'was bad' }, spec: { compatibilityMode: true } })
  const { plan, status, next } = told(istioWorld({ istio: before }))
  const text = '{"config":{"telemetry":{"metrics":{}}},"compatibilityMode":true,"IstioTag":"1.30.2-distroless"}'
  matches(t, plan.steps, [{ do: 'patch', merge: { metadata: { annotations: { [annotations.lastApplied]: text } } } }])
  matches(t, status, {
    state: 'Ready',
    description: null,
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'ReconcileSucceeded', message: 'Reconciliation succeeded' },
      { type: 'ProxySidecarRestartSucceeded', status: 'True', reason: 'ProxySidecarRestartSucceeded' },
      { type: 'IngressTargetingUserResourceFound', status: 'False', reason: 'IngressTargetingUserResourceNotFound' },
    ],
  })
  matches(t, next, { is: 'settled', againSeconds: 36_000 })
  const settings = { ...istioInstallation, reconcileSeconds: 3_600 }
  matches(t, told(istioWorld({ settings })).next, { is: 'settled', againSeconds: 3_600 })
  const saved = istio({ metadata: { annotations: { [annotations.lastApplied]: text } }, spec: before.spec })
  matches(t, decide(istioWorld({ istio: saved })).steps, [])
})

t.test('IS-42 while the mesh is not ready its Pods may have any version', async t => {
  const finding = { state: 'Processing', description: 'Reconciling Istio', answer: 'installing' } as const
  const installation = { is: 'impossible', cluster: allInstalled.cluster, finding } as const
  const podVersions = { pods: [meshPod('old', { discovery: image('pilot', '1.29.5') })] }
  matches(t, standing(istioWorld({ facts: { installation, podVersions } })), {
    state: 'Processing',
    description: 'Reconciling Istio',
    ready: { status: 'Unknown' },
    next: { is: 'waiting', seconds: 5 },
  })
})

const gateway: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'istio-ingressgateway', namespace: 'istio-system' },
}

const ingressGateway = { noted, due: [gateway] }

const ofUser: KubeObject = {
  apiVersion: 'networking.istio.io/v1alpha3',
  kind: 'EnvoyFilter',
  metadata: { name: 'mine', namespace: 'istio-system' },
}

const stuckPod = { owner: { key: 'team/bare' }, why: 'nobody' }
const sidecars = {
  is: 'surveyed',
  hasActed: false,
  survey: { read: { due: [], stuck: [stuckPod], isSettling: false, isCutShort: false } },
} as unknown as NonNullable<World['facts']['sidecars']>

/** As if nobody might restart the gateway. */
const refusing =
  (message: string) =>
  ({ steps }: ReturnType<typeof decide>): StepResult[] =>
    steps.map(step => {
      const isMeant = 'target' in step && step.target === gateway
      const error = { message, isConflict: false, isRetriable: false, ref: refOf(gateway) }
      return isMeant ? { step, changed: false, error } : { step, changed: true }
    })

t.test(
  'IS-16 of an Error and two Warnings in one call the state shows the Error, and each condition shows its own fault',
  async t => {
    const envoyFilters = { forIngress: { read: [ofUser] } }
    const world = istioWorld({ facts: { ingressGateway, sidecars, envoyFilters } })
    const { status, next } = told(world, refusing('forbidden'))
    matches(t, status, { state: 'Error', description: 'Failed to restart Ingress Gateway: forbidden' })
    matches(t, reasonsIn(status), {
      Ready: 'IngressGatewayRestartFailed',
      ProxySidecarRestartSucceeded: 'ProxySidecarManualRestartRequired',
      IngressTargetingUserResourceFound: 'IngressTargetingUserResourceFound',
    })
    matches(t, next, { is: 'failed', seconds: undefined })
  },
)

const reasonsIn = ({ conditions = [] }: Record<string, unknown>) =>
  Object.fromEntries((conditions as { type: string; reason: string }[]).map(({ type, reason }) => [type, reason]))

const ofGarden = istiod()
ofGarden.metadata.annotations = { 'resources.gardener.cloud/origin': 'garden/istio' }

const finding = (reason: 'IstioInstallUninstallFailed' | 'IstioCustomResourceMisconfigured') =>
  ({
    is: 'impossible',
    cluster: allInstalled.cluster,
    finding: { state: 'Error', description: 'not possible', reason, answer: 'backoff' },
  }) as const

t.test('IS-15 an Error that lasts makes the relay wait longer and longer, until its cause is gone', async t => {
  const lasting: Record<string, RunWorld> = {
    'IS-07': istioWorld({ istios: { failed: 'away' } }),
    'IS-17': istioWorld({ istio: istio({ metadata: { annotations: { [annotations.lastApplied]: '{' } } }) }),
    'IS-24': istioWorld({ facts: { installation: finding('IstioCustomResourceMisconfigured') } }),
    'IS-32': istioWorld({ facts: { installation: finding('IstioInstallUninstallFailed') } }),
    'IS-42': istioWorld({
      facts: { podVersions: { pods: [meshPod('old', { discovery: image('pilot', '1.29.5') })] } },
    }),
    'IS-50': istioWorld({
      facts: {
        resources: { ...wellFacts.resources, live: new Map([['PeerAuthentication default', { failed: 'x' }]]) },
      },
    }),
    'IS-52': istioWorld({ facts: { envoyFilters: { forIngress: { failed: 'away' } } } }),
    'IS-56': istioWorld({ facts: { ingressGateway } }),
    'IS-57': istioWorld({ facts: { controlPlane: ingressGateway } }),
    'IS-100': istioWorld({ facts: { ownership: { istiod: ofGarden } } }),
    'IS-68': istioWorld({
      facts: { sidecars: { is: 'surveyed', hasActed: false, survey: { failed: 'away' } } },
    }),
  }
  for (const [row, world] of Object.entries(lasting)) {
    const { status, next } = told(world, refusing('forbidden'))
    matches(t, status, { state: 'Error' }, row)
    matches(t, next, { is: 'failed', seconds: undefined, reason: String }, row)
    const before = { ...world.istio, status } as World['istio']
    const { annotations: _broken, ...metadata } = before.metadata
    const cured = told(istioWorld({ istio: { ...before, metadata } as World['istio'] }))
    matches(t, cured.status, { state: 'Ready', description: null }, `${row} cured`)
    matches(t, cured.next, { is: 'settled', againSeconds: 36_000 }, `${row} cured`)
  }
})

t.test('IS-15 an Error that lasts during a deletion fails each call without seconds', async t => {
  const going = istio({ metadata: isDeleted })
  const lasting: Record<string, World['facts']> = {
    'IS-83': { blocking: { resources: { failed: 'away' } } },
    'IS-90': { removal: { dependents: { failed: 'away' } } },
    'IS-88': { formerSidecars: { survey: { failed: 'away' } } },
    'IS-94': { leftovers: { resources: { failed: 'away' } } },
  }
  for (const [row, facts] of Object.entries(lasting)) {
    const { status, next } = told(istioWorld({ istio: going, facts }))
    matches(t, status, { state: 'Error', description: 'Could not uninstall istio: away' }, row)
    matches(t, next, { is: 'failed', seconds: undefined }, row)
  }
  matches(t, told(istioWorld({ istio: going })).plan.steps, [{ do: 'removeFinalizer' }], 'cured')
})

t.test('IS-15 the relay waits 1, 2, 4, … 1000 s, and up to a tenth longer', async t => {
  const { failureBaseSeconds = 0, failureMaxSeconds = 0 } = readLandscape('serverless.yml').functions.istio ?? {}
  const { verdict } = resultOfReply({ status: 200, body: { outcome: 'failed', reason: 'e' } })
  const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]
  for (const [chance, factor] of [
    [0, 1],
    [1, 1.1],
  ] as const) {
    const queue = new Queue({ failureBaseSeconds, failureMaxSeconds }, () => chance)
    let now = 0
    queue.add('default', now)
    for (const seconds of waits) {
      t.ok(queue.take(now))
      queue.done('default', verdict, now)
      const milliseconds = Math.round(seconds * factor * 1000)
      t.equal(queue.take(now + milliseconds - 1), undefined, `not before ${seconds} s`)
      now += milliseconds
    }
  }
})

const goingNow = (finalizers: string[] = [finalizer]) => istio({ metadata: { ...isDeleted, finalizers } })
const foreignHold = goingNow([finalizer, 'example.org/hold'])
const oneBlocks = { resources: { read: { first: ['VirtualService team/a'], count: 1 } } }
const someAreLeft = { survey: { read: { due: [], isCutShort: true } } }
const unreadResource = { ...wellFacts.resources, live: new Map([['PeerAuthentication default', { failed: 'x' }]]) }
const strayPod = { pods: [meshPod('old', { discovery: image('pilot', '1.29.5') })] }
const inLife = ['ownership', 'installation', 'podVersions', 'resources']
const restarts = ['ingressGateway', 'sidecars', 'controlPlane', 'envoyFilters']
const inDeletion = ['blocking', 'removal', 'formerSidecars', 'leftovers']

/** What is read of an Istio, and how often each part was asked what it writes. */
const readOf = async (one: World['istio'], facts: World['facts']) => {
  const names: string[] = []
  const read = async (wanted: readonly PartName[]) => {
    names.push(...wanted)
    return Object.fromEntries(wanted.map(name => [name, { ...wellFacts, ...facts }[name]]))
  }
  const { run } = await readByStage({ ...istioWorld({ istio: one }), facts: {} }, { now: () => istioNow, read })
  t.strictSame(
    run.parts.map(({ part }) => part.name),
    names,
    'each part decides once',
  )
  return names
}

t.test('IS-130 what later stages need is not read while a part writes or makes them wait', async t => {
  const upTo = (names: readonly string[], last: string) => names.slice(0, names.indexOf(last) + 1)
  t.strictSame(await readOf(istio(), {}), [...inLife, ...restarts, 'istiodLabels'])
  t.strictSame(await readOf(goingNow(), {}), inDeletion)
  const held: readonly [string, World['facts'], World['istio']?][] = [
    ['ownership', { ownership: { istiod: ofGarden } }],
    ['installation', { installation: finding('IstioInstallUninstallFailed') }],
    ['installation', {}, istio({ metadata: { finalizers: null } })],
    ['podVersions', { podVersions: strayPod }],
    ['resources', { resources: unreadResource }],
    ['blocking', { blocking: { resources: { failed: 'away' } } }, goingNow()],
    ['blocking', { blocking: oneBlocks }, goingNow()],
    ['blocking', {}, foreignHold],
    ['removal', { removal: { dependents: { failed: 'away' } } }, goingNow()],
    ['formerSidecars', { formerSidecars: { survey: { failed: 'away' } } }, goingNow()],
    ['formerSidecars', { formerSidecars: someAreLeft }, goingNow()],
  ]
  for (const [last, facts, one = istio()] of held)
    t.strictSame(await readOf(one, facts), upTo(isDeleting(one) ? inDeletion : inLife, last), last)
  const writing = await readOf(istio(), { ingressGateway })
  t.strictSame(writing, [...inLife, ...restarts], 'what is beside the part that writes is read')
  const kept = told(istioWorld({ istio: goingNow(), facts: { leftovers: { resources: { failed: 'away' } } } }))
  t.strictSame(kept.plan.steps, [], 'the finalizer stays, too')
})

t.test('IS-132 installed objects are read again only after a pass that wrote to them', async t => {
  const fresh = istioWorld({ istio: istio({ metadata: { finalizers: null } }) })
  const withResources = istioWorld({ facts: { resources: { ...wellFacts.resources, rows: resourceRows } } })
  t.ok(stepsOf(withResources).length > 0)
  matches(t, stepsOf(fresh), [{ do: 'addFinalizer' }])
  for (const world of [istioWorld(), fresh, withResources]) t.strictSame(untouchedInstallation(world), [])
  t.equal(untouchedInstallation(istioWorld({ facts: { ingressGateway } })), undefined, 'a restart writes to it')
})

const stepsOf = ({ run }: RunWorld) => run.parts.flatMap(({ steps }) => steps)

t.test(
  'IS-131 while a part says that its fields are not in force, the spec as a whole is not saved as being in force',
  async t => {
    const spec = { config: { telemetry: { metrics: { prometheusMerge: true } } } }
    const saved = (facts: World['facts']) => {
      const [step] = told(istioWorld({ istio: istio({ spec }), facts })).plan.steps.filter(
        ({ do: what }) => what === 'patch',
      )
      const annotated = step && 'merge' in step ? (step.merge.metadata as KubeObject['metadata']).annotations : {}
      const text = annotated?.[annotations.lastApplied] ?? '{}'
      return { isWhole: text.includes('prometheusMerge'), isVersion: text.includes('1.30.2') }
    }
    t.strictSame(saved({}), { isWhole: true, isVersion: true })
    const fresh = { ...noted, is: 'fresh' } as const
    const surveyed = (survey: object): object =>
      ({
        ...sidecars,
        survey: { read: { due: [], stuck: [], isSettling: false, isCutShort: false, ...survey } },
      }) as never
    const denying: Record<string, World['facts']> = {
      'EnvoyFilter of a user': { envoyFilters: { forIngress: { read: [ofUser] } } },
      'EnvoyFilters unread': { envoyFilters: { forIngress: { failed: 'away' } } },
      'gateway noted': { ingressGateway: { noted: fresh, due: [gateway] } },
      'control plane noted': { controlPlane: { noted: fresh, due: [gateway] } },
      'sidecars noted': { sidecars: { is: 'unnoted', noted: fresh } },
      'sidecars unread': { sidecars: { is: 'surveyed', hasActed: false, survey: { failed: 'away' } } },
      'sidecars stuck': { sidecars },
      'sidecars settling': { sidecars: surveyed({ isSettling: true }) as never },
      'sidecars restarted in this call': { sidecars: { ...surveyed({}), hasActed: true } as never },
    }
    for (const [row, facts] of Object.entries(denying))
      t.strictSame(saved(facts), { isWhole: false, isVersion: true }, row)
  },
)

t.test('IS-13 a call that finds everything unchanged writes nothing', async t => {
  const first = told(istioWorld())
  const [saved] = first.plan.steps.flatMap(step => ('merge' in step ? [step.merge] : []))
  const after = mergePatched({ ...istio(), status: mergePatched({}, first.status) }, saved ?? {}) as World['istio']
  const second = told(istioWorld({ istio: after }))
  t.strictSame(second.plan.steps, [])
  t.strictSame(mergePatched(after.status ?? {}, second.status), after.status)
  matches(t, second.events ?? [], [])
})

t.test(
  "a write that conflicts with somebody else's: the status says nothing about it, as the next pass reads again",
  async t => {
    const overtaken = ({ steps }: ReturnType<typeof decide>): StepResult[] =>
      steps.map(step => ({
        step,
        changed: false,
        error: { message: '', isConflict: true, isRetriable: true, ref: refOf(gateway) },
      }))
    const { annotations: _none, ...metadata } = istio().metadata
    const applied = {
      ...metadata,
      annotations: { [annotations.lastApplied]: appliedText({ spec: {}, tag: '1.30.2-distroless' }) },
    }
    const world = istioWorld({ istio: { ...istio(), metadata: applied }, facts: { ingressGateway } })
    const { status, next } = told(world, overtaken)
    t.strictSame(status, {})
    t.equal(next, undefined)
  },
)
