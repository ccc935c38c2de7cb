// The IstioOperator: what Istio's own installer is told to install. It is a document alone; clusters know no such kind.

export type IstioOperator = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace: string; readonly name: string }
  readonly spec: Record<string, unknown>
}

/** How much of Istio a cluster can bear: production, or an evaluation on few and small nodes. */
export type IstioProfileName = 'production' | 'evaluation'

export type IstioProfiles = Readonly<Record<IstioProfileName, IstioOperator>>
