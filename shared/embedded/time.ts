// The clock as the API server writes it.

/** metav1.Time. */
export const nowText = (): string => `${new Date().toISOString().slice(0, 19)}Z`

/** metav1.MicroTime. */
export const nowMicroText = (): string => `${new Date().toISOString().slice(0, 23)}000Z`
