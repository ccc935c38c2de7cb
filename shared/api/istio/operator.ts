// The IstioOperator, the input of Istio's installer. It is only a document; clusters do not have this kind.

export type IstioOperator = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace: string; readonly name: string }
  readonly spec: Record<string, unknown>
}

/** `evaluation`: for clusters with few and small nodes. */
export type IstioProfileName = 'production' | 'evaluation'

export type IstioProfiles = Readonly<Record<IstioProfileName, IstioOperator>>
