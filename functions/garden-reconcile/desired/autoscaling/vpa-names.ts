// Ports and places of the VerticalPodAutoscaler's programs.

/** Those of recommender, updater and admission serve metrics. */
export const vpaPorts = { recommender: 8942, updater: 8943, admission: 8944, webhook: 10_250 } as const

export const certificateFolder = '/etc/tls-certs'
