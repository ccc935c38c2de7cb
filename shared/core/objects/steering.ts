// Annotations that control the functions of any object. `espalier reconcile` and `espalier suspend` write them.
export const espalierAnnotations = {
  /** A new value triggers the functions of the object at once. The function that keeps the object's state removes the annotation. */
  reconcileRequestedAt: 'core.espalier.dev/reconcile-requested-at',
  /** Functions do not work on the object. The value says who suspended the object, when and why. */
  suspended: 'core.espalier.dev/suspended',
  /** On the Namespace of Espalier: host and relay run in the process of `npm start`, not as workloads. */
  inProcess: 'core.espalier.dev/in-process',
} as const
