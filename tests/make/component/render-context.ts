// A rendering's context that is valid by default, with bytes that look random and are the same for the same purpose.
import { createHmac } from 'node:crypto'
import type { RenderContext } from '../../../shared/render/generator.ts'

export const renderContext = (parts: Partial<RenderContext> = {}): RenderContext => ({
  namespace: 'shop',
  name: 'demo',
  reconcilerName: 'shop.example.io',
  component: {
    apiVersion: 'core.espalier.dev/v1alpha1',
    kind: 'Component',
    metadata: { name: 'demo', namespace: 'shop', uid: 'b1d5d3b0-0000-4000-8000-000000000001', generation: 1 },
  },
  componentDigest: 'c0ffee',
  revision: 1,
  now: new Date('2026-11-21T12:00:00Z'),
  cluster: { version: 'v1.35.0', apiVersions: ['v1', 'apps/v1'] },
  draw: drawFor(String(parts.revision ?? 1)),
  found: new Map(),
  ...parts,
})

const drawFor =
  (key: string): RenderContext['draw'] =>
  ({ template, call }, bytes) => {
    const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, index) =>
      createHmac('sha256', key)
        .update(JSON.stringify([template, call, index]))
        .digest(),
    )
    return Buffer.concat(blocks).subarray(0, bytes)
  }
