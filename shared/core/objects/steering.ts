// Annotations by which people steer the functions of any object. `espalier reconcile` and `espalier suspend` write them.
export const espalierAnnotations = {
  /** Any new value calls the functions of the object at once. The function that keeps the object's state removes it. */
  reconcileRequestedAt: 'core.espalier.dev/reconcile-requested-at',
  /** Functions leave the object alone. The value says who wants that, since when and why, for people. */
  suspended: 'core.espalier.dev/suspended',
} as const
