// Annotations that control the functions of any object. `espalier reconcile` and `espalier suspend` write them.
export const espalierAnnotations = {
  /** A new value triggers the functions of the object at once. The function that keeps the object's state removes the annotation. */
  reconcileRequestedAt: 'core.espalier.dev/reconcile-requested-at',
  /** Functions leave the object alone. The value tells people who suspended it, when and why. */
  suspended: 'core.espalier.dev/suspended',
} as const
